"""A simulated decision model of a set accuracy, and a simulated Claude behind it, which both judge support.

The model is calibrated: a probability p comes from a symmetric Beta distribution, and a statement is supported with
probability p. So its accuracy is the mean of the larger of p and 1 - p, which the distribution's parameter sets.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Any

from pydantic import BaseModel

from selfrag.domain.calls import PRICES, ModelCall
from selfrag.domain.decisions import CANNOT_TELL, DecisionQuestion, Thresholds
from selfrag.domain.steps import GradeSupportResult, GradeSupportTask
from selfrag.judging.graders import DecisionGrader, Grader
from selfrag.judging.questions import load_questions
from selfrag.ports.decider import Decisions
from selfrag.ports.model import Judgement, ModelText, Prompt, Source
from selfrag.question.grade_support import logic
from selfrag.runtime.models import WRITER
from selfrag_cli.lab.thresholds import Outcome
from tests.support.fakes import passage

CLAUDE_ACCURACY = 0.95
_LETTERS = str.maketrans("0123456789", "bcdfghjklm")
# A reply of the stronger model in docs/measurements.md, and one of a decision model; its price per million tokens.
CLAUDE_TOKENS = (2_993, 96)
CLAUDE_SECONDS, DECIDER_SECONDS = 0.3 + 0.008 * CLAUDE_TOKENS[1], 0.1
DECIDER_TOKENS, DECIDER_PRICE = 1_200, 0.042


@dataclass(frozen=True)
class Statement:
    """A statement to judge: the probability of its support, whether it is supported, and whether Claude is right."""

    number: int
    probability: float
    is_supported: bool
    claude_is_right: bool

    @property
    def text(self) -> str:
        """Return its text, with letters for its number: code looks up numbers, and is no part of the simulation."""
        return f"The {str(self.number).translate(_LETTERS)} holds."

    @property
    def outcome(self) -> Outcome:
        """Return how the decision model judges it alone."""
        return Outcome(self.is_supported, self.probability > 0.5, self.probability)


def statements(accuracy: float, count: int, seed: int) -> list[Statement]:
    """Return statements on which the decision model has this accuracy on average; the same ones for a seed."""
    chance, shape = random.Random(seed), _shape(accuracy)
    drawn = [chance.betavariate(shape, shape) for _ in range(count)]
    return [
        Statement(number, p, chance.random() < p, chance.random() < CLAUDE_ACCURACY) for number, p in enumerate(drawn)
    ]


def judge_support(statement: Statement, judges: Grader) -> GradeSupportResult:
    """Return the verdict of the deployed step on a statement."""
    task = GradeSupportTask(question="?", answer=statement.text, passages=[passage("p1", statement.text)])
    return logic.grade(task, judges)


def cascade(rows: Sequence[Statement], thresholds: Thresholds) -> Grader:
    """Return the deployed step's judge: the simulated decision model, and the simulated Claude in its doubts."""
    by_text = {row.text: row for row in rows}
    questions = load_questions(logic.__name__)
    first = DecisionGrader("grade_support", SimulatedDecider(by_text), questions, thresholds, measured=True)
    return Grader("grade_support", Prompt("", "1"), SimulatedClaude(by_text), decider=first)


class SimulatedDecider:
    """A decision model that gives each statement its probability."""

    model = "simulated-decider"

    def __init__(self, rows: Mapping[str, Statement]) -> None:
        self._rows = rows

    def ask(self, step: str, state: Mapping[str, Any], questions: Mapping[str, DecisionQuestion]) -> Decisions:
        """Return the probabilities of full support and of none."""
        answers = {}
        for name in questions:
            p = self._rows[state["sentences"][name]].probability
            answers[name] = {"full": p, "partial": 0.0, "none": 1.0 - p, "contradicted": 0.0, CANNOT_TELL: 0.0}
        price = DECIDER_TOKENS * DECIDER_PRICE / 1e6
        return Decisions(answers=answers, call=_call(self.model, DECIDER_SECONDS, price, decision=True))


class SimulatedClaude:
    """A model that is right about as many statements as `CLAUDE_ACCURACY` says."""

    def __init__(self, rows: Mapping[str, Statement]) -> None:
        self._rows = rows

    def model_of(self, step: str) -> str:
        """Return the writer's name, whose price the calls have."""
        return WRITER

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[BaseModel]) -> Judgement[Any]:
        """Return the verdict on the answer, which is one statement."""
        row = self._rows[fields["answer"]]
        support = "full" if row.is_supported == row.claude_is_right else "none"
        claims = [{"claim": row.text, "support": support, "passages": [1], "missing": ""}]
        tokens, written = CLAUDE_TOKENS
        price = (tokens * PRICES[WRITER][0] + written * PRICES[WRITER][1]) / 1e6
        return Judgement(shape.model_validate({"claims": claims}), None, call=_call(WRITER, CLAUDE_SECONDS, price))

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
        """Write nothing: it judges alone."""
        raise NotImplementedError


def _call(model: str, seconds: float, usd: float, *, decision: bool = False) -> ModelCall:
    return ModelCall(
        step="grade_support", model=model, started_at=0.0, ended_at=seconds, stop_reason="", input_tokens=0,
        cost_usd=usd, decision=decision,
    )  # fmt: skip


def _shape(accuracy: float) -> float:
    """Return a of Beta(a, a) whose mean of the larger of p and 1 - p is this: 1/2 + 1 / (a 4^a B(a, a))."""
    low, high = 1e-3, 1e3
    while high - low > 1e-9 * low:
        a = (low * high) ** 0.5
        mean = 0.5 + exp(lgamma(2 * a) - 2 * lgamma(a) - a * log(4) - log(a))
        low, high = (a, high) if mean > accuracy else (low, a)
    return low
