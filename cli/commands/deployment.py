"""The command about a deployment: doctor."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import ApiKey, AsJson, Endpoint
from cli.terminal import out, print_json

if TYPE_CHECKING:
    from cli.doctor.examination import Diagnosis
    from cli.doctor.findings import Finding

Infra = Annotated[
    Path, typer.Option("--infra", help="The folder of the Terraform, with its variables files and its state.")
]
Deployed = Annotated[
    bool, typer.Option("--deployed", help="Look at the deployment: its roles, a document in and out, questions.")
]


def doctor(
    infra: Infra = Path("infra"),
    deployed: Deployed = False,
    endpoint: Endpoint = "",
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Look at an AWS account before a deployment, or at the deployment after it: what is found, and what to do.

    Exit code 1 says that something blocks. Before a deployment nothing is changed; --deployed loads a document of its
    own and removes it. No secret is read or printed.
    """
    diagnosis = _diagnosis(infra, deployed, endpoint, api_key, quiet=as_json)
    if as_json:
        print_json([{"check": name, **asdict(finding)} for name, finding in diagnosis.findings])
    else:
        from cli.doctor.showing import show_end

        show_end(out, diagnosis)
    if diagnosis.blocking:
        raise typer.Exit(1)


def _diagnosis(infra: Path, deployed: bool, endpoint: str, api_key: str, quiet: bool) -> "Diagnosis":
    from cli.doctor.account.subject import account_of_credentials
    from cli.doctor.choices import choices_in
    from cli.doctor.deployed.subject import Deployment
    from cli.doctor.examination import ACCOUNT, DEPLOYED, examine
    from cli.doctor.outputs import deployed_outputs, outputs_of
    from cli.doctor.showing import show_finding

    def tell(name: str, finding: "Finding") -> None:
        if not quiet:
            show_finding(out, name, finding)

    choices = choices_in(infra)
    if not deployed:
        return examine(ACCOUNT, account_of_credentials(choices, bool(outputs_of(infra))), tell)
    outputs = deployed_outputs(infra)
    with Deployment(account_of_credentials(choices, True), outputs, endpoint, api_key) as deployment:
        return examine(DEPLOYED, deployment, tell)
