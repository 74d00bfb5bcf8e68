"""One registry of actions: no key means two things, every action is performed by somebody, users may change keys."""

from __future__ import annotations

import pytest

from ragtui.tui.actions import ACTIONS, SCOPES, Action, bindings, clashes, in_scope, read_keymap, shown
from ragtui.tui.app import RagtuiApp
from ragtui.tui.performing import Performs
from ragtui.tui.screens.arranging import ColumnList, ColumnsScreen
from ragtui.tui.screens.blind_labelling import BlindLabelling
from ragtui.tui.screens.datasets import DatasetsPane
from ragtui.tui.screens.detail import DetailScreen
from ragtui.tui.screens.experiment_form import ExperimentForm
from ragtui.tui.screens.experiments import ExperimentsPane
from ragtui.tui.screens.fixing import FixingScreen
from ragtui.tui.screens.groups import GroupsPane
from ragtui.tui.screens.judges import JudgesScreen
from ragtui.tui.screens.mapping import MappingScreen
from ragtui.tui.screens.matching import MatchingScreen
from ragtui.tui.screens.results import ResultsPane
from ragtui.tui.widgets.form import Form
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText

PERFORMERS: list[type[Performs]] = [
    RagtuiApp, DatasetsPane, GroupsPane, ExperimentsPane, ResultsPane, DetailScreen, ExperimentForm, Form, VirtualTable,
    FixingScreen, MatchingScreen, MappingScreen,
    WrappedText, BlindLabelling, JudgesScreen, ColumnList, ColumnsScreen,
]  # fmt: skip


def test_no_key_means_two_things_where_it_can_be_pressed() -> None:
    assert clashes() == []


def test_a_clash_is_noticed() -> None:
    assert clashes({"results.compare": "j"}) == ['"j" is both table.down and results.compare']


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_every_action_is_performed_by_whoever_is_its_scope(action: Action) -> None:
    performers = [each for each in PERFORMERS if action.scope in each.SCOPES]
    assert performers
    assert [each.__name__ for each in performers if not hasattr(each, action.method)] == []


@pytest.mark.parametrize("performer", PERFORMERS, ids=lambda performer: performer.__name__)
def test_every_key_of_a_scope_is_bound_where_it_is_performed(performer: type[Performs]) -> None:
    bound = {binding.id for binding in getattr(performer, "BINDINGS", [])}
    assert {action.id for action in in_scope(*performer.SCOPES) if action.keys} <= bound


def test_names_and_scopes_are_all_known() -> None:
    assert {action.scope for action in ACTIONS} == set(SCOPES)
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize(
    ("scope", "keys"),
    [
        ("case", {"r", "m", "b", "i", "a", "w", "t", "u", "],)", "[,(", ".", "y", "e", "o"}),
        ("results", {"c", "S", "x"}),
        ("table", {"j,down", "k,up", "g,home", "G,end", "ctrl+d", "ctrl+u", "enter", "space", "/", "n", "N", "f", "s"}),
        ("app", {"1", "2", "3", "4", "?", "ctrl+p", ":", "escape", "q,ctrl+c"}),
        ("detail", {"p", "c"}),
    ],
)
def test_the_promised_keys_are_there(scope: str, keys: set[str]) -> None:
    assert keys <= {action.keys for action in in_scope(scope)}


def test_keys_are_written_as_people_write_them() -> None:
    assert shown("ctrl+p") == "^p"
    assert shown("j,down") == "j"
    assert shown("j,down", first_only=False) == "j ↓"
    assert [binding.key for binding in bindings("detail") if binding.id == "detail.prompt"] == ["p"]


def test_the_users_own_keys() -> None:
    keymap, problems = read_keymap({"case": {"label-model": "M"}, "app.quit": ["Q", "ctrl+q"]})
    assert keymap == {"case.label-model": "M", "app.quit": "Q,ctrl+q"}
    assert problems == []


def test_what_is_wrong_with_the_users_own_keys_is_said_and_left_out() -> None:
    keymap, problems = read_keymap({"case.label-modle": "M", "app.quit": 4})
    assert keymap == {}
    assert problems == ['keys: no action "case.label-modle"; did you mean "case.label-model"?',
                        'keys: "app.quit" must be a key or a list of keys']  # fmt: skip


def test_own_keys_that_clash_are_not_used_at_all() -> None:
    keymap, problems = read_keymap({"case.note": "r"})
    assert keymap == {}
    assert problems == ['keys: "r" is both case.label-retrieval and case.note']
