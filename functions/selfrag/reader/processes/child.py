"""The worker process: it answers one request after another on the socket that is its standard input.

A request is a line of JSON (a function as `module:name`, its key and arguments, limits of bytes and seconds, and the
size of the content), and the content. The replies are lines of JSON: each `part` that is being read, and at last the
`result`, or an error (`bad`, `missing` or `unexpected`), with the `resident` bytes of the worker.
"""

import fcntl
import importlib
import json
import logging
import os
import resource
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from selfrag.domain.errors import BadDocument
from selfrag.reader.processes.isolation import OUT_OF_MEMORY

_SOCKET = 0


def begin(part: int, seconds: float) -> None:
    """Report the part being read, from 1, to the parent and renew the CPU limit; 0 is none."""
    _send({"part": part})
    signal.setitimer(signal.ITIMER_PROF, seconds if part else 0)


def _send(reply: dict[str, Any]) -> None:
    with open(_SOCKET, "wb", closefd=False) as parent:
        parent.write(json.dumps(reply, default=asdict).encode() + b"\n")


def _end_with_parent() -> None:
    """Let the kernel end this process when the parent closes its end of standard error.

    Linux sends SIGIO, which is not handled here. macOS does not; there the limits apply.
    """
    lifeline = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _limit(memory: int, seconds: int) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + seconds + 1
    for kind, limit in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, until), (resource.RLIMIT_CORE, 0)):
        # Systems differ in the limits they support; Lambda has its own, too.
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))


def _resident_bytes() -> int:
    """Return this process's resident memory in bytes, or its peak if the system does not report it."""
    with suppress(OSError), open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _result(request: dict[str, Any], content: bytes) -> dict[str, Any]:
    module, _, name = request["function"].partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
        return {"result": function(request["key"], content, **request["arguments"])}
    except BadDocument as error:
        return {"bad": str(error)}
    except ImportError as error:
        return {"missing": str(error)[-200:]}
    except MemoryError:
        raise
    except BaseException as error:  # a bug that one file reveals, or a Rust panic, which is not an Exception
        return {"unexpected": type(error).__name__}


def main() -> None:
    """Answer requests until the parent ends."""
    logging.disable()  # parsers log every oddity
    _end_with_parent()
    try:
        while line := sys.stdin.buffer.readline():
            request = json.loads(line)
            content = sys.stdin.buffer.read(request["size"])
            _limit(request["memory"], request["seconds"])
            reply = _result(request, content)
            signal.setitimer(signal.ITIMER_PROF, 0)
            del content
            _send({**reply, "resident": _resident_bytes()})
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # an orderly exit would need memory


if __name__ == "__main__":
    main()
