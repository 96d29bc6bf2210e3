"""Each test has a home and a cache of its own, and writes its own data."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SELFRAG_BENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def squad(tmp_path: Path) -> Callable[..., Path]:
    """Write a file in SQuAD's format: articles, by title, of paragraphs with their questions."""

    def written(articles: dict[str, list[tuple[str, list[Any]]]]) -> Path:
        data = [
            {
                "title": title,
                "paragraphs": [
                    {"context": context, "qas": [q if isinstance(q, dict) else {"question": q} for q in questions]}
                    for context, questions in paragraphs
                ],
            }
            for title, paragraphs in articles.items()
        ]
        path = tmp_path / "data.json"
        path.write_text(json.dumps({"version": "1.1", "data": data}), encoding="utf-8")
        return path

    return written
