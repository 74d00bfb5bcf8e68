"""The embedded judge's version follows from what it judges by."""

from __future__ import annotations

from ragtui.judges.embedded.version import digest, version

PARTS = [("embedded/support.py", b"x = 1\n"), ("embedded/lexicon/words.toml", b"not = 'no'\n")]


def test_it_changes_with_code_words_and_stemmer_and_with_nothing_else() -> None:
    known = digest(PARTS, "3.0")
    assert digest([PARTS[1], PARTS[0]], "3.0") == known
    assert digest([(name, content.replace(b"\n", b"\r\n")) for name, content in PARTS], "3.0") == known
    assert digest([("embedded/support.py", b"x = 2\n"), PARTS[1]], "3.0") != known
    assert digest([PARTS[0], ("embedded/lexicon/words.toml", b"not = 'nor'\n")], "3.0") != known
    assert digest(PARTS, "3.1") != known


def test_it_is_short_and_steady() -> None:
    assert len(version()) == 10
    assert version() == version.__wrapped__()
