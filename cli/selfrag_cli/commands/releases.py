"""The `rollback` command."""

from typing import Annotated

import typer
from rich.table import Table

from selfrag_cli.options import Region
from selfrag_cli.terminal import out

SHOWN = 20


def rollback(
    name: Annotated[str, typer.Option(help="Name of the deployment.")] = "selfrag",
    region: Region = None,
    to: Annotated[int | None, typer.Option(help="The release to make live; the one before if left out.")] = None,
    only_list: Annotated[bool, typer.Option("--list", help="Show the releases and change nothing.")] = False,
) -> None:
    """Make the release before live again, with its functions and machines; needs AWS credentials."""
    from selfrag_cli.deployment.releases import find_rollback_target, releases_of

    releases = releases_of(name, region)
    stored, live = releases.all(), releases.live_number()
    table = Table("release", "made (UTC)", "")
    for release in stored[-SHOWN:]:
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
