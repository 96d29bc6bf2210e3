"""`selfrag doctor` as a person runs it: its output and exit code."""

import base64
import json
import os
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from selfrag_cli.commands.deployment import show_end, show_finding
from selfrag_cli.deployment.terraform import Choices
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.checks import ACCOUNT
from selfrag_cli.doctor.findings import examine
from tests.e2e.conftest import Run
from tests.support.doubles.aws_account import AwsAccount, limit_of_lambda, titan_quotas


@pytest.fixture
def terraform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terraform in an initialised folder without a deployment, whose variables have their defaults."""
    values = base64.b64encode(Choices().model_dump_json().encode()).decode()
    program = tmp_path / "bin" / "terraform"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\ncase "$2" in console) echo \'"{values}"\';; output) echo {{}};; *) exit 1;; esac\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


@pytest.fixture
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run with an empty home and without credentials, also those of a machine on AWS."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")


def test_without_credentials_it_says_so_and_what_to_do(
    here: Run, terraform: None, nobody: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    ended = here("doctor", "--free")
    assert (ended.code, ended.err) == (1, "")
    assert "blocks   identity: There are no credentials" in ended.out
    assert "→ Run `aws configure`" in ended.out
    assert "1 finding blocks." in ended.out


def test_without_a_region_it_says_so_and_what_to_do(here: Run, terraform: None, nobody: None) -> None:
    ended = here("doctor", "--json")
    assert ended.code == 1
    [finding] = json.loads(ended.out)
    assert finding["says"] == "No region is chosen."
    assert "terraform.tfvars" in finding["do"]


def test_without_a_deployment_there_is_none_to_look_at(here: Run, terraform: None, nobody: None) -> None:
    ended = here("doctor", "--deployed")
    assert ended.code == 2
    assert "shows no deployment" in ended.err
    assert "make deploy" in ended.err


def test_outside_a_checkout_the_doctor_says_where_it_runs(here: Run, tmp_path: Path) -> None:
    ended = here("doctor", "--infra", str(tmp_path / "infra"))
    assert ended.code == 2
    assert "run it in a checkout of selfrag" in ended.err


def test_without_terraform_the_doctor_says_so(here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    ended = here("doctor")
    assert ended.code == 2
    assert "terraform is not installed" in ended.err


def test_every_finding_is_a_line_and_what_to_do_the_next() -> None:
    out = Console(file=StringIO(), width=60)
    poor = AwsAccount({"lambda.GetAccountSettings": limit_of_lambda(10)}, bedrock=titan_quotas(60))
    subject = Account(poor.session(), Choices())
    show_end(out, examine(ACCOUNT, subject, lambda name, finding: show_finding(out, name, finding)))
    printed = out.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert printed[0] == "fine     identity: You are arn:aws:iam::123456789012:user/operator, in eu-central-1."
    assert printed[1].startswith("fine     permissions: You may do what a deployment needs.")
    assert printed[2] == "look     concurrency: Lambda runs 10 functions at once: 0.4 questions a second, of 26 s each."
    assert printed[3].startswith("         → Set `account_concurrency = 10`")
    assert printed[-1] == "Nothing blocks."
