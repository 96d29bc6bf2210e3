"""The deployment that the tests of it share, and the plans that need none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.infra.deployment import Deployment, deployed
from tests.support.infra.planned import Planner, prepared
from tests.support.infra.tools import running_provider


@pytest.fixture(scope="session")
def infra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with the configuration that plans are made in; the provider runs once for all of them."""
    directory = prepared(tmp_path_factory.mktemp("terraform"))
    with running_provider(directory):
        yield directory


@pytest.fixture(scope="session")
def planned(infra: Path) -> Planner:
    return Planner(infra)


@pytest.fixture(scope="session")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with deployed(tmp_path_factory.mktemp("deployment")) as made:
        yield made
