"""The `selfrag` command: asks questions about documents, on this laptop or in a deployment, and manages both."""

import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from typing import Annotated, Any, NoReturn

import typer
from pydantic import BaseModel
from typer._click.exceptions import NoSuchOption
from typer.core import TyperGroup

from selfrag.domain.errors import SelfragError
from selfrag_cli.commands.collections import collections
from selfrag_cli.commands.deployment import doctor, restore, rollback
from selfrag_cli.commands.documents import documents, ingest, search
from selfrag_cli.commands.examples import examples_of
from selfrag_cli.commands.models import models
from selfrag_cli.commands.questions import ask, chat, trace
from selfrag_cli.commands.serving import mcp, serve
from selfrag_cli.lab.commands import evaluate, graders
from selfrag_cli.local.home import explain, is_damage, is_full
from selfrag_cli.local.sources.report import Interruption, MassRemoval
from selfrag_cli.terminal import fail

# Command groups of --help.
GROUPS: dict[str, dict[str, Callable[..., None]]] = {
    "Ask": {"ask": ask, "chat": chat, "trace": trace, "serve": serve, "mcp": mcp},
    "Documents": {"ingest": ingest, "documents": documents, "search": search},
    "Measure and compare": {"models": models, "eval": evaluate, "eval graders": graders},
    "A deployment": {"doctor": doctor, "rollback": rollback, "restore": restore},
}


# The extra of selfrag that provides a package.
EXTRAS = {"boto3": "aws", "botocore": "aws", "mcp": "agents", "mcp_types": "agents", "scrapy": "sites"}


class Commands(TyperGroup):
    """A command group in which some names have two words."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an unknown option that is a field of the policy gets an example."""
        try:
            return super().invoke(ctx)
        except NoSuchOption as error:
            from selfrag.domain.policy import Policy

            for name, value in Policy():
                if name.replace("_", "") == re.sub("[-_]", "", error.option_name) and not isinstance(value, BaseModel):
                    error.message += f". It is a field of the policy: --policy '{json.dumps({name: value})}'"
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the command of the first two words, else of the first."""
        both = " ".join(args[:2])
        return super().resolve_command(ctx, [both, *args[2:]] if both in self.commands else args)


app = typer.Typer(
    cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__
)
for group, commands in GROUPS.items():
    for name, command in commands.items():
        app.command(name, rich_help_panel=group, epilog=examples_of(name))(command)
app.add_typer(collections, name="collections", rich_help_panel="Documents")


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"selfrag {version('selfrag')}")
        raise typer.Exit


@app.callback(epilog=examples_of())
def options(
    prints_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Handle the global options."""


def _leave(sentence: str = "") -> NoReturn:
    """Exit an interrupted command without waiting for its threads; unsaved work is repeated later."""
    if sentence:
        with suppress(SystemExit):
            fail(sentence)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(130)


def main() -> None:
    """Run the command; an error prints one sentence on stderr and exits non-zero."""
    # Log lines are for CloudWatch, not the terminal; commands import the handlers later.
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "CRITICAL")
    os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")
    try:
        app()
    except Interruption as error:
        _leave(str(error))
    except SelfragError as error:
        fail(str(error), code=1 if isinstance(error, MassRemoval) else 2)
    except KeyboardInterrupt:
        _leave()
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and (extra := EXTRAS.get((error.name or "").partition(".")[0])):
            fail(f"This needs the extra `{extra}` of selfrag: `pip install '.[{extra}]'` in a clone.")
        if is_damage(error) or is_full(error):
            fail(explain(error))
        if os.environ.get("SELFRAG_DEBUG"):
            raise
        fail(f"Unexpected {type(error).__name__}: {error} (set SELFRAG_DEBUG=1 to see where).")


if __name__ == "__main__":
    main()
