"""A pool of worker processes, in which functions read strangers' files with bounds on time, memory and crashes.

A worker is used for one file after another. One that crashed, was ended by a limit or holds much memory is replaced.
It is no sandbox: code that a file makes a library run has the rights of this process's user.
"""

import atexit
import json
import signal
import socket
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import Any

from selfrag.domain.errors import BadDocument, Misconfigured, TemporarilyUnavailable
from selfrag.reader.processes import isolation
from selfrag.reader.processes.isolation import OUT_OF_MEMORY

MAX_MEMORY = 768 * 1024 * 1024
MAX_SECONDS = 60  # CPU seconds per file
# Wall-clock seconds: a busy laptop may give a process a tenth of a core, and a function times out before.
MAX_WAIT = 10 * MAX_SECONDS
MAX_RESIDENT = 200 * 1024 * 1024  # bytes of an idle worker
MAX_REPLY = 512 * 1024 * 1024
_TIME_SIGNALS = (-signal.SIGXCPU, -signal.SIGPROF)
# C libraries abort when out of memory; SIGKILL means that the machine was.
_MEMORY_CODES = (OUT_OF_MEMORY, -signal.SIGABRT, -signal.SIGKILL)


class WorkerFailure(BadDocument):
    """The worker crashed or hit a limit at part `at` of the file; 0 if no part is to blame."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.at = at


@dataclass(frozen=True)
class ContainedFunction:
    """A function, as `module:name`, that runs in a worker with a file's key and bytes.

    `kind` names the file type and `cure` the advice in error messages about limits.
    """

    function: str
    kind: str = ""
    cure: str = "save it in another format"

    def __call__(self, key: str, content: bytes, **arguments: Any) -> Any:
        """Run the function and return its JSON result; raises BadDocument like it, or WorkerFailure.

        Raises Misconfigured if the worker fails for any file, for example without a library, and TemporarilyUnavailable
        if the pool is stopped meanwhile.
        """
        request = {
            "function": self.function, "key": key, "arguments": arguments, "memory": MAX_MEMORY, "seconds": MAX_SECONDS,
        }  # fmt: skip
        worker, began = POOL.take(), time.monotonic()
        is_reused = worker.files > 0
        try:
            reply = worker.ask(request, content)
        except _WorkerExit as ended:
            # Leftovers of an earlier file may have ended the worker.
            if is_reused and ended.code not in _TIME_SIGNALS and time.monotonic() - began < MAX_SECONDS / 2:
                POOL.drop_idle()
                return self(key, content, **arguments)
            raise self._stopped(key, ended) from None
        finally:
            POOL.give_back(worker)
        if "result" in reply:
            return reply["result"]
        if "bad" in reply:
            raise BadDocument(reply["bad"])
        if "missing" in reply:
            raise Misconfigured(f"{self.kind or 'File'}s cannot be read here: {reply['missing']}")
        raise BadDocument(f"{key} cannot be read ({reply['unexpected']}): save it again, or {self.cure}.")

    def _stopped(self, key: str, ended: "_WorkerExit") -> WorkerFailure:
        """Return the error with a message; a limit of the whole file blames no part."""
        if ended.code in _TIME_SIGNALS:
            at = 0 if ended.code == -signal.SIGXCPU else ended.at
            return WorkerFailure(f"{key} takes more than {MAX_SECONDS} seconds to read; split it, or {self.cure}.", at)
        if ended.code in _MEMORY_CODES:
            megabytes = MAX_MEMORY >> 20
            return WorkerFailure(
                f"{key} takes more than {megabytes} MB of memory to read; split it, or {self.cure}.", ended.at
            )
        again = f"save it as {self.kind} again" if self.kind else f"save it again, or {self.cure}"
        return WorkerFailure(f"{key} is a damaged {self.kind or 'file'} and cannot be read; {again}.", ended.at)


class _WorkerExit(Exception):
    """A worker exited before its reply, with subprocess's return code, at a part of the file."""

    def __init__(self, code: int, at: int) -> None:
        super().__init__(code)
        self.code, self.at = code, at


class WorkerProcess:
    """A worker process with its socket; `files` counts requests."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 (a module of ours)
                isolation.command("selfrag.reader.processes.child"),
                cwd=isolation.DIRECTORY,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,  # output of libraries
                stderr=subprocess.PIPE,  # errors of a failed start; later, closing it ends the worker
                env=isolation.environment(),
                start_new_session=True,  # the parent handles Ctrl-C
            )
        self._socket, self._replies = ours, ours.makefile("rb")
        self._reason: Exception | None = None
        self.files, self.resident = 0, 0

    def ask(self, request: dict[str, Any], content: bytes) -> dict[str, Any]:
        """Send a request and return the reply.

        Raises _WorkerExit if the process exits or takes too long, Misconfigured if it cannot start.
        """
        self.files += 1
        at, limit = 0, threading.Timer(MAX_WAIT, self.stop, [_WorkerExit(-signal.SIGXCPU, 0)])
        limit.daemon = True
        limit.start()
        try:
            self._socket.sendall(json.dumps({**request, "size": len(content)}).encode() + b"\n")
            self._socket.sendall(content)
            while "part" in (reply := self._reply()):
                at = reply["part"]
        except (OSError, EOFError):
            self._process.kill()  # it has exited, unless it only closed the socket
            code = self._process.wait()
            if self._reason:
                raise self._reason from None
            if code == 1:  # Python failed before the first file
                message = self._process.stderr.read().decode(errors="replace").strip() if self._process.stderr else ""
                raise Misconfigured(f"The process that reads files cannot begin: {message[-200:]}") from None
            raise _WorkerExit(code, at) from None
        finally:
            limit.cancel()
        self.resident = reply.pop("resident")
        return reply

    def _reply(self) -> dict[str, Any]:
        line = self._replies.readline(MAX_REPLY)
        if len(line) == MAX_REPLY:
            self.stop(_WorkerExit(OUT_OF_MEMORY, 0))
        if not line.endswith(b"\n"):
            raise EOFError
        reply: dict[str, Any] = json.loads(line)
        return reply

    def is_alive(self) -> bool:
        """Return whether the process runs."""
        return self._process.poll() is None

    def stop(self, reason: Exception) -> None:
        """End the process, also from another thread; the waiting caller gets the reason."""
        self._reason = reason
        self._process.kill()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._replies.close()
        self._socket.close()
        if self._process.stderr:
            self._process.stderr.close()


class Pool:
    """Workers, one per thread that reads files."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()

    def start(self) -> None:
        """Start a worker in the background if there is none."""
        self.give_back(self.take())

    def take(self) -> WorkerProcess:
        """Return an idle worker, or a new one."""
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else WorkerProcess()
                self._busy.add(worker)
            if worker.is_alive():
                return worker
            self.give_back(worker)

    def give_back(self, worker: WorkerProcess) -> None:
        """Keep a worker for the next file, unless it exited or holds much memory."""
        with self._lock:
            self._busy.discard(worker)
            if worker.is_alive() and worker.resident <= MAX_RESIDENT:
                self._idle.append(worker)
                return
        worker.end()

    def drop_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()

    def stop(self) -> None:
        """End all workers; waiting callers get TemporarilyUnavailable."""
        with self._lock:
            for worker in self._busy:
                worker.stop(TemporarilyUnavailable("the reading of files was stopped"))
        self.drop_idle()


POOL = Pool()
atexit.register(POOL.stop)
