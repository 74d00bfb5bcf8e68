"""Result files of other tools: Azure's rows of inputs and outputs, and tables that hold nothing but ids and scores."""

from __future__ import annotations

import re
from typing import Final

from ragtui.datasets.case_ids import identify, own_id_column
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.findings import Level, Report
from ragtui.datasets.formats import ReadOptions, Sniff, Source
from ragtui.datasets.near_names import plain_name
from ragtui.datasets.record_reading import columns_of, records_of

_ROLES: Final = {
    "query": Role.INPUT,
    "conversation": Role.INPUT,
    "response": Role.RESPONSE,
    "context": Role.CONTEXT,
    "ground_truth": Role.EXPECTED,
}
_SCORE: Final = re.compile(
    r"(.*_)?(score|status|passed|faithfulness|relevanc[ey]|groundedness|coherence|fluency|similarity|hallucination|"
    r"correctness|completeness|alignment|accuracy|precision|recall|f1|bleu|gleu|meteor|rouge\w*|chrf|ndcg\w*|mrr\w*|"
    r"map\w*|hit\w*|exact_match|bias|toxicity)"
)


class Results:
    """The format of what evaluations leave behind. It is compared and shown, not run."""

    id = "results"
    title = "results of an evaluation"
    platforms: tuple[str, ...] = ()

    def sniff(self, source: Source) -> Sniff | None:
        if source.is_folder:
            return None
        table = reading_of(source).table
        if table is None:
            return None
        outputs = [name for name in table.names if name.startswith("outputs.")]
        if outputs and any(name.startswith("inputs.") for name in table.names):
            return Sniff(70, f"columns of inputs and outputs: {', '.join(outputs[:3])}")
        scores = [name for name in table.names if _SCORE.fullmatch(plain_name(table.header_of(name)))]
        if not scores or own_id_column(table) is None:
            return None
        return Sniff(10, f"ids and scores, and no question: {', '.join(scores[:3])}")

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]:
        mine = Report(report.file, admit=_as_in_results)
        mine.watch = report.watch
        table = records_of(source, mine, options)
        report.merge(mine)
        if table is None:
            return []
        own = own_id_column(table)
        roles = {own: Role.ID} if own else {}
        roles |= _roles(table)
        asked = [name for name, role in roles.items() if role is Role.INPUT]
        frame, findings = identify(
            table, asked or [name for name in table.names if name != own], next(iter(asked), None), own
        )
        report.extend(findings)
        return [
            Dataset(
                name=source.sheet or source.path.stem, path=source.shown, location=source.path, format=self.id, why=sniff.why,
                shape=Shape.CASES, cases=frame, columns=columns_of(table, roles),
                fields={name.removeprefix("inputs."): name for name in _roles(table)}, encoding=table.encoding or None,
                delimiter=table.delimiter, header_line=table.header_line or None, counts={"records": table.height},
            )
        ]  # fmt: skip


FORMAT: Final = Results()


def _roles(table: Table) -> dict[str, Role]:
    return {f"inputs.{name}": role for name, role in _ROLES.items() if f"inputs.{name}" in table.names}


def _as_in_results(code: str, level: Level) -> Level:
    """A score that is no number is a state of that score; it spoils nothing else, as it would in data to be judged."""
    return Level.WARNING if code == "JSON005" else level
