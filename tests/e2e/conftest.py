"""A home for a command: an empty one, or one that has read the handbook already."""

import shutil
from pathlib import Path

import pytest

from tests.support.command import HANDBOOK, Command


@pytest.fixture
def fresh(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.fixture(scope="session")
def handbook_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("handbook")
    ended = Command(home)("ingest", str(HANDBOOK))
    assert ended.code == 0, ended.err
    return home


@pytest.fixture
def read(tmp_path: Path, handbook_home: Path) -> Command:
    """A command whose home knows the handbook, and which no other test uses."""
    shutil.copytree(handbook_home, tmp_path, dirs_exist_ok=True)
    return Command(tmp_path)
