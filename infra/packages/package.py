"""Build the packages of the Lambdas: a zip for each step, a layer for all of them, and those that only some have.

python -m infra.packages.package --out build --libraries build/libraries/arm64
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from infra.packages.bytecode import FUNCTION_ROOT, LAYER_ROOT, MISSING, lambda_python, with_bytecode
from infra.packages.libraries import ROOT
from infra.packages.sbom import sbom
from infra.packages.zips import LAYERS, Files, function_files, layer_files, steps_of, write_zip

FUNCTIONS = ROOT / "functions"
MEGABYTE = 1024 * 1024

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help=__doc__)


@app.command()
def package(
    libraries: Annotated[Path, typer.Option(help="Folder of the layers' libraries.", exists=True, file_okay=False)],
    out: Annotated[Path, typer.Option(help="Folder that the zips are written to.")] = Path("build"),
    architecture: Annotated[Literal["arm64", "x86_64"], typer.Option(help="What the libraries are for.")] = "arm64",
    step: Annotated[
        list[str] | None,
        typer.Option(help="Only this step or layer (`layer`, `readers`, `protocol`, `traces`); can be repeated."),
    ] = None,
) -> None:
    """Build the zips and a list of their libraries, the same from the same sources, libraries and Python 3.13."""
    parts = step or [*steps_of(FUNCTIONS), *LAYERS]
    if unknown := set(parts) - {*steps_of(FUNCTIONS), *LAYERS}:
        raise typer.BadParameter(f"There is no step called {', '.join(sorted(unknown))}.")
    python = lambda_python()
    if python is None:
        typer.echo(MISSING, err=True)
    for part in parts:
        archive = write_zip(out / f"{part}.zip", _files(part, libraries, python))
        unzipped = f"  ({archive.unzipped / MEGABYTE:.1f} MiB unzipped)" if part in LAYERS else ""
        typer.echo(f"{archive.path.name:<22}{archive.size:>12,}  {archive.sha256}{unzipped}")
    (out / "sbom.json").write_text(sbom(libraries))
    # Terraform refuses packages of another processor, which would not start.
    (out / "architecture").write_text(f"{architecture}\n")


def _files(part: str, libraries: Path, python: str | None) -> Files:
    is_layer = part in LAYERS
    files = layer_files(part, FUNCTIONS, libraries) if is_layer else function_files(FUNCTIONS, part)
    return files if python is None else with_bytecode(files, python, LAYER_ROOT if is_layer else FUNCTION_ROOT)


if __name__ == "__main__":
    app()
