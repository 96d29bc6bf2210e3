"""The pages and the doctor say the same: what it prints, needs and reckons with."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from io import StringIO
from typing import Any

from rich.console import Console

from selfrag_cli.commands.deployment import show_end, show_finding
from selfrag_cli.doctor import needs
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.checks import ACCOUNT, DEPLOYED
from selfrag_cli.doctor.choices import Choices
from selfrag_cli.doctor.findings import Check, examine
from tests.support.command import ROOT
from tests.support.doubles.aws_account import AwsAccount, Refused, Reply, limit_of_lambda, titan_quotas

PAGES = {page.name: page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]}


def poor_account() -> AwsAccount:
    gone = {"Name": "n", "DeletedDate": datetime.now(UTC)}

    def describe(asked: Reply) -> Any:
        return gone if asked["SecretId"] == "selfrag/anthropic" else {"Name": "n"}

    answers = {
        "lambda.GetAccountSettings": limit_of_lambda(10),
        "bedrock-runtime.InvokeModel": Refused("AccessDeniedException", "You don't have access to the model.", 403),
        "secretsmanager.DescribeSecret": describe,
    }
    return AwsAccount(answers, bedrock=titan_quotas(60))


def test_the_page_shows_what_is_printed_of_a_poor_account() -> None:
    out = Console(file=StringIO(), width=60)
    account = Account(poor_account().session(), Choices(web_search=False))
    show_end(out, examine(ACCOUNT, account, lambda name, finding: show_finding(out, name, finding)))
    printed = out.file.getvalue().splitlines()  # type: ignore[attr-defined]
    [shown] = re.findall(r"```text\n(fine     identity.*?)```", PAGES["operate.md"], re.S)
    assert [line for line in shown.splitlines() if line not in printed] == []


def table(checks: Sequence[Check[Any]]) -> str:
    """Return the table of the actions of these checks, as the page has it."""
    rows = [
        f"| {each.name} | {', '.join(f'`{action}`' for action in each.actions)} |" for each in checks if each.actions
    ]
    return "\n".join(["| Check | Actions |", "| --- | --- |", *rows])


def test_the_page_of_permissions_lists_what_each_check_needs() -> None:
    for checks in (ACCOUNT, DEPLOYED):
        assert table(checks) in PAGES["operate.md"]


def test_the_page_of_sizes_tells_what_breaks_first_by_the_doctors_figures() -> None:
    section = PAGES["operate.md"].split("### What breaks first\n")[1].split("\n### ")[0]
    said = (
        f"{needs.MODEL_CALLS} calls of Claude with {needs.MODEL_TOKENS:,} tokens, {needs.LAMBDA_SECONDS} s of Lambda, "
    )
    said += f"{needs.EMBEDDINGS} embedding and {needs.TRANSITIONS} state transitions"
    assert said in " ".join(section.split())
    reckoned = {
        "Functions": needs.by_lambda,
        "Titan": needs.by_embedding,
        "Claude": lambda tokens: needs.by_model(None, tokens, needs.MODEL_TOKENS),
        "Bedrock": lambda tokens: needs.by_model(None, tokens),
        "Standard": lambda transitions: transitions / needs.TRANSITIONS,
        "One": float,
        "The": float,
    }
    rows = re.findall(r"^\| (\w+)[^|]* \| ([\d,]+) \| ([\d.]+) \|", section, re.M)
    assert len(rows) == 11
    assert "1,000 calls a minute" in section
    assert f"{needs.by_model(1000, None):.1f} questions a second, so the tokens end first" in " ".join(section.split())
    assert f"{needs.BEDROCK_TOKENS:,} tokens a question" in section
    assert f"{needs.BEDROCK_RESERVED:,} tokens for a question" in " ".join(section.split())
    for what, limit, rate in rows:
        assert f"{reckoned[what](float(limit.replace(',', ''))):.1f}" == rate, what
    rates = [float(rate) for *_, rate in rows]
    assert rates == sorted(rates)
