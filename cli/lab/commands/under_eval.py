"""`selfrag eval graders`: a command under one that takes a file of questions."""

from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from cli.lab.commands.extra import in_lab
from cli.lab.commands.graders import graders

_GRADERS = typer.Typer(add_completion=False)
_GRADERS.command()(in_lab(graders))


class Eval(TyperCommand):
    """The command `eval`, whose first argument may be the name of the command under it."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Read the arguments of the command under this one where it is named, else of this one."""
        if args[:1] == ["graders"]:
            return get_command(_GRADERS).make_context(f"{info_name} graders", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)
