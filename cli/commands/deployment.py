"""The commands about a deployment: doctor."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cli.options import AsJson
from cli.terminal import out, print_json


def doctor(
    infra: Annotated[
        Path, typer.Option("--infra", help="The folder of the Terraform, with its variables files and its state.")
    ] = Path("infra"),
    as_json: AsJson = False,
) -> None:
    """Look at an AWS account before a deployment: limits, quotas, access, names, and what to do about them.

    Exit code 1 says that something blocks. Nothing is changed, and no secret is read.
    """
    from cli.doctor.account.subject import account_of_credentials
    from cli.doctor.choices import choices_in
    from cli.doctor.examination import ACCOUNT, examine
    from cli.doctor.showing import show_end, show_finding

    account = account_of_credentials(choices_in(infra))
    diagnosis = examine(ACCOUNT, account, lambda name, each: None if as_json else show_finding(out, name, each))
    if as_json:
        print_json([{"check": name, **asdict(finding)} for name, finding in diagnosis.findings])
    else:
        show_end(out, diagnosis)
    if diagnosis.blocking:
        raise typer.Exit(1)
