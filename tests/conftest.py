"""Every test runs without the user's configuration; nothing of it may reach a test."""

import ctypes
import gc
import os
import platform
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import botocore.httpsession
import botocore.loaders
import httpx2._transports.default
import pytest
from _pytest.mark.expression import Expression
from hypothesis import settings

from selfrag import bootstrap

os.environ.update(
    POWERTOOLS_LOG_LEVEL="CRITICAL",
    POWERTOOLS_METRICS_DISABLED="true",
    AWS_DEFAULT_REGION="us-east-1",
    AWS_EC2_METADATA_DISABLED="true",
)
TOOLS = {
    "SELFRAG_CHECKOV",
    "SELFRAG_EMULATOR_PYTHON",
    "SELFRAG_PICTURES",
    "SELFRAG_TEST_ENGINE",
    "SELFRAG_TEST_KILLS",
    "SELFRAG_TEST_OPENSEARCH",
    "SELFRAG_TEST_QUESTIONS",
    "SELFRAG_TEST_SQUAD",
}
for name in [n for n in os.environ if n.startswith(("SELFRAG_", "ANTHROPIC_", "TAVILY_")) and n not in TOOLS]:
    del os.environ[name]

# glibc returns freed memory only on request; other libraries have no such call.
LIBC = ctypes.CDLL("libc.so.6") if platform.libc_ver()[0] == "glibc" else None

# Fewer examples than hypothesis' own 100, without its limit of time: the whole suite runs in minutes on two cores.
settings.register_profile("suite", max_examples=40, deadline=None)
settings.load_profile("suite")

# Each client would read the certificates anew, 28 ms of processor, and the tests' own servers do without TLS.
httpx2._transports.default.create_ssl_context = cache(httpx2.create_ssl_context)
botocore.httpsession.create_urllib3_context = cache(botocore.httpsession.create_urllib3_context)

# moto makes a new session for each stack, which would read the same megabytes of service models again: a second each.
botocore.loaders.create_loader = cache(botocore.loaders.create_loader)


@pytest.fixture(autouse=True)
def nothing_is_left_of_the_test_before() -> None:
    """A part that an earlier test's settings made is not found by the next one."""
    bootstrap.forget()


@pytest.fixture(autouse=True, scope="module")
def what_a_module_leaves_is_collected() -> Iterator[None]:
    """Servers and stacks that have ended refer to themselves: without this a worker grows by 300 MB."""
    yield
    gc.collect()
    if LIBC:
        LIBC.malloc_trim(0)


def pytest_collection_finish() -> None:
    """Exclude the loaded modules' objects from garbage collection."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A file is called by its argument: its bytes say when it was packed, and no two processes would agree."""
    return argname if isinstance(val, bytes) else None


# The markers that Makefile selects by, each with the folders and files of its tests. `laptop` has the tests that no
# step of the question affects: documents and their ingestion, the page, evaluation, other commands.
MARKERS = {
    "infra": ("infra",),
    "laptop": (
        "contract",
        "e2e/page", "e2e/test_agents", "e2e/test_chat", "e2e/test_deployed_agents", "e2e/test_documents",
        "e2e/test_eval", "e2e/test_hostile_terminal", "e2e/test_page", "e2e/test_replay", "e2e/test_sample_vectors",
        "e2e/test_samples",
        "e2e/test_sites", "e2e/test_spans", "e2e/test_streaming", "e2e/test_uploads", "e2e/test_wheel",
        "unit/api/test_removing", "unit/cli/doctor", "unit/cli/lab", "unit/cli/local_index", "unit/cli/recognition",
        "unit/cli/sources", "unit/cli/stand_in", "unit/cli/test_models", "unit/reader", "unit/test_growth",
        "workflow/test_ingestion", "workflow/test_intake", "workflow/test_interruptions", "workflow/test_queue_table",
        "workflow/test_recognition", "workflow/test_reindex", "workflow/test_restore", "workflow/test_roles",
    ),
    "deployed": tuple(
        f"unit/{name}" for name in (
            "adapters", "api", "bootstrap", "domain", "ingestion", "judging", "question", "reader", "runtime", "text",
        )
    ),
}  # fmt: skip


def markers_of(path: Path) -> set[str]:
    """Return the markers of a file or folder, by its place."""
    place = path.relative_to(Path(__file__).parent).as_posix()
    return {marker for marker, places in MARKERS.items() if place.startswith(places)}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file whose tests `-m` leaves out, whether they are long or not."""
    if not config.option.markexpr or not collection_path.name.startswith("test_"):
        return None
    known, chosen = markers_of(collection_path), Expression.compile(config.option.markexpr)
    return not any(chosen.evaluate(markers.__contains__) for markers in (known, known | {"long"})) or None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test by its folder or file, and in no other way: other files are not even imported."""
    if own := {mark.name for mark in item.iter_markers()} & MARKERS.keys():
        raise pytest.UsageError(f"{item.nodeid}: name its file in tests/conftest.py in place of the marks {own}")
    for marker in markers_of(item.path):
        item.add_marker(marker)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest: xdist gives each worker an equal part of those chosen, in their order."""
    seconds = {item: mark.args[0] for item in items if (mark := item.get_closest_marker("longest"))}
    others = [item for item in items if item not in seconds]
    workers = range(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    first: list[list[pytest.Item]] = [[] for _ in workers]
    for item in sorted(seconds, key=lambda item: -seconds[item]):
        min(first, key=lambda chosen: sum(seconds[one] for one in chosen)).append(item)
    parts = [others[len(others) * n // len(workers) : len(others) * (n + 1) // len(workers)] for n in workers]
    items[:] = [item for n in workers for item in (*first[n], *parts[n])]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what tests measured; a worker's own output would not be seen."""
    for report in terminalreporter.stats.get("passed", []):
        for name, text in report.user_properties:
            if name == "figures":
                terminalreporter.write_line(text)
