"""Generated API clients, and requests derived from the API's description."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.command import ROOT
from tests.support.infra.tools import needed


@pytest.fixture(scope="session")
def tools() -> Path:
    """Return the folder of the programs."""
    found = Path(os.environ.get("SELFRAG_CLIENTS_BIN") or ROOT / ".venv-clients/bin")
    needed(found / "schemathesis", "openapi-python-client and schemathesis are not installed: make .venv-clients/.done")
    return found


def ran(tools: Path, command: list[str], directory: Path) -> "subprocess.CompletedProcess[str]":
    """Return a program's end, in a directory and an environment without anything of the user."""
    env = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(directory), "LANG": "C.UTF-8", "NO_COLOR": "1"}
    words = [str(tools / command[0]), *command[1:]]
    return subprocess.run(words, cwd=directory, env=env, capture_output=True, text=True, timeout=400)
