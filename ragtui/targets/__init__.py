"""Targets: who answers. One file a kind behind the interface in ``target``; ``open_target`` opens one by its spec."""

from ragtui.targets.spec import open_target

__all__ = ["open_target"]
