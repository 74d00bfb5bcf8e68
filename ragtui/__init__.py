"""ragtui: evaluate RAG systems in the terminal."""

__version__ = "0.1.0"
