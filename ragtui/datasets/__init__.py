"""Datasets: what they are (``dataset``), how they are read (``containers``, ``formats``) and checked (``rules``)."""
