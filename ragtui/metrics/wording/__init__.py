"""What overlap metrics are made of: words of a text, and how far two lists of words agree."""
