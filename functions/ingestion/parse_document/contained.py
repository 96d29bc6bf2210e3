"""Runs a reader in a process of its own, with little memory and time.

A large parser may crash, above all one in C++, and a small file can ask it for any amount of both.
"""

import importlib
import json
import logging
import os
import re
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from selfrag.domain.errors import BadDocument, Misconfigured

MAX_MEMORY = 768 * 1024 * 1024
MAX_SECONDS = 60  # of computing
# In all; a busy laptop gives a process a tenth of a core, and a function ends by its own timeout before.
MAX_WAIT = 10 * MAX_SECONDS
_UNCAUGHT, _OUT_OF_MEMORY = 1, 3
_AT = re.compile(rb"^at (\d+)$", re.MULTILINE)


class Stopped(BadDocument):
    """The process crashed, or wanted too much, because of page `at`; 0 if no page is to blame."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.at = at


@dataclass(frozen=True)
class Contained:
    """A function, as `module:name`, which gets the key and the bytes of a file in a process of its own.

    `kind` is what a file is called that it reads, and `cure` what helps if one asks for too much.
    """

    function: str
    kind: str
    cure: str

    def __call__(self, key: str, content: bytes, **more: Any) -> Any:
        """Return what the function gives, as JSON would hold it; raises BadDocument where it does, or Stopped.

        Raises Misconfigured if the process cannot do its work for any file, as when a library is missing.
        """
        command = [sys.executable, "-P", "-m", __name__, self.function, str(MAX_MEMORY), str(MAX_SECONDS)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        told = json.dumps({"key": key, **more}).encode() + b"\n" + content
        try:
            done = subprocess.run(  # noqa: S603 (our own command)
                command, input=told, capture_output=True, env=environment, timeout=MAX_WAIT, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise Stopped(self._reason(key, -signal.SIGXCPU), 0) from error
        if done.returncode == _UNCAUGHT:
            said = done.stderr.decode(errors="replace").strip()[-200:]
            raise Misconfigured(f"{self.kind}s cannot be read here: {said}")
        if done.returncode:
            pages = _AT.findall(done.stderr) if done.returncode != -signal.SIGXCPU else []
            raise Stopped(self._reason(key, done.returncode), int(pages[-1]) if pages else 0)
        reply = json.loads(done.stdout)
        if "bad" in reply:
            raise BadDocument(reply["bad"])
        return reply["said"]

    def _reason(self, key: str, code: int) -> str:
        if code in (-signal.SIGXCPU, -signal.SIGPROF):
            return f"{key} takes more than {MAX_SECONDS} seconds to read; split it, or {self.cure}."
        # A library in C aborts when it gets no memory; killed, the machine itself was short of it.
        if code in (_OUT_OF_MEMORY, -signal.SIGABRT, -signal.SIGKILL):
            return f"{key} takes more than {MAX_MEMORY >> 20} MB of memory to read; split it, or {self.cure}."
        return f"{key} is a damaged {self.kind} and cannot be read; save it as {self.kind} again."


def begin(page: int, seconds: float) -> None:
    """Tell who waits for this process which page is read now, from 1, and give it so much computing; page 0 is none."""
    os.write(2, f"at {page}\n".encode())
    signal.setitimer(signal.ITIMER_PROF, seconds if page else 0)


def _limit(memory: int, seconds: int) -> None:
    for kind, limit in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        # Systems differ in what they let a process limit; a Lambda has limits of its own besides.
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))


def _answer(function: str) -> str:
    module, _, name = function.partition(":")
    read = getattr(importlib.import_module(module), name)
    more = json.loads(sys.stdin.buffer.readline())
    try:
        said = read(more.pop("key"), sys.stdin.buffer.read(), **more)
    except BadDocument as error:
        return json.dumps({"bad": str(error)})
    return json.dumps({"said": asdict(said) if is_dataclass(said) and not isinstance(said, type) else said})


if __name__ == "__main__":
    logging.disable()  # parsers have a line for every oddity
    _limit(int(sys.argv[2]), int(sys.argv[3]))
    try:
        print(_answer(sys.argv[1]))
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)  # an orderly exit needs memory too
