"""Every action of the app, once: footer, ``?``, palette, ``:`` and the key map all read this list.

An action belongs to a scope; the widget that is the scope performs it in ``do_NAME`` and says in ``why_not`` why it
cannot just now. Keys of the scopes that can be active together never clash (``clashes`` finds those that do).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Action:
    """``name`` is typed after ``:``; ``title`` explains it; ``keys`` is one or several, comma separated.

    ``short`` is the word in the footer (empty: not there), which drops those of high ``rank`` first when it is narrow;
    ``argument`` is what ``:`` may be given after the name; ``words`` find it, too, though they are not shown.
    """

    scope: str
    name: str
    keys: str
    title: str
    short: str = ""
    argument: str = ""
    rank: int = 5
    words: str = ""

    @property
    def id(self) -> str:
        return f"{self.scope}.{self.name}"

    @property
    def method(self) -> str:
        return "do_" + self.name.replace("-", "_")


SCOPES: Final = {
    "app": "everywhere",
    "table": "in a table",
    "text": "in a text",
    "datasets": "Datasets",
    "groups": "Metric Groups",
    "experiments": "Experiments",
    "results": "Results",
    "detail": "one case, whole",
    "case": "with a case",
    "form": "in a form",
    "launch": "New experiment",
    "fixing": "Fixes",
    "matching": "Files of labels",
    "mapping": "Mapping",
    "blind": "blind sample",
    "judges": "Judges",
    "columns": "with a column",
    "arranging": "Columns",
}

TOGETHER: Final = (
    ("datasets", "table", "text", "app"),
    ("groups", "table", "text", "app"),
    ("experiments", "table", "text", "app"),
    ("results", "case", "table", "text", "app"),
    ("detail", "case", "text", "app"),
    ("form", "launch", "app"),
    ("launch", "text", "app"),
    ("fixing", "text", "app"),
    ("matching", "table", "text", "app"),
    ("form", "mapping", "app"),
    ("mapping", "text", "app"),
    ("blind", "text", "app"),
    ("judges", "table", "text", "app"),
    ("columns", "arranging", "app"),
)
"""Scopes that are active at the same time: in each of these rows no key may mean two things. A table and a text never
have the focus together, so those two may share their movement keys."""

_NEVER_TOGETHER: Final = {frozenset(("table", "text"))}

ACTIONS: Final[tuple[Action, ...]] = (
    Action("app", "datasets", "1", "Go to Datasets"),
    Action("app", "groups", "2", "Go to Metric Groups"),
    Action("app", "experiments", "3", "Go to Experiments"),
    Action("app", "results", "4", "Go to Results"),
    Action("app", "next-part", "tab", "Next part of the screen", "next part", rank=6),
    Action("app", "previous-part", "shift+tab", "Previous part of the screen"),
    Action("app", "zoom", "z", "Show only this part, or all again"),
    Action("app", "back", "escape", "One step back"),
    Action("app", "keys", "?", "The keys that work here", "keys", rank=1),
    Action("app", "palette", "ctrl+p", "Every action, found by typing"),
    Action("app", "command", ":", "Run an action by its name", "command", rank=7),
    Action("app", "judges", "", "Judges: add, try, check and pick one", words="model endpoint probe gold"),
    Action("app", "theme", "", "Change the colours", argument="NAME"),
    Action("app", "mouse", "", "Turn the mouse on or off"),
    Action("app", "quit", "q,ctrl+c", "Quit", "quit", rank=2),
    Action("table", "down", "j,down", "Down"),
    Action("table", "up", "k,up", "Up"),
    Action("table", "top", "g,home", "First row"),
    Action("table", "bottom", "G,end", "Last row"),
    Action("table", "half-page-down", "ctrl+d", "Half a page down"),
    Action("table", "half-page-up", "ctrl+u", "Half a page up"),
    Action("table", "page-down", "pagedown", "A page down"),
    Action("table", "page-up", "pageup", "A page up"),
    Action("table", "left", "h,left", "Column to the left"),
    Action("table", "right", "l,right", "Column to the right"),
    Action("table", "open", "enter", "Open this row", "open", rank=2),
    Action("table", "mark", "space", "Mark this row, or take the mark away"),
    Action("table", "search", "/", "Search the rows", "search", argument="TEXT", rank=6),
    Action("table", "next-match", "n", "Next row found"),
    Action("table", "previous-match", "N", "Previous row found"),
    Action("table", "filter", "f", "Show only rows where an SQL expression holds", "filter", argument="SQL", rank=4),
    Action("table", "sort", "s", "Sort by a column", "sort", argument="COLUMN", rank=4),
    Action("text", "down", "j,down", "Down"),
    Action("text", "up", "k,up", "Up"),
    Action("text", "top", "g,home", "Beginning"),
    Action("text", "bottom", "G,end", "End"),
    Action("text", "half-page-down", "ctrl+d", "Half a page down"),
    Action("text", "half-page-up", "ctrl+u", "Half a page up"),
    Action("text", "page-down", "pagedown", "A page down"),
    Action("text", "page-up", "pageup", "A page up"),
    Action("text", "filter", "f", "Show only rows where an SQL expression holds", argument="SQL"),
    Action("text", "sort", "s", "Sort the rows", argument="COLUMN"),
    Action("text", "search", "/", "Search the text", "search", argument="TEXT", rank=6),
    Action("text", "next-match", "n", "Next place found"),
    Action("text", "previous-match", "N", "Previous place found"),
    Action("datasets", "open-path", "a", "Open a file or folder", "open a file", argument="PATH", rank=3),
    Action("datasets", "demo", "d", "Try the demo: a small support desk, judged and compared"),
    Action("datasets", "next-finding", "],)", "Next finding", "next finding", rank=4),
    Action("datasets", "previous-finding", "[,(", "Previous finding"),
    Action("datasets", "reread", "r", "Read the files again"),
    Action("datasets", "read-as", "=", "Read this file in a format of your choice", argument="FORMAT", words="open"),
    Action("datasets", "stop", "X", "Stop reading; the first rows stay"),
    Action("datasets", "evaluate", "x", "New experiment with this dataset", "evaluate", rank=3),
    Action("datasets", "explain", "i", "Explain this finding's rule"),
    Action("datasets", "copy", "y", "Copy this cell, whole"),
    Action("datasets", "editor", "e", "Open the file in $EDITOR, at this line"),
    Action("datasets", "close", "D", "Close this dataset (the file stays)", words="remove delete"),
    Action(
        "datasets", "fix", "F", "See what fixes would change, and apply them", "fix", rank=4, words="repair mend diff"
    ),
    Action("datasets", "match", "M", "Match the file names of labels with files", words="files labels"),
    Action("datasets", "mapping", "m", "Which column feeds which metric input", words="map roles columns"),
    Action("datasets", "roles", "R", "Change what a column is for", words="role input expected"),
    Action("datasets", "convert", "C", "Write this dataset in another format", argument="FILE", words="export"),
    Action("datasets", "columns", "|", "Choose, order and widen the columns of the rows", words="hide width arrange"),
    Action("datasets", "undo", "u", "Undo the last fix, or open again what was closed last"),
    Action("groups", "new-group", "a", "Make a Metric Group", "new group", argument="NAME", rank=3),
    Action("groups", "add-metric", "+", "Add metrics to this group", "add metrics", rank=3),
    Action("groups", "move-down", "J", "Move this metric down"),
    Action("groups", "move-up", "K", "Move this metric up"),
    Action("groups", "duplicate", "c", "Copy this group under a new name", argument="NAME"),
    Action("groups", "rename", "R", "Rename this group", argument="NAME"),
    Action("groups", "delete", "D", "Delete this group, or take this metric out", words="remove"),
    Action("groups", "undo", "u", "Undo the last change to the groups"),
    Action("groups", "propose", "p", "Propose a group for an open dataset", "propose", rank=6),
    Action("groups", "threshold", "T", "This metric's threshold in this group", argument="NUMBER"),
    Action("groups", "try-metric", "t", "Try this metric on one case", "try", rank=5, words="test case"),
    Action("groups", "new-metric", "m", "Make a metric of your own", "new metric", argument="NAME", rank=6),
    Action("groups", "edit-metric", "e", "Edit this metric in $EDITOR", words="editor change"),
    Action(
        "groups", "delete-metric", "X", "Delete a metric of your own that no group has", argument="NAME", words="own"
    ),
    Action("groups", "allow", "A", "Allow this metric's code to run", words="trust"),
    Action("groups", "export", "x", "Export this group as TOML", argument="FILE"),
    Action("groups", "import", "i", "Import groups from TOML", argument="FILE"),
    Action("experiments", "new", "a", "New experiment", "new", rank=3),
    Action("experiments", "resume", "r", "Resume this experiment", "resume", rank=3),
    Action("experiments", "cancel", "X", "Stop the run; what is scored is kept", "stop", rank=3),
    Action("experiments", "more", "+", "More judge calls in flight", words="concurrency"),
    Action("experiments", "fewer", "-", "Fewer judge calls in flight", words="concurrency"),
    Action("experiments", "judges", "J", "Judges: add, try, check and pick one", words="model endpoint"),
    Action("experiments", "delete", "D", "Delete this experiment", words="remove"),
    Action("experiments", "undelete", "u", "Bring the last deleted experiment back"),
    Action("experiments", "copy", "c", "New experiment like this one, with changes", "copy", words="duplicate"),
    Action("experiments", "rescore", "R", "Score its stored responses anew, with another judge or metrics"),
    Action(
        "experiments", "plot", "p", "Plot a metric over the experiments", "plot", argument="METRIC", words="history"
    ),
    Action(
        "experiments",
        "differences",
        "=",
        "Compare with the marked experiment: verdicts, and what differs",
        words="difference",
    ),
    Action("experiments", "tags", "#", "Tag this experiment", argument="TAGS"),
    Action("experiments", "note", "t", "Write a note", argument="TEXT"),
    Action("experiments", "merge", "M", "Take in what shards of a run hold", words="shards"),
    Action("experiments", "refresh", "ctrl+r", "Look for experiments again"),
    Action("results", "compare", "c", "Differences to the baseline, largest regression first", "compare"),
    Action("results", "strict", "S", "Means that count errors as the worst score"),
    Action(
        "results",
        "what-if",
        "K",
        "Ranking metrics at other cuts, without running again",
        argument="CUTS",
        words="top k",
    ),
    Action("results", "slices", "%", "The figures per value of a column", argument="COLUMN", words="slice group by"),
    Action("results", "blind", "B", "Label a blind random sample: the judge's scores stay hidden", words="kappa human"),
    Action("results", "agreement", "A", "How far judge and labels agree", words="kappa threshold confusion"),
    Action(
        "results",
        "columns",
        "|",
        "Choose, order and widen the columns of the rows",
        "columns",
        rank=8,
        words="hide width arrange",
    ),
    Action("results", "export", "x", "Export: .csv the rows shown, .md .html … all", argument="FILE"),
    Action("detail", "prompt", "p", "The judge's prompt and raw reply", "prompt"),
    Action("detail", "next-claim", "}", "Next claim, and what supports it", "next claim"),
    Action("detail", "previous-claim", "{", "Previous claim"),
    Action("detail", "compare", "c", "Baseline beside candidate", "baseline"),
    Action("case", "label-retrieval", "r", "Label: retrieval fault", "m b i label", rank=3),
    Action("case", "label-model", "m", "Label: model fault (generation)"),
    Action("case", "label-bad", "b", "Label: bad label or reference"),
    Action("case", "label-ignore", "i", "Label: ignore this case"),
    Action("case", "agree", "a", "Agree with the judge on this metric"),
    Action("case", "judge-wrong", "w", "The judge is wrong on this metric"),
    Action("case", "own-score", "v", "Your own score on this metric", argument="SCORE", words="number digit"),
    Action("case", "note", "t", "Write a note", argument="TEXT"),
    Action("case", "undo", "u", "Undo the last label", "undo"),
    Action("case", "next-failing", "],)", "Next failing case", "next failing"),
    Action("case", "previous-failing", "[,(", "Previous failing case"),
    Action("case", "next-unlabelled", ".", "Next case without a label"),
    Action(
        "case",
        "send",
        "d",
        "Send the marked rows, or this one, to a dataset",
        "send",
        argument="FILE",
        words="dataset regression set copy",
    ),
    Action("case", "copy", "y", "Copy a part of this case"),
    Action("case", "editor", "e", "Open this case in $EDITOR"),
    Action("case", "pager", "o", "Open this case in the pager"),
    Action("form", "down", "j,down", "Next field"),
    Action("form", "up", "k,up", "Field above"),
    Action("form", "next-choice", "l,right,space", "Next choice", "change", rank=4),
    Action("form", "previous-choice", "h,left", "Choice before"),
    Action("form", "choose", "enter", "Choose from all, or type", "choose", rank=3),
    Action("form", "clear", "backspace,delete", "Back to what was proposed"),
    Action("fixing", "write", "w", "Write the fixed copy beside the original", "write beside", rank=2),
    Action("fixing", "in-place", "i", "Fix the file itself; what it was is kept as .orig", "in place", rank=3),
    Action("fixing", "unsafe", "U", "With, or without, fixes that may change a meaning", "unsafe", rank=4),
    Action("matching", "files", "o", "Choose the folder (or listing) of the files", "files", argument="PATH", rank=3),
    Action("matching", "reject", "x", "None of the candidates is it", "reject", rank=4),
    Action("matching", "clear", "c", "Forget what was picked for this label", rank=6),
    Action("matching", "best", "b", "Pick the best candidate of every label that has one", "best", rank=4),
    Action("matching", "rematch", "r", "Forget all picks and match again"),
    Action("matching", "write", "w", "Write the files' names into a copy beside the original", "write", rank=3),
    Action("matching", "in-place", "i", "Write the files' names into the file itself; .orig is kept"),
    Action(
        "mapping",
        "load",
        "o",
        "Take in a mapping file: TOML, an SDK's evaluator_config, Foundry's criteria",
        "take in",
        argument="FILE",
        rank=3,
        words="import azure",
    ),
    Action(
        "mapping",
        "save",
        "ctrl+r,f5,S",
        "Keep the mapping in ragtui.toml: experiments with this dataset take it",
        "save",
        rank=2,
    ),
    Action("judges", "add", "a", "Add a judge to ragtui.toml", "add", argument="NAME SPEC", rank=3),
    Action("judges", "probe", "p", "Ask it one tiny question: does it work, what does it take?", "probe", rank=3),
    Action("judges", "check", "c", "Try it on gold claims, by both strategies", "check", rank=3, words="gold accuracy"),
    Action("judges", "pick", "u", "Use this judge for new experiments", "use", rank=2, words="default"),
    Action("judges", "strategy", "t", "Ask it by rubric, by claims, or as its check found", argument="STRATEGY"),
    Action("judges", "stop", "X", "Stop the check"),
    Action("judges", "remove", "D", "Take this judge out of ragtui.toml", words="delete"),
    Action("columns", "down", "j,down", "Down"),
    Action("columns", "up", "k,up", "Up"),
    Action("columns", "top", "g,home", "First column"),
    Action("columns", "bottom", "G,end", "Last column"),
    Action("columns", "toggle", "space", "Show this column, or hide it", "show, hide", rank=2),
    Action("columns", "move-down", "J,ctrl+down", "Move this column to the right", "K move", rank=3),
    Action("columns", "move-up", "K,ctrl+up", "Move this column to the left"),
    Action("columns", "wider", "+,l,right", "Make this column wider", "- width", rank=4),
    Action("columns", "narrower", "-,h,left", "Make this column narrower"),
    Action("columns", "automatic", "0", "As wide as it needs to be", "auto", rank=5),
    Action("columns", "natural", "backspace,delete", "All columns as they were before anyone arranged them"),
    Action("arranging", "keep", "enter,ctrl+r,f5,S", "Keep the columns so, for this workspace", "keep", rank=1),
    Action("blind", "own-score", "v", "Any score, typed", "other score", argument="SCORE", rank=4),
    Action("blind", "skip", ".", "This case later", "later", rank=3),
    Action("blind", "undo", "u", "Take the last score back", "undo", rank=3),
    Action("launch", "start", "ctrl+r,f5,S", "Start the experiment", "start", rank=2),
)

BY_ID: Final = {action.id: action for action in ACTIONS}

_SHOWN: Final = {
    "escape": "esc", "enter": "⏎", "down": "↓", "up": "↑", "left": "←", "right": "→", "pagedown": "page down",
    "pageup": "page up", "shift+tab": "shift-tab",
}  # fmt: skip


def in_scope(*scopes: str) -> list[Action]:
    """The actions of these scopes, nearest scope first."""
    return [action for scope in scopes for action in ACTIONS if action.scope == scope]


def bindings(*scopes: str) -> list[Binding]:
    """The scopes' key bindings, each of which calls ``action_perform`` with the action's name."""
    return [
        Binding(action.keys, f"perform('{action.name}')", action.title, show=False, id=action.id)
        for action in in_scope(*scopes)
        if action.keys
    ]


def shown(keys: str, first_only: bool = True) -> str:
    """Keys as people write them: ``⏎`` for enter, ``^p`` for ctrl+p."""
    each = [_SHOWN.get(key, key.replace("ctrl+", "^")) for key in keys.split(",") if key]
    return each[0] if each and first_only else " ".join(each)


def clashes(keymap: Mapping[str, str] | None = None) -> list[str]:
    """One line for every key that would mean two things at once, under the shipped keys changed by ``keymap``."""
    found: dict[str, None] = {}
    changed = [replace(action, keys=(keymap or {}).get(action.id, action.keys)) for action in ACTIONS]
    for scopes in TOGETHER:
        taken: dict[str, Action] = {}
        for action in (each for each in changed if each.scope in scopes):
            for key in filter(None, action.keys.split(",")):
                other = taken.get(key)
                if other is None or frozenset((other.scope, action.scope)) in _NEVER_TOGETHER:
                    taken.setdefault(key, action)
                else:
                    found[f'"{key}" is both {other.id} and {action.id}'] = None
    return list(found)


def read_keymap(table: Mapping[str, object]) -> tuple[dict[str, str], list[str]]:
    """The ``[keys]`` table of ``ragtui.toml``, action id to key or list of keys, and what cannot be used of it."""
    keymap: dict[str, str] = {}
    problems: list[str] = []
    for name, value in _flat(table):
        keys = ",".join(value) if isinstance(value, list) and all(isinstance(k, str) for k in value) else value
        if name not in BY_ID:
            near = get_close_matches(name, BY_ID, 1)
            problems.append(f'keys: no action "{name}"' + (f'; did you mean "{near[0]}"?' if near else ""))
        elif not isinstance(keys, str) or not keys.strip(", "):
            problems.append(f'keys: "{name}" must be a key or a list of keys')
        else:
            keymap[name] = keys
    wrong = clashes(keymap)
    return ({}, [*problems, *(f"keys: {line}" for line in wrong)]) if wrong else (keymap, problems)


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
