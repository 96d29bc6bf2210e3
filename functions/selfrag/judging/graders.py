"""Judges of a step: the model with its prompt, and those asked before it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypedDict, TypeVar

from pydantic import BaseModel

from selfrag.domain.decisions import DecisionQuestion, Thresholds
from selfrag.domain.verdicts import JudgedBy, judged_by
from selfrag.judging.keys import verdict_key
from selfrag.judging.questions import Questions
from selfrag.ports.decider import Decider, Decisions
from selfrag.ports.model import Claude, Judgement, Prompt

V = TypeVar("V", bound=BaseModel)
# Judge of a step: Claude; a decision model with Claude as the fallback; or both by thresholds.
GraderKind = Literal["claude", "decider", "cascade"]


class JudgeFields(TypedDict):
    """The fields of a verdict that identify its judge."""

    judged_by: JudgedBy
    model: str


@dataclass(frozen=True)
class DecisionGrader:
    """A decision model as the first judge of a step, with the step's questions.

    Without `thresholds` its verdicts are final, except those that release an answer unchecked, unless the thresholds
    were `measured` on labelled rows.
    """

    step: str
    decider: Decider
    questions: Questions
    thresholds: Thresholds | None = None
    measured: bool = False

    @property
    def judge_fields(self) -> JudgeFields:
        """Return the fields that identify the judge."""
        return {"judged_by": "decider", "model": self.decider.model}

    def ask(self, state: Mapping[str, object], questions: Mapping[str, DecisionQuestion]) -> Decisions:
        """Return the probabilities of each question's options; see `Decider.ask`."""
        return self.decider.ask(self.step, state, questions)

    def is_conclusive(self, probability: float, *, if_low: bool = True) -> bool:
        """Return whether a verdict of this probability is conclusive; a sure no only `if_low`."""
        if self.thresholds is None:
            return True
        return self.thresholds.is_sure(probability) and (if_low or probability >= self.thresholds.upper)


@dataclass(frozen=True)
class Grader:
    """A step's judge: a prompt and a model, which may be cached.

    `first` is asked before: a smaller model or a decision model, which may precede the smaller model. `collections` are
    those of the question.
    """

    step: str
    prompt: Prompt
    claude: Claude
    first: "Grader | DecisionGrader | None" = None
    collections: Collection[str] = ()

    @property
    def model(self) -> str:
        """Return the judging model's id."""
        return self.claude.model_of(self.step)

    @property
    def judged_by(self) -> JudgedBy:
        """Return the kind of judge: a model, or the stand-in's rules."""
        return judged_by(self.model)

    @property
    def judge_fields(self) -> JudgeFields:
        """Return the fields that identify the judge."""
        return {"judged_by": self.judged_by, "model": self.model}

    @property
    def smaller(self) -> "Grader | None":
        """Return the smaller model that is asked first, or None."""
        return self.first if isinstance(self.first, Grader) else None

    @property
    def decider(self) -> DecisionGrader | None:
        """Return the decision model that is asked first, or None."""
        return self.first.decider if isinstance(self.first, Grader) else self.first

    def add_decider(self, decider: DecisionGrader) -> "Grader":
        """Return the judge with a decision model before it and its smaller model."""
        return replace(self, first=self.first.add_decider(decider) if isinstance(self.first, Grader) else decider)

    def is_conclusive(self, probability: float | None, *, if_low: bool = True) -> bool:
        """Return whether the decision model's verdict is conclusive; a sure no only `if_low`.

        Without a verdict this judge decides, unless it is a rule.
        """
        if probability is None or self.decider is None:
            return self.judged_by == "rule"
        return self.decider.is_conclusive(probability, if_low=if_low)

    def grade(self, texts: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        """Judge `texts` in the given shape.

        Fails closed: a refused, cut, malformed or missing reply is no verdict and is not cached. Raises selfrag's typed
        errors if a retry would not help.
        """
        judged = self.claude.judge(self.step, self.prompt, texts, shape)
        key = verdict_key(self.claude, self.step, self.prompt, shape, texts, self.collections)
        return replace(judged, key=key)
