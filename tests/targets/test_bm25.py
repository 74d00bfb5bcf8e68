"""BM25 over the dataset's own corpus: right documents first, in any language, the same every time."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import polars as pl
import pytest

from ragtui.targets.bm25 import DEPTH, K1, B, Bm25, terms
from ragtui.targets.target import Case, TargetError

from .making import beir, opened

CORPUS = {
    "en1": "The token expires after ten minutes.",
    "en2": "A printer on the third floor prints in colour.",
    "en3": "Reset your VPN token in the security portal; the token is new at once.",
    "de": "Der Drucker steht im dritten Stock.",
    "ja": "東京は日本の首都です。",
    "zh": "北京是中国的首都。",
    "hi": "हिन्दी भारत की भाषा है",
    "nothing": "!!!",
}


def searched(folder: Path, queries: dict[str, str], corpus: dict[str, str] = CORPUS) -> tuple[Bm25, pl.DataFrame]:
    target = opened(
        "bm25", beir(folder, corpus, queries, [(query, next(iter(corpus)), 1) for query in queries]), folder
    )
    assert isinstance(target, Bm25)
    return target, asyncio.run(target.rankings())


def order(frame: pl.DataFrame, query: str) -> list[str]:
    return frame.filter(pl.col("query_id") == query)["doc_id"].to_list()


def test_the_fitting_document_comes_first_in_any_language(tmp_path: Path) -> None:
    queries = {
        "1": "reset VPN token",
        "2": "Drucker im Stock",
        "3": "日本の首都",
        "4": "中国的首都",
        "5": "भाषा",
        "6": "xyzzy",
        "7": "?!",
    }
    target, frame = searched(tmp_path, queries)
    assert [order(frame, query)[:1] for query in queries] == [["en3"], ["de"], ["ja"], ["zh"], ["hi"], [], []]
    assert order(frame, "1")[1] == "en1"
    assert (frame["score"] > 0).all()
    assert target.replays


def test_scores_are_lucenes(tmp_path: Path) -> None:
    corpus = {"a": "red red blue", "b": "blue green", "c": "green green green green"}
    _, frame = searched(tmp_path, {"q": "red"}, corpus)
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    length = K1 * (1 - B + B * 3 / 3)
    assert frame.rows() == [("q", "a", pytest.approx(idf * 2 / (2 + length), rel=1e-5))]


def test_asked_again_it_answers_the_same(tmp_path: Path) -> None:
    queries = {"1": "token portal", "2": "首都"}
    target, frame = searched(tmp_path, queries)
    again = asyncio.run(target.rankings())
    assert again.equals(frame)

    async def respond() -> dict[str, list[str]]:
        asked = [Case("2", {"query": "首都"}), Case("1", {"query": "token portal"}), Case("3", {})]
        return {each.case_id: [doc for doc, _ in each.ranking or ()] async for each in target.respond(asked)}

    assert asyncio.run(respond()) == {"2": order(frame, "2"), "1": order(frame, "1"), "3": []}


def test_no_more_than_a_hundred_documents_a_query(tmp_path: Path) -> None:
    _, frame = searched(tmp_path, {"q": "word"}, {f"d{n:03}": f"word number {n}" for n in range(150)})
    assert frame.height == DEPTH


def test_terms_of_scripts_without_spaces_are_characters_and_pairs() -> None:
    assert terms("東京へ行く GPT-4") == ["東", "京", "へ", "行", "く", "gpt", "4", "東京", "京へ", "へ行", "行く"]
    assert terms("The café’s 3.5 km") == ["the", "café's", "3.5", "km"]


def test_what_cannot_be_searched_is_said(tmp_path: Path) -> None:
    dataset = beir(tmp_path / "a", {"d": "text"}, {"q": "text"}, [("q", "d", 1)])
    with pytest.raises(TargetError, match="takes nothing after the colon"):
        opened("bm25:porter", dataset, tmp_path)
    with pytest.raises(TargetError, match="holds no words to search"):
        searched(tmp_path / "b", {"q": "x"}, {"d": "!!!"})
