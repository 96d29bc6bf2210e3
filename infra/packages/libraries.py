"""The libraries of the layers: uv chooses them for a Lambda's processor and Python, whatever it runs on itself.

python -m infra.packages.libraries build/libraries/arm64
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Literal

import typer
import uv

from infra.packages.bytecode import lambda_python

ROOT = Path(__file__).resolve().parents[2]
# Lambda runs Python 3.13 on Amazon Linux 2023, which has glibc 2.34; 2.28 is the newest that libraries are built for.
# The folders of the layers' libraries: those of every function, and those that reading documents, serving agents, and
# sending traces need besides. Each is named by its list in [dependency-groups].
SHARED, *OTHERS = "layer", "readers", "protocol", "traces"
# The version of each library, and the hashes of its files; `make hashes` writes it.
HASHES = "infra/packages/hashes.txt"
# The same for the dependencies of the `selfrag` command.
REQUIREMENTS = "requirements.txt"
_PLATFORMS = {"arm64": "aarch64-manylinux_2_28", "x86_64": "x86_64-manylinux_2_28"}


class NoLibraries(Exception):
    """uv found no set of libraries; its own words are the message."""


def install(out: Path, project: Path, options: list[str], python: str = sys.executable) -> None:
    """Fill a folder with the pinned libraries of a project, a folder for each layer.

    The folder is replaced only when uv has found everything. Without options it is for this machine
    and this `python`.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        filled = Path(scratch) / "filled"
        _fill(filled / SHARED, project, [SHARED], options, python)
        for name in OTHERS:
            _fill(filled / name, project, [SHARED, name], options, python)
            _take_away(filled / SHARED, filled / name)
        shutil.rmtree(out, ignore_errors=True)
        filled.rename(out)


def _fill(target: Path, project: Path, groups: list[str], options: list[str], python: str) -> None:
    command = [uv.find_uv_bin(), "pip", "install", "--quiet", "--system-certs", "--link-mode", "copy"]
    command += ["--python", python, "--target", str(target), "--only-binary", ":all:"]
    command += ["--require-hashes", "--constraint", HASHES, *_grouped(groups), *options]
    _run(command, project)
    target.mkdir(exist_ok=True)  # there was nothing to install


def write_hashes(project: Path) -> None:
    """Write the files of hashes anew, for every Python and processor, from the pinned versions."""
    for out, wants in ((HASHES, _grouped([SHARED, *OTHERS])), (REQUIREMENTS, ["pyproject.toml"])):
        command = [uv.find_uv_bin(), "pip", "compile", "--quiet", "--system-certs", *wants]
        command += ["--constraint", "constraints.txt", "--universal", "--python-version", "3.11", "--generate-hashes"]
        _run([*command, "--no-header", "--no-annotate", "--no-emit-index-url", "--output-file", out], project)


def _grouped(groups: list[str]) -> list[str]:
    return [part for group in groups for part in ("--group", group)]


def _run(command: list[str], project: Path) -> None:
    # uv reads the excluded packages from the pyproject.toml of its working directory.
    done = subprocess.run(  # noqa: S603 (our own arguments)
        command, cwd=project, env={**_index(), **os.environ}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NoLibraries(f"uv pip {command[2]}: {done.stderr.strip()}")


def _take_away(shared: Path, folder: Path) -> None:
    """Remove from a folder the files of a shared one: a function with both layers has one copy of each."""
    for file in [path for path in folder.rglob("*") if path.is_file() and (shared / path.relative_to(folder)).exists()]:
        file.unlink()
    for below in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        if not any(below.iterdir()):
            below.rmdir()


def main(
    out: Annotated[Path | None, typer.Argument(help="Folder to fill; left out with --hashes.")] = None,
    architecture: Annotated[Literal["arm64", "x86_64"], typer.Option(help="The Lambdas' processor.")] = "arm64",
    python: Annotated[str, typer.Option(help="The Lambdas' version of Python.")] = "3.13",
    host: Annotated[bool, typer.Option("--host", help="For this machine and its Python instead.")] = False,
    bench: Annotated[bool, typer.Option("--bench", help="For this machine, and its 3.13 if it has one.")] = False,
    hashes: Annotated[bool, typer.Option("--hashes", help="Write the file of hashes instead.")] = False,
) -> None:
    """Fetch the libraries of the layers, so that they can be built without network, or write their hashes anew."""
    lambdas = ["--python-platform", _PLATFORMS[architecture], "--python-version", python]
    try:
        if hashes:
            return write_hashes(ROOT)
        if out is None:
            sys.exit("Name the folder to fill, such as build/libraries/arm64.")
        install(out, ROOT, [] if host or bench else lambdas, (bench and lambda_python()) or sys.executable)
    except NoLibraries as error:
        sys.exit(str(error))


def _index() -> dict[str, str]:
    """Return the index that pip is configured with, for uv, which does not read pip's configuration."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout  # noqa: S603 (our own)
    urls = re.findall(r"^\S*\.index-url='(.+)'$", listed, re.MULTILINE)
    # The last one has precedence in pip: the setting of the environment.
    return {"UV_DEFAULT_INDEX": urls[-1]} if urls else {}


if __name__ == "__main__":
    typer.run(main)
