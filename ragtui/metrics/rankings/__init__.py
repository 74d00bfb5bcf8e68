"""Rankings: judgments and a run, scored for all queries at once."""
