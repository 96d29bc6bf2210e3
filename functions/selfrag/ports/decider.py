"""The decision model: its interface, its results, and the questions of a step."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

from pydantic import TypeAdapter

from selfrag.domain.calls import Flaw, JudgedVerdict
from selfrag.domain.decisions import DecisionQuestion, Distribution
from selfrag.ports.model import ModelRequest, UsageFields

ANSWERS: TypeAdapter[dict[str, Distribution]] = TypeAdapter(dict[str, Distribution])
_QUESTIONS: TypeAdapter[dict[str, DecisionQuestion]] = TypeAdapter(dict[str, DecisionQuestion])


@dataclass(frozen=True)
class Decisions(ModelRequest):
    """The probabilities of each question's options by the question's name, or None and the flaw.

    `key` is their key in the verdict cache, "" without one.
    """

    answers: Mapping[str, Distribution] | None
    flaw: Flaw | None = None
    key: str = ""

    @property
    def usage(self) -> UsageFields:
        """Return the request as the fields of a step's result; the limit of calls counts language models alone."""
        judged = []
        if self.answers is not None and self.key:
            judged = [JudgedVerdict(key=self.key, verdict=ANSWERS.dump_json(dict(self.answers)).decode())]
        return {**super().usage, "judged": judged, "flaw": self.flaw, "attempts": 0}


class Decider(Protocol):
    """A decision model: it answers typed questions about a state, and writes nothing."""

    @property
    def model(self) -> str:
        """Return the name of the model."""

    def ask(self, step: str, state: Mapping[str, object], questions: Mapping[str, DecisionQuestion]) -> Decisions:
        """Return the answers to all questions about a state.

        Fails closed: a state that may not fit the model, a refused, incomplete or malformed reply, and one that does
        not come, have no answers. It raises none of selfrag's errors: another judge decides then.
        """


@dataclass(frozen=True)
class Questions:
    """The questions of a step's `questions.yaml` by name."""

    by_name: Mapping[str, DecisionQuestion]

    def about(self, name: str, item: str) -> DecisionQuestion:
        """Return a question whose instructions name one item of the state in place of `{item}`."""
        question = self.by_name[name]
        return question.model_copy(update={"instructions": question.instructions.replace("{item}", item)})


@cache
def load_questions(module: str) -> Questions:
    """Return the `questions.yaml` of the package that a module is in, by its `__name__`."""
    import yaml  # only a deployment with a decision model reads the file

    text = (files(module.rpartition(".")[0]) / "questions.yaml").read_text(encoding="utf-8")
    return Questions(_QUESTIONS.validate_python(yaml.safe_load(text)))
