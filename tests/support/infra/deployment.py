"""One deployment at one emulator for all tests of it: made once in a run, used by one test after another.

The tests stand in tests/infra/test_apply.py, in the order in which they run, and share a worker.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.support.doubles.opensearch_double import OpenSearchDouble
from tests.support.doubles.stand_in import MessagesServer
from tests.support.doubles.titan_double import TitanDouble
from tests.support.infra.asking import backends, object_in, set_keys
from tests.support.infra.doctor import examined_before
from tests.support.infra.emulator import Stack, emulator
from tests.support.infra.page import origin_of_the_page
from tests.support.infra.rules import OPTIONS
from tests.support.infra.sources import packages_of, patient, sources

FEW_REQUESTS = {"key_throttle": {"rate": 5, "burst": 10}}
ORIGIN = "https://app.example.com"


@dataclass
class Deployment:
    """The stack and its services."""

    stack: Stack
    model: MessagesServer
    collection: OpenSearchDouble
    titan: TitanDouble
    # A copy of the sources, of which the packages are made.
    sources: Path
    # The doctor's output before the deployment.
    examined: tuple[int, str]


@contextmanager
def deployed(directory: Path, **more: Any) -> Iterator[Deployment]:
    """Yield a deployment with `more` variables, whose steps say in their warnings of which release they are."""
    copied = sources(directory / "sources")
    packages = packages_of(copied, directory / "packages")
    with (
        backends() as (variables, model, collection, titan, textract),
        emulator(directory) as aws,
    ):
        chosen = {
            **OPTIONS,
            "cors_origins": [ORIGIN],
            "upload_origins": [aws, origin_of_the_page(aws)],
            **more,
        }
        stack = Stack(aws, directory / "stack", packages, {**variables, **FEW_REQUESTS, **chosen})
        patient(stack.directory)
        examined = examined_before(stack, titan)
        stack.apply()
        textract.read = partial(object_in, stack)
        set_keys(stack)
        yield Deployment(stack, model, collection, titan, copied, examined)
