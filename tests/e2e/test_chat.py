"""`selfrag chat` at a pseudo-terminal, and with questions from a pipe."""

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.e2e.test_agents import was_stopped
from tests.e2e.test_serve import served
from tests.support.command import Command, Ended
from tests.support.doubles.model_server import ModelServer
from tests.support.serving import eventually

pytestmark = pytest.mark.longest(20)

SECONDS = 60.0
CTRL_C, CTRL_D = "\x03", "\x04"
PROMPT = r"> $"
QUESTION = "How many weeks of parental leave does each parent receive?"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Typist:
    """A person at a terminal, who types and reads up to a pattern."""

    def __init__(self, controlling: int, process: "subprocess.Popen[bytes]") -> None:
        self._controlling, self._process = controlling, process

    def types(self, text: str) -> None:
        os.write(self._controlling, text.encode())

    def reads(self, pattern: str = PROMPT, seconds: float = SECONDS) -> str:
        """Return the output up to a pattern, without escape sequences."""
        ends, written = time.monotonic() + seconds, b""
        while not re.search(pattern, text := CONTROL.sub("", written.decode(errors="replace"))):
            ready, _, _ = select.select([self._controlling], [], [], max(0.0, ends - time.monotonic()))
            assert ready, f"{pattern} did not come after: {text}"
            try:
                written += os.read(self._controlling, 65_536)
            except OSError:
                raise AssertionError(f"the chat ended after: {text}") from None
        return text

    def asks(self, line: str) -> str:
        self.types(f"{line}\n")
        return self.reads(rf"{re.escape(line)}\n(?s:.*){PROMPT}")

    def interrupts(self) -> None:
        """Press Ctrl-C until it is handled: Python's input() loses a signal just before it waits."""
        for _ in range(20):
            self.types(CTRL_C)
            with suppress(AssertionError):
                self.reads(f"Cancelled.*\n.*{PROMPT}", SECONDS / 20)
                return
        raise AssertionError("nothing was cancelled")

    def ends(self) -> int:
        self.types(CTRL_D)
        return self._process.wait(timeout=SECONDS)


@contextmanager
def chatting(command: Command, *arguments: str) -> Iterator[Typist]:
    controlling, terminal = pty.openpty()

    def take_the_terminal() -> None:
        os.setsid()
        # Background jobs may ignore SIGINT; terminals do not.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [sys.executable, "-m", "selfrag_cli.main", "chat", *arguments],
        cwd=command.home,
        env={**command.env(), "TERM": "xterm"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        preexec_fn=take_the_terminal,
    )
    os.close(terminal)
    try:
        typist = Typist(controlling, process)
        typist.reads()
        yield typist
    finally:
        process.kill()
        process.wait()
        os.close(controlling)


