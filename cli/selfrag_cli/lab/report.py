"""The findings of a run: the measures of each variant, its differences from the first, and where they are largest."""

import csv
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.gold.question_sets import GoldQuestion
from selfrag_cli.lab.metrics.comparison import by_question, differences, intervals, share_interval
from selfrag_cli.lab.metrics.distributions import distributions
from selfrag_cli.lab.metrics.measures import Measured, Reply, measured, overall
from selfrag_cli.lab.metrics.pairs import better, most_different
from selfrag_cli.lab.metrics.pareto import front_of
from selfrag_cli.lab.metrics.slices import classes_of, languages_of
from selfrag_cli.lab.runs.results import Result
from selfrag_cli.lab.runs.variants import Variant

Report = dict[str, Any]


class Found(Protocol):
    """The results of a run."""

    def find(self, variant: str, question_id: str) -> Result | None:
        """Return the last answer of a variant to a question."""


def primary_measure(judged: bool) -> str:
    """Return the measure that decides: whether an answer is supported where a judge was asked, else `match`."""
    return "supported" if judged else "match"


class Findings:
    """The questions that every variant has answered, with all that was measured of each answer."""

    def __init__(self, questions: Sequence[GoldQuestion], variants: Sequence[Variant], found: Found) -> None:
        self.asked, self.variants = len({question.origin for question in questions}), variants
        rows = [(question, [found.find(variant.name, question.id) for variant in variants]) for question in questions]
        answered = [(question, [one for one in results if one]) for question, results in rows if None not in results]
        self.questions = [question for question, _ in answered]
        self.origins = [question.origin for question in self.questions]
        self.results = {variant.name: [results[at] for _, results in answered] for at, variant in enumerate(variants)}
        self.measures: dict[str, list[Measured]] = {
            name: [
                measured(question, result.response, result.seconds)
                for question, result in zip(self.questions, results, strict=True)
            ]
            for name, results in self.results.items()
        }
        # The judge of all variants, and how often it errs, if one was asked.
        self.judge: Report | None = None

    @property
    def primary(self) -> str:
        """Return the measure that decides, whose p is not corrected for the many others."""
        return primary_measure(self.judge is not None)

    def add(self, shares: Callable[[str], Measured]) -> None:
        """Add measures to those of each answer, by its id."""
        for name, results in self.results.items():
            for result, found in zip(results, self.measures[name], strict=True):
                found.update(shares(str(result.response["id"])))

    def report(self) -> Report:
        """Return the figures as JSON values."""
        first, *others = [variant.name for variant in self.variants]
        variants = [self._measured(variant) for variant in self.variants]
        return {
            "questions": self.asked,
            "compared": len(set(self.origins)),
            "variants": variants,
            "front": front_of(variants) if others else None,
            "comparisons": [self._compared(first, other) for other in others],
            "primary": self.primary,
            "judge": self.judge,
            "slices": self.slices(),
        }

    def slices(self, languages: bool = False) -> dict[str, list[Report]]:
        """Return the measures of each variant by kind, length, document and language, most questions first.

        The interval of a variant is that of the primary measure; without it there are no slices. What has hardly two
        questions to a class is left out.
        """
        if not any(one[self.primary].of for measures in self.measures.values() for one in measures):
            return {}
        classes = classes_of(self.questions)
        if languages:
            classes["language"] = languages_of([question.question for question in self.questions])
        return {
            by: [self._slice(names, name) for name, _ in Counter(names).most_common() if name]
            for by, names in classes.items()
            if 1 < len(set(names) - {""}) <= len(names) / 2
        }

    def _slice(self, names: Sequence[str], name: str) -> Report:
        places = [place for place, one in enumerate(names) if one == name]
        some = {variant: [of_all[at] for at in places] for variant, of_all in self.measures.items()}
        origins = [self.origins[at] for at in places]
        return {
            "name": name,
            "questions": len(set(origins)),
            "measures": {variant: overall(of_it) for variant, of_it in some.items()},
            "intervals": {variant: share_interval(of_it, self.primary, origins) for variant, of_it in some.items()},
        }

    def _measured(self, variant: Variant) -> dict[str, Any]:
        found = self.measures[variant.name]
        replies = [Reply.model_validate(result.response) for result in self.results[variant.name]]
        return {
            "name": variant.name,
            **variant.way,
            "measures": overall(found),
            "intervals": intervals(found, self.origins),
            "repeats": self._repeats(found),
            "distributions": distributions(replies),
        }

    def _repeats(self, found: Sequence[Measured]) -> dict[str, Any] | None:
        """Return the primary measure of each round, and of the questions that are right in all and in any round."""
        rounds = [question.round for question in self.questions]
        if len(set(rounds)) < 2:
            return None
        of_each = [[one for one, at in zip(found, rounds, strict=True) if at == each] for each in sorted(set(rounds))]
        shares = [one[self.primary] for one in by_question(found, self.origins) if one[self.primary].of]
        return {
            "rounds": [overall(some)[self.primary] for some in of_each],
            "always": fmean(one.count == one.of for one in shares) if shares else None,
            "ever": fmean(one.count > 0 for one in shares) if shares else None,
        }

    def _compared(self, first: str, other: str) -> dict[str, Any]:
        found = differences(self.measures[first], self.measures[other], self.primary, self.origins)
        one, two = (by_question(self.measures[name], self.origins) for name in (first, other))
        verdicts = [better(*pair) for pair in zip(one, two, strict=True)]
        return {
            "base": first,
            "variant": other,
            "won": verdicts.count(1),
            "lost": verdicts.count(-1),
            "differences": {
                name: {**asdict(gap), "verdict": gap.verdict}
                for name, gap in sorted(found.items(), key=lambda each: each[0] != self.primary)
            },
            "most_different": [self._side_by_side(first, other, place) for place in most_different(one, two)],
        }

    def _side_by_side(self, first: str, other: str, number: int) -> dict[str, Any]:
        place = self.origins.index(list(dict.fromkeys(self.origins))[number])
        question = self.questions[place]
        return {
            "question": question.question,
            "answers": list(question.answers),
            "answerable": question.answerable,
            **{name: _answer(self.results[name][place], self.measures[name][place]) for name in (first, other)},
        }

    def write_csv(self, path: Path) -> None:
        """Write a line for each question and variant, with all measures; empty where a measure is not for a question.

        Raises InvalidInput if the file cannot be written.
        """
        try:
            with path.open("w", encoding="utf-8", newline="") as file:
                self._write(csv.writer(file))
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error

    def _write(self, writer: Any) -> None:
        names = [name for measures in self.measures.values() for one in measures[:1] for name in one]
        measures = list(dict.fromkeys(names))
        writer.writerow(["question_id", "question", "variant", "id", "status", "answer", *measures])
        for variant, results in self.results.items():
            for result, found in zip(results, self.measures[variant], strict=True):
                said = [result.response[name] for name in ("id", "status", "answer")]
                shares = [found[name] for name in measures]
                figures = [share.count / share.of if share.of else "" for share in shares]
                writer.writerow([result.question_id, result.question, variant, *said, *figures])


def _answer(result: Result, found: Measured) -> dict[str, Any]:
    """Return one of two answers side by side, with its path."""
    response = result.response
    measures = {name: share.count / share.of for name, share in found.items() if share.of}
    said = {name: response.get(name) for name in ("id", "status", "answer", "path", "queries", "reflection")}
    return {**said, "documents": [one["document"] for one in response.get("citations", [])], "measures": measures}
