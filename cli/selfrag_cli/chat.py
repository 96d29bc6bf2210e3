"""A chat at the terminal: each question follows the last one that was answered."""

import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from anyio.from_thread import start_blocking_portal

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.history import Step
from selfrag.domain.questions import AskRequest, read_request
from selfrag_cli.agents.services import AgentCaller, AgentService
from selfrag_cli.show.answers import read_response, show_response, show_sources, show_verdicts
from selfrag_cli.show.traces import causes
from selfrag_cli.terminal import current_step, out, print_error

HELP = """\
/sources  the sources of the last answer, with what it quotes
/why      its claims and all other verdicts, its path and its cost
/trace    the steps of the last question
/help     this list
/quit     the end, as Ctrl-D; Ctrl-C cancels an answer, and not the chat"""
_COMMAND = re.compile(r"/\w*")
_NOTHING = "There is nothing to show yet: ask a question first."


class Chat:
    """A conversation with a service, which is a deployment's if it `is_remote`.

    `request` has the policy and the filters of all questions, and the id of the answer that the first one follows.
    `show_trace` shows an execution by its question's id, of a deployment by its ARN.
    """

    def __init__(
        self,
        service: AgentService,
        request: AskRequest,
        key: str,
        is_remote: bool,
        show_trace: Callable[[str], None],
    ) -> None:
        self._service, self._request, self._key = service, request, key
        self._is_remote, self._show_trace = is_remote, show_trace
        # The last answer, and the response to the last question, which may have failed.
        self._answer: Mapping[str, Any] = {}
        self._response: Mapping[str, Any] = {}
        self._commands: Mapping[str, Callable[[], None]] = {
            "/sources": lambda: show_sources(out, self._answered().citations),
            "/why": lambda: show_verdicts(out, self._answered(), self._steps(self._answer)),
            "/trace": self._trace,
            "/help": lambda: out.print(HELP),
        }

    def run(self) -> None:
        """Answer what is typed, a line a question, until the input ends.

        Raises InvalidInput for an earlier answer that is not there.
        """
        # Where Python has it, input() edits lines with it, and brings back those of this chat.
        with suppress(ImportError):
            import readline  # noqa: F401
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
        if previous := self._request.previous:
            self._answer = self._response = self._wait(
                lambda caller: self._service.get(f"/v1/questions/{previous}", {}, caller)
            )
        prompt = "> " if sys.stdin.isatty() else ""
        while True:
            try:
                line = input(prompt).strip()
                if line == "/quit":
                    return
                if line:
                    self._respond(line)
            except EOFError:
                return
            except KeyboardInterrupt:
                print_error("Cancelled; Ctrl-D ends the chat.")
            except SelfragError as error:
                print_error(str(error))

    def _respond(self, line: str) -> None:
        if not _COMMAND.fullmatch(line):
            self._ask(line)
        elif line in self._commands:
            self._commands[line]()
        else:
            raise InvalidInput(f"There is no {line} here; /help lists what there is.")

    def _ask(self, question: str) -> None:
        request = self._request.model_copy(update={"question": read_request(question).question})
        self._response = self._wait(lambda caller: self._service.ask(request, caller))
        if "usage" not in self._response:
            raise SelfragError("The question ended without an answer; /trace says how far it came.")
        steps = self._steps(self._response)
        if self._response["status"] == "failed":
            raise SelfragError(" ".join([self._response["answer"], *causes(steps)]))
        self._answer = self._response
        self._request = self._request.model_copy(update={"previous": self._answer["id"]})
        show_response(out, self._answer, steps, in_chat=True)

    def _wait(self, call: Callable[[AgentCaller], Awaitable[Mapping[str, Any]]]) -> Mapping[str, Any]:
        """Return the reply to a call; Ctrl-C cancels it, and what it began has ended then."""
        with current_step() as show_step, start_blocking_portal() as portal:

            async def on_state(name: str) -> None:
                show_step(name)

            reply = portal.start_task_soon(call, AgentCaller(self._key, on_state))
            try:
                return reply.result()
            except KeyboardInterrupt:
                reply.cancel()
                raise

    def _answered(self) -> AnswerResponse:
        """Return the last answer; raises InvalidInput if there is none that can be read."""
        if not self._answer:
            raise InvalidInput(_NOTHING)
        return read_response(self._answer)

    def _steps(self, response: Mapping[str, Any]) -> Sequence[Step]:
        """Return the steps of a response's execution; none of a deployment's, which its operator alone may read."""
        from selfrag_cli.local.stores.histories import last_history

        history = None if self._is_remote else last_history(response["id"])
        return history.steps if history else []

    def _trace(self) -> None:
        if not self._response:
            raise InvalidInput(_NOTHING)
        self._show_trace(self._response["execution"]["arn"] if self._is_remote else self._response["id"])
