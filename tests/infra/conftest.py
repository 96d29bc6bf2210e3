"""The longest tests begin first: xdist gives each worker an equal part of the list, from its beginning to its end."""

import os

import pytest

LONGEST = (
    "test_the_deployment_is_made_found_unchanged_and_removed",
    "test_nothing_fails_and_nothing_is_mixed_while_a_release_comes_and_goes",
    "test_a_file_of_each_kind_is_read_asked_about_and_cited",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    longest = [item for name in LONGEST for item in items if item.name == name]
    others = [item for item in items if item not in longest]
    parts = [others[len(others) * n // workers : len(others) * (n + 1) // workers] for n in range(workers)]
    items[:] = [item for n, part in enumerate(parts) for item in (*longest[n::workers], *part)]
