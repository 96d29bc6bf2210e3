"""Tests against the real engines: `make test-engines`.

Without Java or Maven they are skipped with the reason; with CI=1 that is a failure.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial

from tests.support.engines.programs import ROOT, dynamodb, fetch, missing, opensearch

# Tests against DynamoDB, in two halves: each port with a table, and the workflows.
OF_TABLES = (
    ["tests/e2e/test_api.py", "tests/e2e/test_feedback.py"],
    [
        "tests/unit/judging/test_verdict_cache.py",
        "tests/unit/adapters/claude/test_recent_calls.py",
        "tests/unit/adapters/test_spending.py",
        "tests/unit/api/test_callers.py",
        "tests/workflow/test_ingestion.py",
        "tests/workflow/test_queue_table.py",
        "tests/workflow/test_follow_ups.py",
        "tests/e2e/test_documents.py",
    ],
)


def tested(
    engine: Callable[[], AbstractContextManager[str]], variable: str, arguments: Sequence[str], **environment: str
) -> bool:
    """Run tests with a separate engine, whose address is in a variable; returns whether all passed."""
    began = time.monotonic()
    with engine() as url:
        command = [sys.executable, "-m", "pytest", "-m", "not long", "-p", "no:xdist", *arguments]
        told = {**os.environ, **environment, variable: url}
        done = subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=False)
    print(f"{done.stdout}{done.stderr}{engine.__name__}: {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


def main() -> int:
    """Run the tests against both engines, two at a time, and say how long each took."""
    if why := missing():
        print(f"The real engines were not tested: {why}.", file=sys.stderr)
        return 1 if os.environ.get("CI") else 0
    fetch()  # once: two that start at a time would fetch the same
    of_tables = partial(tested, dynamodb, "AWS_ENDPOINT_URL_DYNAMODB")
    of_vectors = partial(tested, opensearch, "SELFRAG_TEST_OPENSEARCH", SELFRAG_TEST_ENGINE="lucene")
    with ThreadPoolExecutor(2) as pool:
        halves = [pool.submit(of_tables, ["-p", "tests.support.engines.tables", *half]) for half in OF_TABLES]
        return 0 if all(job.result() for job in (*halves, pool.submit(of_vectors, ["tests/contract"]))) else 1


if __name__ == "__main__":
    sys.exit(main())
