"""Each test has its own home and directory of documents."""

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write documents, given by path, and return their directory."""

    def written(documents: dict[str, str | bytes], directory: str = "documents") -> Path:
        for path, content in documents.items():
            file = tmp_path / directory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / directory

    return written
