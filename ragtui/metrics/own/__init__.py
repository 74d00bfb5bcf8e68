"""Metrics of the user's own: files in the workspace's ``metrics/``, a TOML file a judged one, a Python file a computed one."""
