"""Themes are files; a bad one is a problem to show, never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from ragtui.tui.themes import DEFAULT, Problem, load_themes, read_theme
from ragtui.tui.widgets.tones import tones
from ragtui.workspace import bundled
from tests.tui.driving import running, settled


def test_the_shipped_themes_are_all_sound() -> None:
    themes, problems = load_themes([bundled("themes")])
    assert problems == []
    assert {"ragtui-dark", "ragtui-light", "ragtui-safe"} <= {theme.name for theme in themes}
    assert DEFAULT in {theme.name for theme in themes}


def test_passing_and_failing_differ_without_red_and_green() -> None:
    safe = next(theme for theme in load_themes([bundled("themes")])[0] if theme.name == "ragtui-safe")
    assert safe.success is not None
    assert safe.error is not None
    good, bad = Color.parse(safe.success), Color.parse(safe.error)
    assert abs(good.b - bad.b) > 150  # blue against orange, which all common kinds of colour blindness tell apart


@pytest.mark.parametrize("name", ["ragtui-dark", "ragtui-light", "ragtui-safe"])
def test_text_can_be_read(name: str) -> None:
    theme = next(theme for theme in load_themes([bundled("themes")])[0] if theme.name == name)
    for colour in (theme.foreground, theme.success, theme.error, theme.accent, theme.primary):
        assert colour is not None
        assert theme.surface is not None
        assert contrast(Color.parse(colour), Color.parse(theme.surface)) >= 4.5  # WCAG AA


def contrast(one: Color, other: Color) -> float:
    """WCAG 2.1: from 1 (the same) to 21."""

    def luminance(colour: Color) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.normalized]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_a_users_theme_of_the_same_name_wins(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "ragtui-dark"\nprimary = "#123456"\n')
    themes, _ = load_themes([bundled("themes"), tmp_path])
    assert next(theme for theme in themes if theme.name == "ragtui-dark").primary == "#123456"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = ", "Invalid value"),
        ('primary = "#123456"', '"name" is missing'),
        ('name = "x"', '"primary" is missing'),
        ('name = "x"\nprimary = "blurple"', '"primary" is not a colour: blurple'),
        ('name = "x"\nprimary = "#111111"\nsuces = "#111111"', 'unknown key "suces"; did you mean "success"?'),
        ('name = "x"\nprimary = "#111111"\ndark = "yes"', '"dark" must be true or false'),
        ('name = "x"\nprimary = "#111111"\n[variables]\nborder = "#zzz"', '"border" is not a colour: #zzz'),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    read = read_theme(path)
    assert isinstance(read, Problem)
    assert says in read.message


def test_a_file_that_is_no_text_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(b"\xff\xfe\x00")
    assert isinstance(read_theme(path), Problem)


def test_a_sound_file_is_a_theme(tmp_path: Path) -> None:
    path = tmp_path / "good.toml"
    path.write_text('name = "mine"\nprimary = "ansi_blue"\ndark = true\n')
    read = read_theme(path)
    assert isinstance(read, Theme)
    assert (read.name, read.dark) == ("mine", True)


async def test_colours_are_those_of_the_theme_also_when_it_is_changed_and_changed_back(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        dark = dict(tones(app))
        app.set_reactive(App.theme, "ragtui-light")  # its name is there before its colours are
        assert tones(app)[""] == dark[""]
        app.set_reactive(App.theme, "ragtui-dark")
        app.theme = "ragtui-light"
        await settled(app, pilot)
        assert tones(app)[""] != dark[""]
        app.theme = "ragtui-dark"
        await settled(app, pilot)
        assert tones(app)[""] == dark[""]
