"""The deployment that the tests of it share."""

from collections.abc import Iterator

import pytest

from tests.support.infra.deployment import Deployment, deployed


@pytest.fixture(scope="session")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with deployed(tmp_path_factory.mktemp("deployment")) as made:
        yield made
