"""Headers that are nearly right are understood; what was named on purpose is left alone."""

import pytest

from ragtui.datasets.near_names import intended


@pytest.mark.parametrize(
    ("header", "wanted"),
    [("Response ", "response"), ("QUERY", "query"), ("ground truth", "ground_truth"), ("respnse", "response")],
)
def test_a_misspelt_header_is_read_as_what_was_meant(header: str, wanted: str) -> None:
    assert intended([header], [header], [wanted]) == {wanted: header}


@pytest.mark.parametrize(
    "header", ["response_v1", "response_v2", "response2", "Response 2", "response_b", "response-v10"]
)
def test_one_of_several_versions_is_no_misspelling(header: str) -> None:
    assert intended([header, "query"], [header, "query"], ["query", "response"]) == {"query": "query"}
