"""The command's help: its version, its commands in groups, and examples that are valid."""

import re
import shlex
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from selfrag_cli.commands.examples import EXAMPLES
from selfrag_cli.main import GROUPS, app
from tests.support.command import ROOT

LINES = [line for lines in EXAMPLES.values() for line in lines]
COMMANDS = [*(name for commands in GROUPS.values() for name in commands), "collections"]


def said(*words: str) -> str:
    ended = CliRunner().invoke(app, words, env={"COLUMNS": "200", "TERM": "dumb"})
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_the_version_is_that_of_the_package() -> None:
    declared = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M)
    assert declared
    assert said("--version") == f"selfrag {declared[1]}\n"


def test_help_lists_every_command_by_group_with_examples() -> None:
    shown = said("--help")
    groups = [re.search(rf"{group} ─.*?╰", shown, re.S) for group in GROUPS]
    assert [name for found in groups if found for name in re.findall(r"^│ ((?:\w+ )?\w+)  ", found[0], re.M)] == [
        name for commands in GROUPS.values() for name in [*commands, *(["collections"] if "search" in commands else [])]
    ]
    for first, *_ in EXAMPLES.values():
        assert first in shown


@pytest.mark.parametrize("line", LINES)
def test_a_command_takes_the_examples_that_its_help_shows(line: str) -> None:
    program, *words = shlex.split(line)
    assert program == "selfrag"
    group: Any = typer.main.get_command(app)
    name, command, given = group.resolve_command(None, words)
    assert line in said(*name.split(), "--help")
    command.make_context(name, given)


def test_no_example_is_of_a_command_that_is_not_there() -> None:
    assert set(EXAMPLES) <= set(COMMANDS)
