"""The date of a document in requests to writer and graders."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Ask
from tests.support.documents.files import pdf
from tests.support.doubles.model_server import ModelServer
from tests.support.fakes import FakeEmbedder

QUESTION = "How many days of remote work are allowed?"
PAGE = "<title>Remote work</title><meta name=date content=2024-02-01><p>Two days of remote work are allowed.</p>"


def fields(body: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(body["messages"][0]["content"][-1]["text"]))


def test_contradicting_passages_reach_writer_and_graders_with_dates(
    ask: Ask, embedder: FakeEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = tmp_path / "handbook"
    documents.mkdir()
    (documents / "old.html").write_text(PAGE)
    (documents / "new.md").write_text(
        "---\ndate: 2026-02-01\n---\n# Remote work\n\nThree days of remote work are allowed."
    )
    information = "/CreationDate (D:20250201093000Z)"
    (documents / "between.pdf").write_bytes(pdf("Four days of remote work are allowed.", information=information))
    (documents / "undated.md").write_text("# Remote work\n\nFive days of remote work are allowed.")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-nobody")
    with ModelServer() as model:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        response = ask(QUESTION, documents)
    assert response["status"] == "answered", response
    dates = {"old.html": "2024-02-01", "new.md": "2026-02-01", "between.pdf": "2025-02-01"}

    graded = [fields(body)["passage"] for body in model.asked("grade_relevance")]
    checked = fields(model.asked("grade_support")[-1])["passages"]
    for passages in (graded, checked):
        assert {passage["document"]: passage.get("date") for passage in passages} == {**dates, "undated.md": None}
    assert all("2026-02-01" not in passage["text"] for passage in (*graded, *checked))

    sources = [block for block in model.asked("generate")[-1]["messages"][0]["content"] if "source" in block]
    assert {source["source"]: source["title"] for source in sources} == {
        "old.html": "Remote work, 2024-02-01",
        "new.md": "Remote work, 2026-02-01",
        "between.pdf": "between.pdf, 2025-02-01",
        "undated.md": "Remote work",
    }
