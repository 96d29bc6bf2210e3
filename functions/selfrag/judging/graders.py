"""Judges of a step: the model with its prompt, and those asked before it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from selfrag.domain.decisions import DecisionQuestion, Thresholds
from selfrag.domain.verdicts import JudgedBy, judged_by
from selfrag.ports.decider import Decider, Decisions
from selfrag.ports.model import Claude, Judgement, Prompt

V = TypeVar("V", bound=BaseModel)
# Judge of a step: Claude; a decision model with Claude as the fallback; or both by thresholds.
GraderKind = Literal["claude", "decider", "cascade"]


@dataclass(frozen=True)
class DecisionGrader:
    """A decision model as the first judge of a step, with the step's questions.

    Without `thresholds` its verdicts are final, except those that release an answer unchecked, unless the thresholds
    were `measured` on labelled rows.
    """

    step: str
    decider: Decider
    questions: Mapping[str, DecisionQuestion]
    thresholds: Thresholds | None = None
    measured: bool = False

    @property
    def judge_fields(self) -> dict[str, Any]:
        """Return the fields that identify the judge."""
        return {"judged_by": "decider", "model": self.decider.model}

    def ask(self, state: Mapping[str, object], questions: Mapping[str, DecisionQuestion]) -> Decisions:
        """Return the probabilities of each question's options; see `Decider.ask`."""
        return self.decider.ask(self.step, state, questions)

    def is_conclusive(self, probability: float, *, if_low: bool = True) -> bool:
        """Return whether a verdict of this probability is conclusive; a sure no only `if_low`."""
        if self.thresholds is None:
            return True
        return probability >= self.thresholds.upper or (if_low and probability <= self.thresholds.lower)


@dataclass(frozen=True)
class Grader:
    """A step's judge: a prompt and a model, which may be cached.

    A decision model, and then a smaller model, may be asked before.
    """

    step: str
    prompt: Prompt
    claude: Claude
    smaller: "Grader | None" = None
    decider: DecisionGrader | None = None

    @property
    def model(self) -> str:
        """Return the judging model's id."""
        return self.claude.model_of(self.step)

    @property
    def judged_by(self) -> JudgedBy:
        """Return the kind of judge: a model, or the stand-in's rules."""
        return judged_by(self.model)

    @property
    def judge_fields(self) -> dict[str, Any]:
        """Return the fields that identify the judge."""
        return {"judged_by": self.judged_by, "model": self.model}

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
        return self.claude.judge(self.step, self.prompt, texts, shape)
