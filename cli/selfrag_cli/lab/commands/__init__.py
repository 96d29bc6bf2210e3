"""The laboratory's commands, as `selfrag` lists them."""

from collections.abc import Callable

from selfrag_cli.lab.commands.bench import bench
from selfrag_cli.lab.commands.evaluation import evaluate
from selfrag_cli.lab.commands.extra import in_lab
from selfrag_cli.lab.commands.graders import graders
from selfrag_cli.lab.commands.question_sets import questions
from selfrag_cli.lab.commands.replay import replay

COMMANDS: dict[str, Callable[..., None]] = {
    "questions": in_lab(questions),
    "eval": in_lab(evaluate),
    "eval graders": in_lab(graders),
    "replay": in_lab(replay),
    "bench": in_lab(bench),
}
