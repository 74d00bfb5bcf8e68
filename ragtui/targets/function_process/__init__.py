"""A folder of its own, so that a function called from here finds no neighbours of that name first (``http``, …)."""
