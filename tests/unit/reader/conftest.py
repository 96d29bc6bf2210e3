"""Workers that see modules of a test, and that no other test gets."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfrag.reader.processes.pool import POOL


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a folder from which workers import before all others."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    POOL.drop_idle()
    yield tmp_path
    POOL.drop_idle()
