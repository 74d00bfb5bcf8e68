"""The texts of an experiment in the store, a row a case: asked, expected and answered, and the reasons given.

They are read a part at a time, so that what is in memory beside the frames does not grow with the experiment.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
import polars as pl

from ragtui.experiments.plan import Side
from ragtui.experiments.store import marks
from ragtui.text import storable

if TYPE_CHECKING:
    from ragtui.experiments.stored_results import StoredResults

_TEXTS: Final = (
    "SELECT case_id, inputs, expected, text, contexts FROM cases LEFT JOIN responses ON "
    "responses.experiment = cases.experiment AND responses.position = cases.position AND side = ? "
    "WHERE cases.experiment = ? AND cases.position IN ({marks}) ORDER BY cases.position"
)
_REASONS: Final = (
    "SELECT position, metric, reason FROM scores "
    "WHERE experiment = ? AND side = ? AND repeat = 1 AND reason != '' AND metric IN ({metrics}) AND position IN ({marks})"
)
_AT_ONCE: Final = 2_000


def columns(results: StoredResults) -> dict[str, tuple[str, str]]:
    """The columns of ``texts`` in their order: what is stored (``inputs`` or ``expected``) and its key there, in the order
    in which the keys first appear."""
    keys: dict[str, dict[str, None]] = {"inputs": {}, "expected": {}}
    for part in results.cases["position"].to_frame().iter_slices(_AT_ONCE):
        positions = part["position"].to_list()
        sql = f"SELECT inputs, expected FROM cases WHERE experiment = ? AND position IN ({marks(positions)}) ORDER BY position"
        for row in results.store.query(sql, results.number, *positions):
            for stored, known in keys.items():
                known |= dict.fromkeys(_decoded(row[stored]))
    taken = {"case_id", "response", "contexts"}
    found: dict[str, tuple[str, str]] = {}
    for stored, prefix in (("inputs", ""), ("expected", "expected ")):
        for key in keys[stored]:
            name = prefix + key
            found[name if name not in taken | found.keys() else f"input {key}"] = (stored, key)
    return found


def texts(results: StoredResults, side: Side, case_ids: Sequence[str] | None = None) -> pl.DataFrame:
    """``case_id``, each input by its name, ``expected NAME``, ``response``, ``contexts`` (a JSON list); of ``case_ids``
    or of all cases, in the dataset's order and always with the same columns."""
    named = results.text_columns
    answered = [
        name for name, stored in (("response", "text"), ("contexts", "contexts")) if _any(results, side, stored)
    ]
    schema = dict.fromkeys(("case_id", *named, *answered), pl.String)
    frames = [pl.DataFrame(schema=schema)]
    for positions in _parts(results, case_ids):
        sql = _TEXTS.format(marks=marks(positions))
        rows = results.store.query(sql, side, results.number, *positions)
        read = {stored: [_decoded(row[stored]) for row in rows] for stored in ("inputs", "expected")}
        found: dict[str, list[str | None]] = {"case_id": [row["case_id"] for row in rows]}
        found |= {name: [_as_text(row.get(key)) for row in read[stored]] for name, (stored, key) in named.items()}
        found |= {name: [row["text" if name == "response" else name] for row in rows] for name in answered}
        frames.append(pl.DataFrame(found, schema=schema))
    return pl.concat(frames)


def reasons(results: StoredResults, side: Side, case_ids: Sequence[str] | None = None) -> pl.DataFrame:
    """``case_id`` and per metric ``NAME reason``; of ``case_ids`` or of all cases, in the dataset's order."""
    schema = dict.fromkeys(("case_id", *(f"{each} reason" for each in results.metrics)), pl.String)
    frames = [pl.DataFrame(schema=schema)]
    names = results.cases
    for positions in _parts(results, case_ids):
        told: dict[str, dict[int, str]] = {each: {} for each in results.metrics}
        sql = _REASONS.format(metrics=marks(results.metrics), marks=marks(positions))
        for row in results.store.query(sql, results.number, side, *results.metrics, *positions):
            told[row["metric"]][row["position"]] = row["reason"]
        for metric, frame in results.frames(side):
            given = frame.filter(pl.col("position").is_in(positions), pl.col("reason") != "")
            told[metric] = dict(given.select("position", "reason").iter_rows())
        ids = names.filter(pl.col("position").is_in(positions))["case_id"]
        read = {f"{metric} reason": [known.get(at) for at in positions] for metric, known in told.items()}
        frames.append(pl.DataFrame({"case_id": ids, **read}, schema=schema))
    return pl.concat(frames)


def _parts(results: StoredResults, case_ids: Sequence[str] | None) -> Iterator[list[int]]:
    """The positions of the cases that are wanted, in order."""
    wanted = results.cases if case_ids is None else results.cases.filter(pl.col("case_id").is_in(list(case_ids)))
    for part in wanted.select("position").iter_slices(_AT_ONCE):
        yield part["position"].to_list()


def _any(results: StoredResults, side: Side, stored: str) -> bool:
    sql = f"SELECT 1 FROM responses WHERE experiment = ? AND side = ? AND {stored} IS NOT NULL LIMIT 1"
    return bool(results.store.query(sql, results.number, side))


def _decoded(text: str) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(text)  # type: ignore[no-any-return]
    except msgspec.DecodeError:  # half a surrogate pair, which Python's own reader takes
        read: dict[str, Any] = json.loads(text)
        return {storable(key): storable(value) if isinstance(value, str) else value for key, value in read.items()}


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    return json.dumps(value, ensure_ascii=False)
