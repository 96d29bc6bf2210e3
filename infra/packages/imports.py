"""How long a cold Lambda imports: each handler in a fresh Python that sees its zip, the layer and nothing else."""

import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

_IMPORT = "import time; start = time.perf_counter(); import {handler}; print(time.perf_counter() - start)"
_PATH = "import sys; sys.path += {folders!r}; "


def unpack(out: Path, into: Path) -> list[str]:
    """Unpack the layer and each function's zip into a folder of its own; returns the steps."""
    archives = sorted(out.glob("*.zip"))
    for archive in archives:
        with zipfile.ZipFile(archive) as content:
            content.extractall(into / archive.stem)
    return [archive.stem for archive in archives if archive.stem != "layer"]


def handler_of(unpacked: Path, step: str) -> str:
    """The name of the module that Lambda calls, as it stands in a step's zip."""
    [file] = (unpacked / step).rglob("handler.py")
    return ".".join(file.relative_to(unpacked / step).with_suffix("").parts)


def fits_this_python(out: Path) -> bool:
    """Whether the layer's compiled modules are for this machine and this Python."""
    with zipfile.ZipFile(out / "layer.zip") as layer:
        return any(name.endswith(str(sysconfig.get_config_var("EXT_SUFFIX"))) for name in layer.namelist())


def run_as_lambda(
    unpacked: Path, step: str, code: str, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh Python without site-packages, with a step's folder and the layer on its path."""
    path = _PATH.format(folders=[str(unpacked / step), str(unpacked / "layer" / "python")])
    command = [sys.executable, "-I", "-S", *options, "-c", path + code]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={})  # noqa: S603 (our own code)


def seconds_to_import(unpacked: Path, step: str) -> float:
    """The seconds that one import of a handler takes without cached bytecode, as on a Lambda's read-only disk."""
    code = _IMPORT.format(handler=handler_of(unpacked, step))
    return float(_successful(run_as_lambda(unpacked, step, code, ("-B",))).stdout)


def heaviest(unpacked: Path, step: str, number: int) -> list[tuple[str, float]]:
    """The packages whose own modules take the longest, with their milliseconds."""
    code = f"import {handler_of(unpacked, step)}"
    done = _successful(run_as_lambda(unpacked, step, code, ("-B", "-X", "importtime")))
    spent: Counter[str] = Counter()
    for own, module in re.findall(r"^import time: +(\d+) \| +\d+ \| +(\S+)$", done.stderr, re.MULTILINE):
        spent[module.split(".")[0]] += int(own)
    return [(package, microseconds / 1000) for package, microseconds in spent.most_common(number)]


def main(
    out: Annotated[Path, typer.Option(help="Folder with the zips, built for this machine.")] = Path("build"),
    runs: Annotated[int, typer.Option(help="How many times each handler is imported.", min=1)] = 3,
) -> None:
    """Print each handler's median import time, and the packages that take most of it."""
    if not fits_this_python(out):
        raise typer.BadParameter(f"The layer in {out} is not for this machine's Python.")
    with tempfile.TemporaryDirectory() as scratch:
        unpacked = Path(scratch)
        for step in unpack(out, unpacked):
            milliseconds = 1000 * median(seconds_to_import(unpacked, step) for _ in range(runs))
            packages = ", ".join(f"{package} {spent:.0f}" for package, spent in heaviest(unpacked, step, 6))
            typer.echo(f"{step:<18}{milliseconds:>6.0f} ms  ({packages})")


def _successful(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done


if __name__ == "__main__":
    typer.run(main)