def piped(command: Command, *arguments: str, lines: bytes) -> Ended:
    ended = subprocess.run(
        [sys.executable, "-m", "selfrag_cli.main", "chat", *arguments],
        cwd=command.home,
        env=command.env(),
        input=lines,
        capture_output=True,
        timeout=120,
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    documents = tmp_path / "towns"
    documents.mkdir()
    text = "# Harbours\n\nA berth in Aston costs 34 euros per night. A berth in Brill costs 29 euros per night.\n"
    (documents / "towns.md").write_text(text, encoding="utf-8")
    return documents


def test_follow_up_uses_previous_turn_and_commands_explain_last_answer(fresh: Command, towns: Path) -> None:
    with chatting(fresh, "--docs", str(towns)) as typist:
        assert "There is nothing to show yet" in typist.asks("/why")
        # Typed at once, while the first answer is prepared: a terminal drops characters that it has not yet echoed.
        typist.types("What does a berth in Crab cost per night?\n")
        typist.reads(r"night\?\n")
        typist.interrupts()
        first = typist.asks("What does a berth in Aston cost per night?")
        assert "34 euros" in first
        assert "[1] towns.md" not in first
        assert "29 euros" in typist.asks("And in Brill?")
        sources = typist.asks("/sources")
        assert "[1] towns.md" in sources
        assert "A berth in Brill costs 29 euros per night." in sources
        assert "IsSup" in typist.asks("/why")
        assert "And in Brill?" in typist.asks("/trace")
        assert "/sources" in typist.asks("/help")
        assert "There is no /nothing here; /help lists" in typist.asks("/nothing")
        (towns / "more.md").write_text("# Crab\n\nA berth in Crab costs 55 euros per night.\n", encoding="utf-8")
        assert "55 euros" in typist.asks("What does a berth in Crab cost per night?")
        assert typist.ends() == 0


def test_ctrl_c_cancels_an_answer_and_the_chat_continues(read: Command) -> None:
    hangs = [False]
    with ModelServer(lambda step, n: "timeout" if hangs[0] and step == "grade_relevance" else None) as model:
        command = Command(read.home, (("ANTHROPIC_API_KEY", "sk-of-nobody"), ("ANTHROPIC_BASE_URL", model.url)))
        with chatting(command) as typist:
            typist.asks(QUESTION)
            hangs[0] = True
            typist.types("And how many hours?\n")
            typist.reads("grade_relevance")
            typist.interrupts()
            assert eventually(lambda: was_stopped(command))
            hangs[0] = False
            # Ctrl-C discards the typed line, and the chat continues.
            typist.types("half a question")
            typist.reads("half a question")
            typist.interrupts()
            assert "claims supported" in typist.asks("And for how many days?")
            assert typist.ends() == 0
        decisions = [body for body in map(str, model.asked("decide_retrieval")) if "And for how many days?" in body]
        assert decisions
        assert all(QUESTION in body and "hours" not in body for body in decisions)


def test_a_failed_question_is_a_sentence_and_no_turn_of_the_chat(read: Command) -> None:
    status = [0]
    with ModelServer(lambda step, n: status[0] or None) as model:
        command = Command(read.home, (("ANTHROPIC_API_KEY", "sk-of-nobody"), ("ANTHROPIC_BASE_URL", model.url)))
        with chatting(command) as typist:
            typist.asks(QUESTION)
            status[0] = 401
            failed = typist.asks("And how many hours?")
            assert "refused the key" in failed
            assert failed.count("selfrag: ") == 1
            assert "failed" in typist.asks("/trace")
            assert "people/parental-leave.md" in typist.asks("/sources")
            assert "The question was not accepted" in typist.asks("x" * 2_001)
            status[0] = 0
            assert "claims supported" in typist.asks("And for how many days?")
            assert typist.ends() == 0
        decisions = [body for body in map(str, model.asked("decide_retrieval")) if "And for how many days?" in body]
        assert decisions
        assert all(QUESTION in body and "hours" not in body for body in decisions)


def test_questions_come_from_a_pipe_too_a_line_each(read: Command) -> None:
    ended = piped(read, lines=f"\n{QUESTION}\n/sources\n\xff\n".encode("latin-1"))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[1].startswith("Each parent receives 18 weeks")
    assert "[1] people/parental-leave.md" in ended.out
    assert piped(read, lines=b"/quit\nWhat is left?\n").out.count("\n") == 1


def test_a_chat_goes_on_from_an_earlier_answer(fresh: Command, towns: Path) -> None:
    docs = ("--docs", str(towns))
    first = fresh("ask", "What does a berth in Aston cost per night?", "--json", *docs).response
    assert "29 euros" in piped(fresh, *docs, "--previous", first["id"], lines=b"And in Brill?\n").out
    ended = piped(fresh, *docs, "--previous", "nothing", lines=b"And in Brill?\n")
    assert (ended.code, ended.err.count("\n")) == (0, 1)
    assert "There is no answer with the id nothing here" in ended.err


def test_a_deployment_is_asked_too(read: Command) -> None:
    with served(read, "--token") as address:
        arguments = ("--endpoint", address, "--api-key", address.token)
        ended = piped(read, *arguments, lines=f"{QUESTION}\n/sources\n/why\n".encode())
        assert ended.code == 0, ended.err
        assert "people/parental-leave.md" in ended.out
        assert "Path" in ended.out
