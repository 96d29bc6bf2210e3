"""The findings of a run: the answers that every variant has, their measures, and the report of these."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.verdicts import JudgedBy
from selfrag_cli.lab.comparison import Difference, Interval, Verdict, differences, intervals
from selfrag_cli.lab.measures import NOT_FOR_IT, Measured, counted, measured, overall
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.runs.results import RunResult
from selfrag_cli.lab.runs.variants import Variant, VariantConfig

# The measures by which answers to a question are told apart, the most telling first, after the primary one.
_TELLING = ("match", "f1", "citation_recall", "citation_precision")
MOST_QUESTIONS = 100

Outcome = Literal["right answer", "other answer", "right abstention", "other abstention", "failed"]
OUTCOMES: tuple[Outcome, ...] = ("right answer", "right abstention", "other answer", "other abstention", "failed")


class JudgeReport(BaseModel):
    """The judge of all variants; `judged` of the answers have its verdict."""

    model: str
    judged_by: JudgedBy
    judged: int
    missing: int


class VariantReport(VariantConfig):
    """The figures of a variant: each measure, the number of questions that it is over, and its interval."""

    name: str
    outcomes: dict[Outcome, int]
    measures: dict[str, float | None]
    n: dict[str, int]
    intervals: dict[str, Interval]


class VariantComparison(BaseModel):
    """A variant against the first one; the verdict and its p are those of the primary measure."""

    base: str
    variant: str
    verdict: Verdict | None
    p: float | None
    differences: dict[str, Difference]


class Side(BaseModel):
    """A variant's answer to a question."""

    variant: str
    outcome: Outcome
    response: AnswerResponse
    measures: dict[str, float]


class SideBySide(BaseModel):
    """A question and the answers of all variants; `differing` measures tell them apart."""

    question: str
    answers: tuple[str, ...]
    answerable: bool | None
    differing: list[str]
    sides: list[Side]


class EvaluationReport(BaseModel):
    """The figures of a run over the `compared` questions that every variant has answered.

    `most_different` are the questions whose answers differ most, and then those without a right answer.
    """

    questions: int
    compared: int
    primary: str
    judge: JudgeReport | None
    variants: list[VariantReport]
    comparisons: list[VariantComparison]
    most_different: list[SideBySide]


class Findings:
    """The questions that every variant has answered, with all that was measured of each answer."""

    def __init__(
        self,
        questions: Sequence[GoldQuestion],
        variants: Sequence[Variant],
        find: Callable[[str, str], RunResult | None],
    ) -> None:
        self.total, self.variants = len(questions), variants
        self.questions: list[GoldQuestion] = []
        self.results: dict[str, list[RunResult]] = {variant.name: [] for variant in variants}
        for question in questions:
            results = [result for variant in variants if (result := find(variant.name, question.id))]
            if len(results) == len(variants):
                self.questions.append(question)
                for result in results:
                    self.results[result.variant].append(result)
        self.measures: dict[str, list[Measured]] = {
            name: [
                measured(question, result.response, result.seconds)
                for question, result in zip(self.questions, results, strict=True)
            ]
            for name, results in self.results.items()
        }
        self.judge: JudgeReport | None = None

    @property
    def primary(self) -> str:
        """Return the measure that decides: whether an answer is supported where a judge was asked, else `match`."""
        return "supported" if self.judge else "match"

    def add_judgements(self, judge: JudgeReport, shares: Mapping[str, Measured]) -> None:
        """Add a judge's measures, by the ids of answers, to those of each answer."""
        self.judge = judge
        for name, results in self.results.items():
            for result, of_answer in zip(results, self.measures[name], strict=True):
                of_answer.update(shares[result.response.id])

    def report(self) -> EvaluationReport:
        """Return the figures of all variants, and of each against the first one."""
        first, *others = [variant.name for variant in self.variants]
        questions = [self._side_by_side(place) for place in range(len(self.questions))]
        return EvaluationReport(
            questions=self.total,
            compared=len(self.questions),
            primary=self.primary,
            judge=self.judge,
            variants=[self._variant(variant, questions) for variant in self.variants],
            comparisons=[self._comparison(first, other) for other in others],
            most_different=sorted(questions, key=self._distance, reverse=True)[:MOST_QUESTIONS],
        )

    def _variant(self, variant: Variant, questions: Sequence[SideBySide]) -> VariantReport:
        measures = self.measures[variant.name]
        outcomes = [side.outcome for question in questions for side in question.sides if side.variant == variant.name]
        return VariantReport(
            name=variant.name,
            outcomes={outcome: outcomes.count(outcome) for outcome in OUTCOMES},
            measures=overall(measures),
            n=counted(measures),
            intervals=intervals(measures),
            **variant.way.model_dump(),
        )

    def _comparison(self, base: str, variant: str) -> VariantComparison:
        gaps = differences(self.measures[base], self.measures[variant])
        primary = gaps.get(self.primary)
        return VariantComparison(
            base=base,
            variant=variant,
            verdict=primary.verdict if primary else None,
            p=primary.p if primary else None,
            differences=dict(sorted(gaps.items(), key=lambda gap: gap[0] != self.primary)),
        )

    def _side_by_side(self, place: int) -> SideBySide:
        question = self.questions[place]
        sides = []
        for name, results in self.results.items():
            response, measures = results[place].response, self.measures[name][place]
            outcome = _outcome(question, response, measures)
            sides.append(Side(variant=name, outcome=outcome, response=response, measures=values(measures)))
        return SideBySide(
            question=question.question,
            answers=question.answers,
            answerable=question.answerable,
            differing=[name for name in dict.fromkeys((self.primary, *_TELLING)) if _range(sides, name)],
            sides=sides,
        )

    def _distance(self, question: SideBySide) -> tuple[float, ...]:
        """Return how far apart the answers are by each telling measure, and then how many are not right."""
        wrong = sum(not side.outcome.startswith("right") for side in question.sides)
        return *(_range(question.sides, name) for name in (self.primary, *_TELLING)), wrong


def values(measures: Measured) -> dict[str, float]:
    """Return the measures of an answer as numbers, without those that are not for it."""
    return {name: share.value for name, share in measures.items() if share.value is not None}


def _range(sides: Sequence[Side], name: str) -> float:
    numbers = [side.measures[name] for side in sides if name in side.measures]
    return max(numbers) - min(numbers) if len(numbers) > 1 else 0.0


def _outcome(gold: GoldQuestion, response: AnswerResponse, measures: Measured) -> Outcome:
    """Return what became of a question: by the judge's word where it has one, else by `match`."""
    if response.status == "failed":
        return "failed"
    if response.status == "abstained":
        return "right abstention" if gold.answerable is False else "other abstention"
    judged, match = measures.get("correct", NOT_FOR_IT).value, measures["match"].value
    return "right answer" if (match if judged is None else judged) == 1 else "other answer"
