"""`selfrag doctor` as a person runs it: what it prints, and how it ends."""

import json
import os
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from selfrag_cli.commands.deployment import show_end, show_finding
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.checks import ACCOUNT
from selfrag_cli.doctor.choices import Choices
from selfrag_cli.doctor.findings import examine
from tests.e2e.conftest import Run
from tests.support.doubles.aws_account import AwsAccount, limit_of_lambda, titan_quotas


@pytest.fixture
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without a login, whose home is empty; a machine of AWS would have credentials of its own."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def somewhere(nobody: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-central-1")


def test_without_credentials_it_says_so_and_what_to_do(here: Run, somewhere: None) -> None:
    ended = here("doctor")
    assert (ended.code, ended.err) == (1, "")
    assert "blocks   identity: There are no credentials" in ended.out
    assert "→ Run `aws configure`" in ended.out
    assert "1 finding blocks." in ended.out


def test_without_a_region_it_says_so_and_what_to_do(here: Run, nobody: None) -> None:
    ended = here("doctor", "--json")
    assert ended.code == 1
    [finding] = json.loads(ended.out)
    assert finding["says"] == "No region is chosen."
    assert "terraform.tfvars" in finding["do"]


def test_a_variables_file_that_cannot_be_read_is_told_without_what_it_holds(
    here: Run, somewhere: None, tmp_path: Path
) -> None:
    (tmp_path / "terraform.tfvars").write_text('name = "selfrag\nkey = "sk-secret"\n')
    ended = here("doctor", "--infra", str(tmp_path))
    assert ended.code == 2
    assert "terraform.tfvars cannot be read" in ended.err
    assert "secret" not in ended.out + ended.err


def test_the_doctor_looks_at_the_account_for_the_variables_file_of_an_environment(
    here: Run, nobody: None, tmp_path: Path
) -> None:
    (tmp_path / "production.tfvars").write_text("models = 1\n")
    ended = here("doctor", "--infra", str(tmp_path), "--var-file", str(tmp_path / "production.tfvars"))
    assert ended.code == 2
    assert "no usable value for: models" in ended.err


def test_without_a_deployment_there_is_none_to_look_at(here: Run, somewhere: None, tmp_path: Path) -> None:
    ended = here("doctor", "--deployed", "--infra", str(tmp_path))
    assert ended.code == 2
    assert "shows no deployment" in ended.err
    assert "make deploy" in ended.err


def test_outside_a_checkout_the_doctor_says_where_it_runs(here: Run, somewhere: None, tmp_path: Path) -> None:
    ended = here("doctor", "--infra", str(tmp_path / "infra"))
    assert ended.code == 2
    assert "run it in a checkout of selfrag" in ended.err


def test_without_the_parser_of_terraform_the_doctor_says_what_installs_it(
    here: Run, somewhere: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "terraform.tfvars").write_text('name = "selfrag"\n')
    monkeypatch.setitem(sys.modules, "hcl2", None)
    ended = here("doctor", "--infra", str(tmp_path))
    assert ended.code == 2
    assert "make doctor" in ended.err


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
    assert printed[-2].startswith("The first limit to break, at 0.4 questions a second: concurrency: Lambda runs 10")
    assert printed[-1] == "Nothing blocks."
