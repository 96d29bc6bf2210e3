"""Every command in the documentation is run, and every path that the README promises is seen."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Ask
from tests.support.command import ROOT, Command

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", README, re.S) for line in block.splitlines() if line.strip()
]
ROWS = re.findall(r"^\| ([^|]+) \| `make ask ([^`]+)` \| ([^|]+) \|$", README, re.M)


def run(command: Command, line: str) -> Any:
    words = shlex.split(line)
    if words[0] == "make":
        return command.make(*words[1:])
    assert words[0] == ".venv/bin/selfrag"
    return Command(ROOT, tuple(command.env().items()))(*words[1:])


@pytest.mark.parametrize("line", [line for line in COMMANDS if line != "make test"])
def test_every_command_of_the_readme_works(read: Command, line: str) -> None:
    if line.endswith("trace"):
        assert read.make("ask", "Q=What is 2 + 2?").code == 0
    ended = run(read, line)
    assert ended.code == 0, ended.err
    assert ended.out


def test_the_readme_names_the_two_commands() -> None:
    assert "make test" in COMMANDS
    assert COMMANDS[0].startswith('make ask Q="')
    assert len(ROWS) >= 7


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[row[0] for row in ROWS])
def test_every_path_of_the_readme_is_seen_with_its_question(ask_handbook: Ask, number: int) -> None:
    _, asked, shown = ROWS[number]
    # The row above a follow-up asks the question that it follows.
    previous = ask_handbook(question_of(ROWS[number - 1][1]))["id"] if "PREVIOUS=ID" in asked else ""
    response = ask_handbook(question_of(asked), previous=previous)
    path, _, status = shown.rpartition(" ")
    assert f"`{response['status']}`" == status
    assert response["path"] == path.split(" → ")


def question_of(asked: str) -> str:
    return next(word for word in shlex.split(asked) if word.startswith("Q=")).removeprefix("Q=")


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda p: p.name)
def test_every_link_of_the_documentation_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
