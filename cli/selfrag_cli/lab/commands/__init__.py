"""The laboratory's commands, as `selfrag` lists them."""

from collections.abc import Callable

from selfrag_cli.lab.commands.evaluation import evaluate
from selfrag_cli.lab.commands.graders import graders
from selfrag_cli.lab.commands.replay import replay

COMMANDS: dict[str, Callable[..., None]] = {
    "eval": evaluate,
    "eval graders": graders,
    "replay": replay,
}
