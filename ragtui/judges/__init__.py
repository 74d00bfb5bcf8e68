"""Judges: who gives a verdict on a judged metric. One file a provider behind the interface in ``judge``."""
