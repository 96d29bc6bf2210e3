"""Commands for deployments: doctor, rollback and restore."""

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from selfrag_cli.options import ApiKey, AsJson, Endpoint
from selfrag_cli.terminal import out, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selfrag_cli.doctor.findings import Finding

_STYLES = {"fine": "green", "look": "yellow", "unknown": "magenta", "blocks": "red"}
_WIDTH = max(map(len, _STYLES))
_SHOWN_RELEASES = 20

Infra = Annotated[
    Path, typer.Option("--infra", help="The folder of the Terraform, with its variables files and its state.")
]
VarFiles = Annotated[
    list[Path] | None, typer.Option("--var-file", help="A variables file of terraform's -var-file; may be repeated.")
]
Deployed = Annotated[
    bool, typer.Option("--deployed", help="Try the deployment: a document in and out, and questions about it.")
]
Free = Annotated[bool, typer.Option("--free", help="Leave out what costs money: calls of the models.")]


def doctor(
    infra: Infra = Path("infra"),
    var_file: VarFiles = None,
    deployed: Deployed = False,
    endpoint: Endpoint = "",
    api_key: ApiKey = "",
    free: Free = False,
    as_json: AsJson = False,
) -> None:
    """Check an AWS account before a deployment, or the deployment after it, and give advice.

    Exit code 1 means that a finding blocks. Before a deployment nothing is changed; --deployed uploads a test document
    and removes it. No secret is read or printed.
    """
    from selfrag_cli.deployment.terraform import has_resources, read_choices, read_outputs
    from selfrag_cli.doctor.account import account_of_credentials
    from selfrag_cli.doctor.checks import ACCOUNT, DEPLOYED, FREE
    from selfrag_cli.doctor.deployed import Deployment
    from selfrag_cli.doctor.findings import examine

    def report(name: str, finding: "Finding") -> None:
        if not as_json:
            show_finding(out, name, finding)

    account = account_of_credentials(read_choices(infra, var_file or []), has_resources(infra), infra)
    if deployed:
        with closing(Deployment(account, read_outputs(infra), endpoint, api_key)) as deployment:
            findings = examine(DEPLOYED, deployment, report)
    else:
        findings = examine(FREE if free else ACCOUNT, account, report)
    if as_json:
        print_json([{"check": name, **asdict(finding)} for name, finding in findings])
    else:
        show_end(out, findings)
    if any(finding.level == "blocks" for _, finding in findings):
        raise typer.Exit(1)


def rollback(
    name: Annotated[str, typer.Option(help="Name of the deployment.")] = "selfrag",
    region: Annotated[str | None, typer.Option(help="Its region; that of your AWS configuration if left out.")] = None,
    to: Annotated[int | None, typer.Option(help="The release to make live; the one before if left out.")] = None,
    only_list: Annotated[bool, typer.Option("--list", help="Show the releases and change nothing.")] = False,
) -> None:
    """Make the release before live again, with its functions and machines; needs AWS credentials."""
    from selfrag_cli.deployment.releases import find_rollback_target, releases_of

    releases = releases_of(name, region)
    stored, live = releases.all(), releases.live_number()
    table = Table("release", "made (UTC)", "")
    for release in stored[-_SHOWN_RELEASES:]:
        table.add_row(str(release.number), release.made_at, "live" if release.number == live else "")
    out.print(table)
    if only_list:
        return
    chosen = find_rollback_target(stored, live, to)
    releases.make_live(chosen)
    out.print(
        f"Release {chosen.number} is live; it was release {live}. What is running ends with the release it began with."
    )
    if chosen != stored[-1]:
        out.print(
            f"The next `terraform apply` makes the newest release live again. Before it, take the sources of release "
            f"{chosen.number}, or mended ones, and run `make package`."
        )


def restore(
    index: Annotated[
        bool, typer.Option("--index", help="Bring the table of documents and the index in step with the bucket.")
    ] = False,
    infra: Infra = Path("infra"),
) -> None:
    """Reconcile a deployment's index with its bucket, after its documents table was restored or lost.

    The index is made to match the bucket. This needs AWS credentials that may read the collection (the variable
    index_writers), and no running ingestion.
    """
    from selfrag.domain.errors import InvalidInput
    from selfrag_cli.deployment.restore import restore_deployment
    from selfrag_cli.deployment.terraform import read_outputs

    if not index:
        raise InvalidInput("Say what is to be restored: `selfrag restore --index`. docs/run.md has the rest.")
    done = restore_deployment(read_outputs(infra))
    out.print(
        f"The index held {done.passages} passages. Of {len(done.unknown)} documents the table said otherwise, and "
        f"{len(done.gone)} were not in the bucket. All are in step now.",
        highlight=False,
    )


def show_finding(console: Console, name: str, finding: "Finding") -> None:
    """Print a finding without line breaks, so that commands can be copied."""
    label = f"[{_STYLES[finding.level]}]{finding.level:<{_WIDTH}}[/]"
    console.print(f"{label}  {name}: {escape(finding.says)}", soft_wrap=True, highlight=False)
    if finding.do:
        console.print(f"{'':{_WIDTH}}  → {escape(finding.do)}", soft_wrap=True, highlight=False)


def show_end(console: Console, findings: "Sequence[tuple[str, Finding]]") -> None:
    """Print whether a finding blocks."""
    many = sum(finding.level == "blocks" for _, finding in findings)
    end = "Nothing blocks." if many == 0 else f"{many} {'finding blocks' if many == 1 else 'findings block'}."
    console.print(end, highlight=False)
