"""Build what the Lambdas run: a zip for each step, and one layer with what they share."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli.deploy.wheels import ROOT, PipFailed, Target, chosen_wheels, download
from cli.deploy.zips import Archive, Files, function_files, layer_files, steps_of, write_zip

LAYER = "layer"
FUNCTIONS = ROOT / "functions"
MEGABYTE = 1024 * 1024

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help=__doc__)

Architecture = Annotated[Literal["arm64", "x86_64"], typer.Option(help="The Lambdas' processor.")]
Python = Annotated[str, typer.Option(help="The Lambdas' version of Python.")]
Host = Annotated[bool, typer.Option("--host", help="For this machine's processor and Python instead.")]


@app.callback(invoke_without_command=True)
def package(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="Folder that the zips are written to.")] = Path("build"),
    architecture: Architecture = "arm64",
    python: Python = "3.13",
    host: Host = False,
    wheels: Annotated[Path | None, typer.Option(help="Folder of wheels to use, instead of the network.")] = None,
    step: Annotated[list[str] | None, typer.Option(help="Only this step, or `layer`; can be repeated.")] = None,
) -> None:
    """Build the zips, the same byte for byte from the same sources and wheels."""
    if context.invoked_subcommand:
        return
    parts = step or [*steps_of(FUNCTIONS), LAYER]
    if unknown := set(parts) - {*steps_of(FUNCTIONS), LAYER}:
        raise typer.BadParameter(f"There is no step called {', '.join(sorted(unknown))}.")
    target = Target.host() if host else Target(architecture, python)
    for part in parts:
        _print(write_zip(out / f"{part}.zip", _files(part, wheels, target)))


@app.command(name="download")
def fill(
    wheels: Annotated[Path, typer.Option(help="Folder to fill.")],
    architecture: Architecture = "arm64",
    python: Python = "3.13",
    host: Host = False,
) -> None:
    """Fetch the wheels of the layer, so that it can be built without network."""
    download(wheels, Target.host() if host else Target(architecture, python))


def main() -> None:
    """Run the command; what pip says in vain is one message on stderr."""
    try:
        app()
    except PipFailed as error:
        sys.exit(str(error))


def _files(part: str, wheels: Path | None, target: Target) -> Files:
    if part != LAYER:
        return function_files(FUNCTIONS, part)
    with chosen_wheels(wheels, target) as chosen:
        return layer_files(FUNCTIONS, chosen)


def _print(archive: Archive) -> None:
    unzipped = f"  ({archive.unzipped / MEGABYTE:.1f} MiB unzipped)" if archive.path.stem == LAYER else ""
    typer.echo(f"{archive.path.name:<22}{archive.size:>12,}  {archive.sha256}{unzipped}")


if __name__ == "__main__":
    main()
