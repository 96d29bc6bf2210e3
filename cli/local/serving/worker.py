"""What a worker process of the served API holds: a local stack that runs questions, with the backends' stand-ins."""

import os
from contextlib import ExitStack
from typing import Any

from cli.local.aws.definitions import WORKFLOWS
from cli.local.aws.kept import kept_tables
from cli.local.aws.lighter.programs import kept_programs
from cli.local.aws.stack import running_stack
from cli.local.aws.watching import watch
from cli.local.backends import chosen_backends
from cli.local.index import local_parts
from cli.local.place import Place
from cli.local.serving.memory import collect_as_usual, share_memory
from cli.local.setup import Setup
from selfrag import bootstrap
from selfrag.ports.executions import Snapshot


class QuestionWorker:
    """A local stack for a place's questions, which ends with its process; `threads` may embed at a time."""

    def __init__(self, place: Place, threads: int, setup: Setup) -> None:
        share_memory()
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))
        self._opened = ExitStack()
        backends = self._opened.enter_context(chosen_backends(place))
        environment = {**backends.environment, **({"SELFRAG_PROFILE": setup.profile} if setup.profile else {})}
        parts: bootstrap.Parts = {**local_parts(), "prompts": dict(setup.prompts)}
        parse, workflows = kept_programs(), list(WORKFLOWS)
        stack = running_stack(environment, backends.secrets, parts=parts, workflows=workflows, parse=parse)
        self._opened.enter_context(stack)
        self._opened.enter_context(kept_tables())
        collect_as_usual()

    def answer(self, question_id: str, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Run a question to its end."""
        return bootstrap.executions().answer(question_id, payload)

    def snapshot(self, question_id: str, strategy: str) -> Snapshot | None:
        """The execution of a question, at work or of the last that have ended."""
        return bootstrap.executions().snapshot(question_id, strategy)

    def history(self, question_id: str, strategy: str) -> list[dict[str, Any]]:
        """The events of the execution of a question so far."""
        return bootstrap.executions().history(question_id, strategy)

    def watch(self, question_id: str, seen: int, seconds: float) -> int | None:
        """How many events the execution of a question has had, as soon as they are more than `seen`."""
        return watch(question_id, seen, seconds)
