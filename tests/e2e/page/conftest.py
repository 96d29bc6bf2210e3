"""A tab of a browser for each test of the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.page.browsing import Tab, browsing


@pytest.fixture
def tab(tmp_path: Path) -> Iterator[Tab]:
    with browsing(tmp_path / "browser") as opened:
        yield opened
