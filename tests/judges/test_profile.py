"""A judge is named by a spec or a profile; whatever is wrong with it is said in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtui.judges.embedded.judge import EmbeddedJudge
from ragtui.judges.openai import OpenAIJudge
from ragtui.judges.profile import JudgeError, Profile, judge, profile, profiles
from ragtui.workspace import Workspace

BARE = Workspace(Path("/nowhere"))


def workspace(**judges: object) -> Workspace:
    return Workspace(Path("/nowhere"), {"judges": judges})


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_the_embedded_judge_needs_nothing() -> None:
    found = judge("embedded", BARE)
    assert isinstance(found, EmbeddedJudge)
    assert found.host is None


@pytest.mark.parametrize(
    ("spec", "model", "url", "host", "strategy"),
    [
        ("openai:gpt-5", "gpt-5", "https://api.openai.com/v1", "api.openai.com", "rubric"),
        (
            "openai:qwen3:4b@http://localhost:11434/v1",
            "qwen3:4b",
            "http://localhost:11434/v1",
            "localhost:11434",
            "claims",
        ),
        ("openai:org/m@v2@http://10.0.0.7:8000/v1/", "org/m@v2", "http://10.0.0.7:8000/v1", "10.0.0.7:8000", "claims"),
        ("openai:m@https://llm.example.com/v1", "m", "https://llm.example.com/v1", "llm.example.com", "claims"),
        ("openai:m@http://[::1]:8080/v1", "m", "http://[::1]:8080/v1", "[::1]:8080", "claims"),
    ],
)
def test_openai_specs(spec: str, model: str, url: str, host: str, strategy: str) -> None:
    found = profile(spec, BARE)
    assert (found.model, found.base_url, found.host, found.chosen_strategy) == (model, url, host, strategy)
    assert profile(spec, BARE, strategy="rubric").chosen_strategy == "rubric"


def test_an_azure_spec() -> None:
    found = profile("azure:my-gpt@https://x.openai.azure.com?api-version=2024-10-21", BARE)
    assert found.provider == "azure"
    assert (found.model, found.base_url, found.api_version) == ("my-gpt", "https://x.openai.azure.com", "2024-10-21")
    assert found.chosen_strategy == "rubric"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("gpt-5", "there is no judge 'gpt-5'"),
        ("embeded", "did you mean embedded"),
        ("", "there is no judge"),
        ("openai:", "names no model"),
        ("openai:@http://x:1/v1", "names no model"),
        ("openai:m@localhost:11434/v1", "http:// or https://"),
        ("openai:m@http://", "not an address"),
        ("openai:m@http://host:99999/v1", "not an address"),
        ("openai:m@https://user:hunter2@host/v1", "no user, password or query"),
        ("openai:m@https://host/v1?key=hunter2", "no user, password or query"),
        ("azure:d", "azure:DEPLOYMENT"),
        ("azure:d@https://x.openai.azure.com", "api-version"),
    ],
)
def test_a_faulty_spec_is_one_line_without_secrets(spec: str, said: str) -> None:
    with pytest.raises(JudgeError, match=said.replace("?", r"\?")) as error:
        profile(spec, BARE)
    assert "\n" not in str(error.value)
    assert "hunter2" not in str(error.value)


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(JudgeError, match="auto, rubric, claims"):
        profile("embedded", BARE, strategy="magic")


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(JudgeError, match="OPENAI_API_KEY"):
        judge("openai:gpt-5", BARE)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abc")
    found = judge("openai:gpt-5", BARE)
    assert isinstance(found, OpenAIJudge)
    assert "sk-abc" not in repr(found.profile)


def test_local_servers_need_no_key() -> None:
    for host in ("127.0.0.1:8080", "localhost:8080", "192.168.1.4:8000", "gpu-box:8000", "ollama.local"):
        assert judge(f"openai:m@http://{host}/v1", BARE).host == host
    with pytest.raises(JudgeError, match="OPENAI_API_KEY"):
        judge("openai:m@https://llm.example.com/v1", BARE)


def test_a_profile_of_the_workspace() -> None:
    table = {"model": "qwen", "base_url": "http://localhost:1/v1", "price_in": 0.1, "price_out": 1, "concurrency": 3}
    found = profile("lab", workspace(lab=table))
    assert (found.name, found.model, found.price_in, found.price_out, found.concurrency) == ("lab", "qwen", 0.1, 1, 3)
    assert found.timeout == 300, "a model on this machine gets more time"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "model is missing"),
        ("gpt", "must be a table"),
        ({"model": "m", "api_key": "sk-hunter2"}, "must not be stored; name an environment variable with key_env"),
        ({"model": "m", "modle": "x"}, "did you mean model"),
        ({"model": 7}, "model must be text in quotes"),
        ({"model": "m", "concurrency": "many"}, "concurrency must be a whole number"),
        ({"model": "m", "concurrency": 0}, "above 0"),
        ({"model": "m", "concurrency": True}, "whole number"),
        ({"model": "m", "timeout": -1}, "above 0"),
        ({"model": "m", "strategy": "best"}, "strategy must be one of"),
        ({"model": "m", "provider": "anthropic"}, "provider must be"),
        ({"model": "m", "provider": "azure"}, "azure needs base_url"),
        ({"model": "m", "base_url": "localhost:1"}, "not an address"),
        ({"model": "m", "timeout": float("nan")}, "timeout must be a number"),
        ({"model": "m", "price_in": float("inf")}, "price_in must be a number"),
        ({"model": "m", "price_out": -1}, "price_out must not be below 0"),
        ({"model": "m", "temperature": -0.5}, "temperature must not be below 0"),
    ],
)
def test_a_faulty_profile_names_file_place_and_remedy(table: object, said: str) -> None:
    with pytest.raises(JudgeError, match=said) as error:
        profile("lab", workspace(lab=table))
    assert str(error.value).startswith("ragtui.toml [judges.lab]")
    assert "hunter2" not in str(error.value)


def test_all_profiles_are_listed_the_faulty_ones_as_their_fault() -> None:
    listed = profiles(workspace(good={"model": "m"}, bad={}))
    assert [each.name if isinstance(each, Profile) else "fault" for each in listed] == ["embedded", "good", "fault"]


def test_a_named_key_variable_must_be_set_even_for_a_local_server(monkeypatch: pytest.MonkeyPatch) -> None:
    here = workspace(lab={"model": "m", "base_url": "http://localhost:1/v1", "key_env": "LAB_KEY"})
    with pytest.raises(JudgeError, match="LAB_KEY"):
        judge("lab", here)
    monkeypatch.setenv("LAB_KEY", "x")
    assert judge("lab", here).name == "lab"
