"""`SELFRAG_MODEL` alone has a local model answer: in the command, and on the server."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Ended
from tests.support.doubles.chat_server import ChatServer, numbered

Run = Callable[..., Ended]
NOTE = "A guest berth costs 31 euros per night. The crane lifts boats of up to 12 tonnes."
QUESTION = "What does a guest berth cost per night?"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "harbour.md").write_text(f"# Harbour\n\n{NOTE}\n", encoding="utf-8")
    return folder


def berth(body: dict[str, Any]) -> str:
    return " ".join(f"{text.rstrip('.')} [{number}]." for number, text in numbered(body) if "berth" in text)


def test_one_name_is_all_it_takes_and_the_deadline_is_shown(
    here: Run, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer("ollama") as server:
        server.answers["generate"] = berth
        monkeypatch.setenv("SELFRAG_MODEL", "qwen3:8b")
        monkeypatch.setenv("SELFRAG_MODEL_URL", f"{server.url}/v1")
        ended = here("ask", "--docs", str(documents), "--json", QUESTION)
    response = ended.response
    assert response["status"] == "answered", response
    assert [citation["quote"] for citation in response["citations"]] == ["A guest berth costs 31 euros per night."]
    assert f"qwen3:8b at {server.url.removeprefix('http://')} has 180 seconds" in ended.err
    assert response["usage"]["cost_usd"] == 0
    assert {usage["model"] for usage in response["usage"]["by_step"].values()} == {"qwen3:8b"}
    assert server.keys == [None] * len(server.keys), "a server without a key gets none"
    assert server.most_at_once == 1


def test_missing_local_model_is_named_below_answer(here: Run, documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer("ollama", model="llama3") as server:
        monkeypatch.setenv("SELFRAG_MODEL", "qwen3:8b")
        monkeypatch.setenv("SELFRAG_MODEL_URL", f"{server.url}/v1")
        ended = here("ask", "--docs", str(documents), "--json", QUESTION)
    assert ended.code == 1
    assert f"{server.url.removeprefix('http://')} has no qwen3:8b" in ended.err
