"""Applying what rules propose: edits put into bytes, passes until nothing is left to mend, results written without risk."""
