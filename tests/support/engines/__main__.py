"""Tests against the real engines: `make test-engines`.

Without Java or Maven they are skipped with the reason; with CI=1 that is a failure.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence

from tests.support.engines.programs import ROOT, dynamodb, missing, opensearch

# Each port that a table is behind, and what goes through the state machines.
OF_TABLES = [
    "tests/unit/selfrag/test_verdict_cache.py",
    "tests/unit/selfrag/claude/test_recent_calls.py",
    "tests/unit/ask/test_callers.py",
    "tests/unit/cli/feedback/test_reading.py",
    "tests/workflow/test_ingestion.py",
    "tests/workflow/test_follow_ups.py",
    "tests/e2e/test_api.py",
    "tests/e2e/test_documents.py",
    "tests/e2e/test_feedback.py",
]


def tested(arguments: Sequence[str], **environment: str) -> bool:
    """Run tests in an environment, and return whether all passed."""
    command = [sys.executable, "-m", "pytest", "-m", "not long", "-p", "no:xdist", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=False).returncode == 0


def main() -> int:
    """Run the tests against both engines, and say how long each took."""
    if why := missing():
        print(f"The real engines were not tested: {why}.", file=sys.stderr)
        return 1 if os.environ.get("CI") else 0
    passed = []
    began = time.monotonic()
    with opensearch() as url:
        print(f"OpenSearch replies after {time.monotonic() - began:.0f} s", flush=True)
        passed.append(tested(["tests/contract"], SELFRAG_TEST_OPENSEARCH=url, SELFRAG_TEST_ENGINE="lucene"))
    print(f"OpenSearch: {time.monotonic() - began:.0f} s", flush=True)
    began = time.monotonic()
    with dynamodb() as url:
        print(f"DynamoDB Local replies after {time.monotonic() - began:.0f} s", flush=True)
        plugin = ["-p", "tests.support.engines.tables"]
        passed.append(tested([*plugin, *OF_TABLES], AWS_ENDPOINT_URL_DYNAMODB=url))
    print(f"DynamoDB Local: {time.monotonic() - began:.0f} s", flush=True)
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
