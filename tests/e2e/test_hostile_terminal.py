"""Document texts reach the terminal as plain text, without escape sequences."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import Command

EVIL = (
    "\x1b]0;PWNED\x07 \x1b]52;c;cHduZWQ=\x07 \x1b[2J\x1b[H \x1b]8;;http://evil\x07click\x1b]8;;\x07 "
    "\x9b2J \x9d0;PWNED\x9c \u202eevil\u202c \u2066x\u2069 \x08\x7f"
)
# The command's own sequences: colours, and the movements of a progress bar.
OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[1A|\x1b\[2K|\r")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
QUESTION = "How many weeks of parental leave?"


def at_a_terminal(command: Command, *arguments: str) -> str:
    """Return both streams of a command at a pseudo-terminal."""
    controlling, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "selfrag_cli.main", *arguments],
        cwd=command.home,
        env={**command.env(), "TERM": "xterm-256color"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    written = bytearray()
    try:
        while part := os.read(controlling, 65_536):
            written += part
    except OSError:  # the other end is closed
        pass
    os.close(controlling)
    assert process.wait(timeout=60) == 0, written.decode(errors="replace")
    return written.decode()


@pytest.fixture(scope="module")
def answered(tmp_path_factory) -> tuple[Command, Path, str]:
    home = tmp_path_factory.mktemp("home")
    documents = home / "documents"
    documents.mkdir()
    text = f"# Leave {EVIL}\n\nEach parent receives 18 weeks {EVIL} of parental leave {EVIL} at full pay.\n"
    (documents / "leave.md").write_text(text, encoding="utf-8")
    (documents / "meals\x1b]0;PWNED\x07\u202e.txt").write_text(f"Meals {EVIL}\n\nA meal is paid for.", encoding="utf-8")
    command = Command(home)
    ended = command("ask", "--json", "--docs", str(documents), "--", QUESTION)
    return command, documents, ended.response["id"]


COMMANDS = {
    "ask": ("ask", "--docs", "DOCS", "--", QUESTION),
    "ask --verdicts": ("ask", "--verdicts", "--docs", "DOCS", "--", QUESTION),
    "a question of the document's words": ("ask", "--docs", "DOCS", "--", f"parental leave {EVIL.replace(chr(8), '')}"),
    "search": ("search", "--docs", "DOCS", "--", "parental leave"),
    "search --json": ("search", "--json", "--docs", "DOCS", "--", "parental leave"),
    "trace": ("trace", "ID"),
    "trace --full": ("trace", "--full", "ID"),
    "trace --json": ("trace", "--json", "ID"),
    "documents": ("documents", "--docs", "DOCS"),
    "ingest": ("ingest", "DOCS", "--collection", "leave"),
    "collections": ("collections",),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_document_text_cannot_control_terminal(name, answered):
    command, documents, question_id = answered
    given = {"DOCS": str(documents), "ID": question_id}
    written = at_a_terminal(command, *(given.get(argument, argument) for argument in COMMANDS[name]))
    assert written.strip()
    assert not CONTROL.findall(OURS.sub("", written)), repr(written)


def test_control_characters_of_a_document_are_shown_as_symbols(answered):
    command, documents, _ = answered
    written = at_a_terminal(command, "ask", "--docs", str(documents), "--", QUESTION)
    assert "␛]52;c;cHduZWQ=" in written.replace("\r\n", "")
    assert "18 weeks" in written
