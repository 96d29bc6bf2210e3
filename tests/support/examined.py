"""An account of a double, looked at by the doctor."""

from collections.abc import Mapping
from typing import Any

from selfrag_cli.deployment.terraform import Choices
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.checks import ACCOUNT
from selfrag_cli.doctor.findings import Finding, examine
from tests.support.doubles.aws_account import Answer, AwsAccount


def examined(account: AwsAccount, **choices: Any) -> list[tuple[str, Finding]]:
    """Run the checks of an account before a deployment of these variables."""
    return examine(ACCOUNT, Account(account.session(), Choices(**choices)), lambda name, finding: None)


def findings(name: str, answers: Mapping[str, Answer] | None = None, /, **choices: Any) -> list[Finding]:
    """Return the findings of a check, where the services answer so; `choices` are variables, `quotas` or `deployed`."""
    double = AwsAccount(answers, **choices.pop("quotas", {}))
    account = Account(double.session(), deployed=choices.pop("deployed", False), choices=Choices(**choices))
    return [finding for _, finding in examine({name: ACCOUNT[name]}, account, lambda name, finding: None)]


def finding(name: str, answers: Mapping[str, Answer] | None = None, **choices: Any) -> Finding:
    """Return the one finding of a check."""
    [single] = findings(name, answers, **choices)
    return single
