"""Runs a module in a process of its own, with little memory and time: what it is given may be made to ask for any."""

import os
import resource
import subprocess
import sys
from contextlib import suppress

from selfrag.domain.errors import Misconfigured

MAX_MEMORY = 768 * 1024 * 1024
MAX_SECONDS = 60  # of computing
# How such a module ends that says: nothing can be told of this file. Python itself ends by 1 when a module fails.
NOTHING_TO_TELL = 3
_UNCAUGHT = 1


def run_apart(module: str, told: bytes) -> bytes | None:
    """What the module writes when it reads `told`; None if it ended without, for want of time or memory too.

    Raises Misconfigured if it cannot do its work for any file, as when its library is missing.
    """
    command = [sys.executable, "-P", "-m", module]
    # Where Lambda unpacks a layer is on this process's path, and on no other's.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(  # noqa: S603 (our own command)
            command, input=told, capture_output=True, env=environment, timeout=1.6 * MAX_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode == _UNCAUGHT:
        raise Misconfigured(f"{module} cannot run here: {done.stderr.decode(errors='replace').strip()[-200:]}")
    return None if done.returncode else done.stdout


def limit_this_process() -> None:
    """Give this process no more memory and time than it may have."""
    for kind, most in (
        (resource.RLIMIT_AS, MAX_MEMORY),
        (resource.RLIMIT_CPU, MAX_SECONDS),
        (resource.RLIMIT_CORE, 0),
    ):
        # Systems differ in what they let a process limit; a Lambda has limits of its own besides.
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
