"""A tab of a browser for each test of the page."""

from collections.abc import Iterator

import pytest

from tests.support.page.browsing import Tab, browsing


@pytest.fixture
def tab() -> Iterator[Tab]:
    with browsing() as opened:
        yield opened
