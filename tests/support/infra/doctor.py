"""`selfrag doctor` against the emulator: before a deployment, after it, and with a role that lacks a statement."""

import json
import re
import sys
from pathlib import Path

import boto3
import pytest

from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.checks import ACCOUNT, DEPLOYED
from selfrag_cli.doctor.choices import choices_in
from selfrag_cli.doctor.deployment import Deployment
from selfrag_cli.doctor.permissions import simulated
from tests.support.doubles.titan_double import TitanDouble
from tests.support.infra.asking import api_key, at
from tests.support.infra.emulator import Stack
from tests.support.infra.tools import ROOT, environment, run

# What ministack does not know; of AWS the doctor would hear it.
UNKNOWN_HERE = {"quotas", "region"}
# The role of embed_passages that no document could be ingested with.
ROLE, SID = "selfrag-embed_passages", "SeeWhichWorkIsDone"


def examined_before(stack: Stack, titan: TitanDouble) -> tuple[int, str]:
    """Run it before the deployment; return its exit code and its output."""
    return _run(stack, titan)


def the_doctor_knew_an_account_without_a_deployment(code: int, printed: str) -> None:
    """One thing blocks."""
    levels = _levels(printed)
    assert code == 1, printed
    # There is no key of yours, whose policy could be looked at.
    assert levels.keys() == {check.name for check in ACCOUNT} - {"key"}
    # This account has no role by which API Gateway writes logs, and the emulator needs none.
    assert {name for name, found in levels.items() if "blocks" in found} == {"api-logs"}
    assert {name for name, found in levels.items() if "unknown" in found} == UNKNOWN_HERE


def the_doctor_finds_the_deployment_well(stack: Stack, titan: TitanDouble) -> None:
    """Run it after the deployment: nothing blocks, and no key is printed."""
    code, printed = _run(stack, titan, "--deployed", "--endpoint", stack.url(""))
    levels = _levels(printed)
    assert code == 0, printed
    # The fine-tuned model is a server by its URL here.
    assert levels.keys() == {check.name for check in DEPLOYED}
    # A question may be slow here.
    levels.pop("question")
    assert set().union(*levels.values()) == {"fine"}, printed
    assert api_key(stack) not in printed


def the_doctor_notices_a_role_that_lacks_a_statement(stack: Stack) -> None:
    """Take a statement out of a role in the account, and put it back."""
    iam, name = boto3.client("iam", **at(stack)), {"RoleName": ROLE, "PolicyName": "step"}
    whole = iam.get_role_policy(**name)["PolicyDocument"]
    less = {**whole, "Statement": [each for each in whole["Statement"] if each["Sid"] != SID]}
    assert len(less["Statement"]) == len(whole["Statement"]) - 1
    iam.put_role_policy(**name, PolicyDocument=json.dumps(less))
    try:
        with pytest.MonkeyPatch.context() as patched:
            for variable, value in _reaching(stack).items():
                patched.setenv(variable, value)
            account = Account(boto3.Session(), choices_in(stack.directory), deployed=True)
            [found] = simulated(Deployment(account, stack.outputs()))
    finally:
        iam.put_role_policy(**name, PolicyDocument=json.dumps(whole))
    assert re.fullmatch(r"The role of embed_passages may not s3:ListBucket on arn:aws:s3:::selfrag-work-.*", found.says)


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
