"""The decision model: its interface and its results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import TypeAdapter

from selfrag.domain.calls import Flaw, JudgedVerdict
from selfrag.domain.decisions import DecisionQuestion, Distribution
from selfrag.ports.model import ModelRequest

ANSWERS: TypeAdapter[dict[str, Distribution]] = TypeAdapter(dict[str, Distribution])


@dataclass(frozen=True)
class Decisions(ModelRequest):
    """The probabilities of each question's options by the question's name, or None and the flaw.

    `key` is their key in the verdict cache, "" without one.
    """

    answers: Mapping[str, Distribution] | None
    flaw: Flaw | None = None
    key: str = ""

    @property
    def usage(self) -> dict[str, Any]:
        """Return the request as the fields of a step's result; the limit of calls counts language models alone."""
        judged = []
        if self.answers is not None and self.key:
            judged = [JudgedVerdict(key=self.key, verdict=ANSWERS.dump_json(dict(self.answers)).decode())]
        return {**super().usage, "judged": judged, "flaw": self.flaw, "attempts": 0}


class Decider(Protocol):
    """A decision model: it answers typed questions about a state."""

    @property
    def model(self) -> str:
        """Return the name of the model."""

    def ask(self, step: str, state: Mapping[str, object], questions: Mapping[str, DecisionQuestion]) -> Decisions:
        """Return the answers to all questions about a state.

        Fails closed: states that may not fit, and refused, incomplete, malformed or missing replies, have no answers.
        It raises none of selfrag's errors: another judge decides then.
        """
