"""The start of Python processes that import nothing from where the user stands, and know no secret."""

import os
import sys

# A variable of another name may hold a key.
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
# The folder to start in: `python -m` imports from the current one, where a document's author may have put a module.
DIRECTORY = "/"


def command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of ours in another process, without the current folder on its path."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """Return the variables of such a process: those of the system, and this process's own path of modules."""
    inherited = {name: value for name, value in os.environ.items() if name.startswith(_VARIABLES)}
    return {**inherited, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
