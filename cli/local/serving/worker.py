"""What a worker process of the served API holds: a local stack that runs questions, with the backends' stand-ins."""

import os
from contextlib import ExitStack
from typing import Any

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
from selfrag.bootstrap import api
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
        stack = running_stack(environment, backends.secrets, parts=parts, parse=kept_programs())
        self._opened.enter_context(stack)
        self._opened.enter_context(kept_tables())
        collect_as_usual()

    def answer(self, question_id: str, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Run a question to its end."""
        return api.executions().answer(question_id, payload)

    def snapshot(self, question_id: str) -> Snapshot | None:
        """The execution of a question, at work or of the last that have ended."""
        return api.executions().snapshot(question_id)

    def history(self, question_id: str) -> list[dict[str, Any]]:
        """The events of the execution of a question so far."""
        return api.executions().history(question_id)

    def watch(self, question_id: str, seen: int, seconds: float) -> int | None:
        """How many events the execution of a question has had, as soon as they are more than `seen`."""
        return watch(question_id, seen, seconds)
