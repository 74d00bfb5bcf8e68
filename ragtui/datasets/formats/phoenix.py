"""Phoenix examples: input, output and metadata, each an object."""

from __future__ import annotations

from typing import Final

from ragtui.datasets.dataset import Role
from ragtui.datasets.record_format import Known, RecordFormat, Records

KNOWN: Final = (
    Known("id", Role.ID, None, ("example_id",)),
    Known("input", Role.INPUT, "query"),
    Known("output", Role.EXPECTED, "ground_truth"),
    Known("metadata"),
)


def _telling(records: Records) -> int:
    sure = {name: column for name, column in records.columns.items() if name not in records.misspelt}
    if not {"input", "output"} <= sure.keys() or not ({"metadata"} & sure.keys() or "example_id" in sure.values()):
        return 0
    kinds = [records.table.kinds.get(sure[name]) for name in ("input", "output")]
    objects = [kind is not None and bool((kind == "object").any()) for kind in kinds]
    return 75 if all(objects) else 55


FORMAT: Final = RecordFormat("phoenix", "Phoenix examples", KNOWN, _telling, ("phoenix",))
