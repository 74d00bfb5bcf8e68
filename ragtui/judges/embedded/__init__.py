"""The embedded judge: offline, deterministic, a heuristic over words, numbers, names and negations."""
