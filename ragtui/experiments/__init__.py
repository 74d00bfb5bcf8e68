"""Experiments: plan, preflight, run, store, results, comparison, labels, exports."""
