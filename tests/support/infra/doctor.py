"""`selfrag doctor` against the emulator: before a deployment, and after it."""

import re
import sys
from pathlib import Path

from selfrag_cli.doctor.checks import ACCOUNT, DEPLOYED
from tests.support.doubles.titan_double import TitanDouble
from tests.support.infra.asking import api_key
from tests.support.infra.emulator import Stack
from tests.support.infra.tools import ROOT, environment, run

# ministack lacks these; AWS has them.
UNKNOWN_HERE = {"quotas", "region"}


def examined_before(stack: Stack, titan: TitanDouble) -> tuple[int, str]:
    """Run it before the deployment; return its exit code and its output."""
    return _run(stack, titan)


def the_doctor_knew_an_account_without_a_deployment(code: int, printed: str) -> None:
    """One thing blocks."""
    levels = _levels(printed)
    assert code == 1, printed
    assert levels.keys() == ACCOUNT.keys()
    # This account has no role by which API Gateway writes logs, and the emulator needs none.
    assert {name for name, found in levels.items() if "blocks" in found} == {"api-logs"}
    assert {name for name, found in levels.items() if "unknown" in found} == UNKNOWN_HERE


def the_doctor_finds_the_deployment_well(stack: Stack, titan: TitanDouble) -> None:
    """Run it after the deployment: nothing blocks, and no key is printed."""
    code, printed = _run(stack, titan, "--deployed", "--endpoint", stack.url(""))
    levels = _levels(printed)
    assert code == 0, printed
    assert levels.keys() == DEPLOYED.keys()
    # A question may be slow here.
    levels.pop("question")
    assert set().union(*levels.values()) == {"fine"}, printed
    assert api_key(stack) not in printed


def _run(stack: Stack, titan: TitanDouble, *options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "selfrag_cli.main", "doctor", "--infra", str(stack.directory), *options]
    here = {"PYTHONPATH": f"{ROOT / 'functions'}:{ROOT / 'cli'}", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": titan.url}
    done = run(command, Path(ROOT), environment(stack.directory, **_reaching(stack), **here), check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def _reaching(stack: Stack) -> dict[str, str]:
    """Return how a process reaches the emulator as it would an account."""
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    return {"AWS_ENDPOINT_URL": stack.aws, "AWS_REGION": "us-east-1", **keys}


def _levels(printed: str) -> dict[str, set[str]]:
    """Return the levels of each check's findings."""
    found: dict[str, set[str]] = {}
    for level, name in re.findall(r"^(\w+) +([a-z-]+): ", printed, re.M):
        found.setdefault(name, set()).add(level)
    return found
