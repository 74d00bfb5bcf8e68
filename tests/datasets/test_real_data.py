"""Public datasets of other people open with the right format and without a false error.

They are not part of the project: ``RAGTUI_REAL_DATA`` names the folder they lie in.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragtui.datasets.check import open_datasets
from ragtui.datasets.findings import Level

FOLDER = os.environ.get("RAGTUI_REAL_DATA")
pytestmark = pytest.mark.skipif(not FOLDER, reason="RAGTUI_REAL_DATA is not set")

EXPECTED = {
    "azure-contoso/data.jsonl": ("table", 12),
    "azure-rag-chat/eval_results.jsonl": ("table", 200),
    "azure-rag-chat/qa.jsonl": ("table", 201),
    "azure-rag-chat/qa_dontknows.jsonl": ("table", 45),
    "deepset-derived/tiny_as_deepset.csv": ("deepset-qa", 2),
    "evalscope-ragas/ragas_mini_testset.json": ("ragas", 3),
    "evalscope-retrieval": ("beir", 10),
    "haystack-results/comparative_scores.csv": ("haystack", 107),
    "haystack-results/detailed_all-MiniLM-L6-v2__top_k-2__chunk_size-64.csv": ("haystack", 107),
    "ragas-hf-docs/hf_doc_qa_eval.csv": ("table", 66),
    "trec_eval/qrels.test": ("trec", 0),
    "trec_eval/qrels.rel_level": ("trec", 0),
    "trec_eval/results.test": ("trec", 0),
    "trec_eval/results.trunc": ("trec", 0),
    "vaswani-trec": ("trec", 93),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_it_opens_with_its_format_and_no_false_error(name: str) -> None:
    opened = open_datasets([str(Path(FOLDER or "", name))])
    format, rows = EXPECTED[name]
    assert (opened.datasets[0].format, opened.datasets[0].rows) == (format, rows)
    assert [each for each in opened.findings() if each.level is Level.ERROR] == []


def test_the_whole_folder_opens_without_an_error() -> None:
    assert open_datasets([str(FOLDER)]).total(Level.ERROR) == 0


def test_the_documents_of_a_trec_collection_are_all_there() -> None:
    dataset = open_datasets([str(Path(FOLDER or "", "vaswani-trec"))]).datasets[0]
    assert dataset.counts["documents"] == 11429
    assert dataset.counts["unknown_documents"] == dataset.counts["unknown_queries"] == 0
