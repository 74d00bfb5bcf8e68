"""Targets: who answers. One file a kind behind the interface in ``target``."""
