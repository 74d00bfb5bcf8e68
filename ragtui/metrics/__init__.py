"""Metrics: small named values (``metric``), one file a family, and the groups people pick them by."""
