"""The protocol's own conformance tests against `/mcp`; those that do not need special tools pass."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.test_deployed_agents import Deployment
from tests.e2e.test_deployed_agents import deployment as deployment
from tests.e2e.test_serve import served
from tests.support.command import Command

pytestmark = [pytest.mark.long, pytest.mark.longest(60)]

PROGRAMS = Path(__file__).parents[1] / "support/conformance/node_modules/.bin"
# Scenarios of the suite that apply: the others need tools, resources and prompts of certain names, which only a server
# made for these tests has, or an option that this server does not offer (logging, completion, sampling, elicitation).
APPLICABLE = {
    "2025-11-25": {"server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"},
    "2026-07-28": {
        "tools-list",
        "resources-list",
        "sep-2164-resource-not-found",
        "dns-rebinding-protection",
        "http-header-validation",
    },
}
# API Gateway checks a request's host, and refuses plain HTTP.
OF_THE_GATEWAY = {"dns-rebinding-protection"}
# Scenarios that apply in part, with their checks that do not: three such tools, and prompts.
IN_PART = {
    "server-stateless": {
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "sep-2575-http-server-no-independent-requests-on-stream",
        "sep-2575-server-no-log-without-loglevel",
    },
    "caching": {"sep-2549-prompts-list-caching-hints"},
}


@pytest.fixture(params=["serve", "deployed"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield the URL of a server's route, and the scenarios that something else decides in front of it."""
    if not PROGRAMS.exists():
        pytest.skip("no tests/support/conformance/node_modules: make .venv/.conformance")
    if request.param == "deployed":
        deployment: Deployment = request.getfixturevalue("deployment")
        yield deployment.url, OF_THE_GATEWAY
        return
    for name in ("docs", "home"):
        (tmp_path / name).mkdir()
    (tmp_path / "docs" / "fee.md").write_text("# Fees\n\nThe fee is 5 euros.\n")
    with served(Command(tmp_path / "home"), "--docs", str(tmp_path / "docs")) as address:
        yield f"{address}/mcp", set()


@pytest.mark.parametrize("revision", APPLICABLE)
def test_applicable_conformance_tests_pass(revision: str, server: tuple[str, set[str]], tmp_path: Path) -> None:
    url, elsewhere = server
    options = ["--suite", "all", "--spec-version", revision, "--output-dir", str(tmp_path / "results")]
    subprocess.run(
        [PROGRAMS / "conformance", "server", "--url", url, *options],
        env={"PATH": f"{PROGRAMS}:/usr/bin:/bin", "HOME": str(tmp_path)},
        stdout=subprocess.DEVNULL,
    )
    checks = {
        file.parent.name.removeprefix("server-").partition("-2026-")[0]: {
            check["id"]: check["status"] for check in json.loads(file.read_text())
        }
        for file in (tmp_path / "results").glob("*/checks.json")
    }
    for scenario in APPLICABLE[revision] - elsewhere:
        assert set(checks[scenario].values()) <= {"SUCCESS", "INFO"}, (scenario, checks[scenario])
        assert "SUCCESS" in checks[scenario].values(), scenario
    for scenario in IN_PART.keys() & checks.keys():
        failures = {name for name, status in checks[scenario].items() if status == "FAILURE"}
        assert failures == IN_PART[scenario], scenario
        assert "SUCCESS" in checks[scenario].values(), scenario
