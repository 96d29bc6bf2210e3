"""The findings of a run: the answers that every variant has, their measures, and the report of these."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import BaseModel

from selfrag.domain.verdicts import JudgedBy
from selfrag_cli.lab.comparison import Difference, Interval, Verdict, differences, intervals
from selfrag_cli.lab.measures import NOT_FOR_IT, Measured, measured, overall
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.responses import Response
from selfrag_cli.lab.runs.results import RunResult
from selfrag_cli.lab.runs.variants import Variant, VariantConfig

# The measures by which two answers to a question are told apart, the most telling first, after the primary one.
_TELLING = ("match", "f1", "citation_recall", "citation_precision")
_MOST_DIFFERENT = 10


class StoredResults(Protocol):
    """The results of a run."""

    def find(self, variant: str, question_id: str) -> RunResult | None:
        """Return the last answer of a variant to a question."""


class JudgeReport(BaseModel):
    """The judge of all variants; `judged` of the answers have its verdict."""

    model: str
    judged_by: JudgedBy
    judged: int
    missing: int


class VariantReport(VariantConfig):
    """The figures of a variant: each measure over all questions, and its interval."""

    name: str
    measures: dict[str, float | None]
    intervals: dict[str, Interval]


class Side(BaseModel):
    """One of two answers side by side."""

    variant: str
    response: Response
    measures: dict[str, float]


class SideBySide(BaseModel):
    """A question on which two variants differ, and both answers."""

    question: str
    answers: tuple[str, ...]
    answerable: bool | None
    sides: list[Side]


class VariantComparison(BaseModel):
    """A variant against the first one; the verdict and its p are those of the primary measure."""

    base: str
    variant: str
    verdict: Verdict | None
    p: float | None
    differences: dict[str, Difference]
    most_different: list[SideBySide]


class EvaluationReport(BaseModel):
    """The figures of a run over the `compared` questions that every variant has answered."""

    questions: int
    compared: int
    primary: str
    judge: JudgeReport | None
    variants: list[VariantReport]
    comparisons: list[VariantComparison]


class Findings:
    """The questions that every variant has answered, with all that was measured of each answer."""

    def __init__(self, questions: Sequence[GoldQuestion], variants: Sequence[Variant], stored: StoredResults) -> None:
        self.total, self.variants = len(questions), variants
        self.questions: list[GoldQuestion] = []
        self.results: dict[str, list[RunResult]] = {variant.name: [] for variant in variants}
        for question in questions:
            results = [result for variant in variants if (result := stored.find(variant.name, question.id))]
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
        return EvaluationReport(
            questions=self.total,
            compared=len(self.questions),
            primary=self.primary,
            judge=self.judge,
            variants=[self._variant(variant) for variant in self.variants],
            comparisons=[self._comparison(first, other) for other in others],
        )

    def _variant(self, variant: Variant) -> VariantReport:
        measures = self.measures[variant.name]
        return VariantReport(
            name=variant.name,
            measures=overall(measures),
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
            most_different=[self._side_by_side(place, (base, variant)) for place in self._places(base, variant)],
        )

    def _places(self, base: str, variant: str) -> list[int]:
        """Return the places of the questions on which two variants differ, the most different first."""
        names = dict.fromkeys((self.primary, *_TELLING))
        gaps = [
            tuple(_gap(before.get(name, NOT_FOR_IT).value, after.get(name, NOT_FOR_IT).value) for name in names)
            for before, after in zip(self.measures[base], self.measures[variant], strict=True)
        ]
        places = sorted((place for place, gap in enumerate(gaps) if any(gap)), key=lambda at: gaps[at], reverse=True)
        return places[:_MOST_DIFFERENT]

    def _side_by_side(self, place: int, variants: Sequence[str]) -> SideBySide:
        question = self.questions[place]
        return SideBySide(
            question=question.question,
            answers=question.answers,
            answerable=question.answerable,
            sides=[
                Side(
                    variant=name,
                    response=self.results[name][place].response,
                    measures=values(self.measures[name][place]),
                )
                for name in variants
            ],
        )


def values(measures: Measured) -> dict[str, float]:
    """Return the measures of an answer as numbers, without those that are not for it."""
    return {name: share.value for name, share in measures.items() if share.value is not None}


def _gap(before: float | None, after: float | None) -> float:
    return abs(after - before) if before is not None and after is not None else 0.0
