"""Bytecode for the zips: a Lambda's disk is read-only, so without it each cold start compiles its imports."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import uv

VERSION = "3.13"
# The first bytes of this version's bytecode: Python silently ignores bytecode with another number.
MAGIC = (3571).to_bytes(2, "little") + b"\r\n"
# The folders that Lambda unpacks a layer and a function into.
LAYER_ROOT, FUNCTION_ROOT = "/opt", "/var/task"

MISSING = (
    f"warning: no Python {VERSION} was found, so the packages have no bytecode: they work, and a cold start takes"
    f" about twice as long. `uv python install {VERSION}` fetches one; or put python{VERSION} on the PATH."
)

_MAGIC_OF = "import importlib.util as util, sys; sys.stdout.buffer.write(util.MAGIC_NUMBER)"


class NoBytecode(Exception):
    """A module does not compile; the compiler's own words are the message."""


def lambda_python() -> str | None:
    """Return a Python on this machine that makes the bytecode of the Lambdas' version, or None."""
    return next((python for python in _candidates() if _magic(python) == MAGIC), None)


def with_bytecode(files: Mapping[str, bytes], python: str, root: str) -> dict[str, bytes]:
    """Return the files with the bytecode of each module, which names `root` as their folder.

    The result is always the same: the bytecode holds neither the time nor the place of a source, and tells Python not
    to check the source. Raises NoBytecode.
    """
    with tempfile.TemporaryDirectory() as scratch:
        for name in (name for name in files if name.endswith(".py")):
            (Path(scratch) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(scratch) / name).write_bytes(files[name])
        command = [python, "-I", "-S", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
        command += ["-s", scratch, "-p", root, scratch]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (our own arguments)
        if done.returncode:
            raise NoBytecode(f"{python} cannot compile the packages: {done.stdout.strip()}")
        compiled = {path.relative_to(scratch).as_posix(): path.read_bytes() for path in Path(scratch).rglob("*.pyc")}
    return {**files, **compiled}


def _candidates() -> Iterator[str]:
    """Yield the Pythons of this machine: this one, on the PATH, among those of pyenv and of uv."""
    yield sys.executable
    if on_path := shutil.which(f"python{VERSION}"):
        yield on_path
    # pyenv's own command on the PATH starts only the versions selected at the moment.
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob(f"versions/{VERSION}*/bin/python{VERSION}")))
    command = [uv.find_uv_bin(), "python", "find", VERSION, "--managed-python", "--no-python-downloads", "--no-project"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (our own arguments)
    if not done.returncode:
        yield done.stdout.strip()


def _magic(python: str) -> bytes:
    try:
        command = [python, "-I", "-S", "-c", _MAGIC_OF]
        return subprocess.run(command, capture_output=True, check=False).stdout  # noqa: S603 (our own arguments)
    except OSError:
        return b""
