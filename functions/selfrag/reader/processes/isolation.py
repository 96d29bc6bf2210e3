"""Isolated Python subprocesses: no imports from the current folder, no secrets in the environment."""

import os
import sys

# Other variables may hold keys.
_VARIABLES = (
    "PATH",
    "TMPDIR",
    "TZ",
    "LANG",
    "LC_",
    "LD_LIBRARY_PATH",
    "DYLD_",
    "PYTHON",
    "MALLOC_",
    "OMP_",
    "OPENBLAS_",
)
# Start folder: `python -m` imports from the current one, where an attacker may have placed a module.
DIRECTORY = "/"
OUT_OF_MEMORY = 3  # exit code of a worker


def command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of ours in a subprocess."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """Return the subprocess's environment: system variables and this process's module path."""
    inherited = {name: value for name, value in os.environ.items() if name.startswith(_VARIABLES)}
    return {**inherited, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
