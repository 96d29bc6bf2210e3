"""Terminal chat: each question follows the last answered one."""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.history import Step
from selfrag.domain.questions import AskRequest, read_request
from selfrag_cli.show.answers import read_response, show_response, show_sources, show_verdicts
from selfrag_cli.show.traces import failure_notes
from selfrag_cli.terminal import out, print_error

Reply = tuple[Mapping[str, Any], Sequence[Step]]
HELP = """\
/sources  the sources of the last answer, with what it quotes
/why      its claims and all other verdicts, its path and its cost
/trace    the steps of the last question
/help     this list
/quit     the end, as Ctrl-D; Ctrl-C cancels an answer, and not the chat"""
_COMMAND = re.compile(r"/\w*")


class Chat:
    """A conversation; `request` has the policy, filters and initial earlier answer.

    `ask` returns a response and its steps, and stops on Ctrl-C. `trace` shows a response's execution.
    """

    def __init__(
        self, request: AskRequest, ask: Callable[[AskRequest], Reply], trace: Callable[[Mapping[str, Any]], None]
    ) -> None:
        self._request, self._reply_to, self._trace = request, ask, trace
        # The last answer, and the last response, which may be a failure.
        self._answer: Reply | None = None
        self._response: Mapping[str, Any] | None = None

    def run(self) -> None:
        """Answer each input line until the input ends."""
        # If available, readline adds editing and a history to input().
        with suppress(ImportError):
            import readline  # noqa: F401
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
        prompt = "> " if sys.stdin.isatty() else ""
        while True:
            try:
                line = input(prompt).strip()
                if line == "/quit":
                    return
                if _COMMAND.fullmatch(line):
                    self._show(line)
                elif line:
                    self._ask(line)
            except EOFError:
                return
            except KeyboardInterrupt:
                print_error("Cancelled; Ctrl-D ends the chat.")
            except SelfragError as error:
                print_error(str(error))

    def _ask(self, question: str) -> None:
        request = self._request.model_copy(update={"question": read_request(question).question})
        response, steps = self._reply_to(request)
        self._response = response
        if response["status"] == "failed":
            raise SelfragError(" ".join([response["answer"], *failure_notes(steps)]))
        self._answer = response, steps
        self._request = request.model_copy(update={"previous": response["id"]})
        show_response(out, response, steps, in_chat=True)

    def _show(self, command: str) -> None:
        """Run a chat command; raises InvalidInput for an unknown one, or with nothing to show yet."""
        if command == "/help":
            out.print(HELP)
        elif command not in ("/sources", "/why", "/trace"):
            raise InvalidInput(f"There is no {command} here; /help lists what there is.")
        elif command == "/trace" and self._response:
            self._trace(self._response)
        elif command != "/trace" and self._answer:
            response, steps = read_response(self._answer[0]), self._answer[1]
            if command == "/sources":
                show_sources(out, response.citations)
            else:
                show_verdicts(out, response, steps)
        else:
            raise InvalidInput("There is nothing to show yet: ask a question first.")
