"""The laboratory's commands, as `selfrag` lists them."""

from collections.abc import Callable

from cli.lab.commands.evaluation import evaluate
from cli.lab.commands.graders import graders
from cli.lab.commands.question_sets import questions
from cli.lab.commands.replay import replay

COMMANDS: dict[str, Callable[..., None]] = {
    "questions": questions,
    "eval": evaluate,
    "eval graders": graders,
    "replay": replay,
}
