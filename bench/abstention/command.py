"""The command: how often judges of relevance decline where people found nothing relevant, and where they did."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel
from rich.table import Table

from bench.abstention import figures
from bench.abstention.figures import Area, Declined, area, choose_threshold, declined_of
from bench.abstention.judges import MODELS, Judge, Vectors, cosine_judge, model_judge, stand_in_judge
from bench.abstention.rows import COMMIT, LANGUAGES, REPOSITORY, Row, read_rows, shuffle_passages
from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.graders import Rate
from selfrag_cli.options import AsJson
from selfrag_cli.terminal import measuring_progress, out, print_json

LOCAL = ("rule", "cosine", "stand-in")
PASSES = 0.5
_COLUMNS = ("AUC", "declined", "falsely", "ECE", "threshold", "declined", "falsely", "AUC of others", "declined")

Clone = Annotated[Path, typer.Argument(help=f"A clone of {REPOSITORY} at {COMMIT[:12]}.")]
Languages = Annotated[list[str] | None, typer.Option("--language", help=f"One of {', '.join(LANGUAGES)}.")]
Judges = Annotated[list[str] | None, typer.Option("--judge", help=f"One of {', '.join([*LOCAL, *MODELS])}.")]
Limit = Annotated[int | None, typer.Option("--limit", min=8, help="Of each language so many rows of either kind.")]
MaxCost = Annotated[float | None, typer.Option("--max-cost", help="Dollars of one judge in one language.")]


class JudgeReport(BaseModel):
    """A judge's figures by question: `auc` over all rows, the others over the half that no threshold is chosen on.

    `as_set` declines below 0.5, `chosen` below the threshold that declines a tenth of the answerable questions of the
    other half. `other_passages` are the controls: a judge should decline each question that has another's passages,
    and an AUC other than 0.5 comes from the questions alone.
    """

    auc: Area
    as_set: Declined | None
    threshold: float
    chosen: Declined
    calibration_error: float | None
    ungraded: int
    other_passages_auc: Area
    other_passages_declined: Rate | None


class LanguageReport(BaseModel):
    """The figures of a language; `question_alone` is the AUC of a regression that sees no passage."""

    language: str
    answerable: int
    unanswerable: int
    held_out: int
    question_alone: Area
    judges: dict[str, JudgeReport]
    recorded: dict[str, Declined]


def main(
    clone: Clone,
    language: Languages = None,
    judge: Judges = None,
    limit: Limit = None,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Measure whether judges of relevance decline where none of ten passages is relevant (NoMIRACL).

    A question's score is that of its best passage. `rule` is the share of words by which the stand-in judges without
    vectors, `cosine` that of multilingual-e5-small, and `stand-in` what `selfrag ask` does without a key; `decider`,
    `claude` and `cascade` are those of the settings. The repository has the replies of eleven models to the same
    questions. Vectors of passages are stored in SELFRAG_BENCH_CACHE, by default in the user's cache directory.
    """
    languages, names = language or list(LANGUAGES), judge or list(LOCAL)
    if unknown := [*({*languages} - {*LANGUAGES}), *({*names} - {*LOCAL, *MODELS})]:
        raise InvalidInput(f"There is no {unknown[0]!r}: see --help.")
    by_language = {name: read_rows(clone, name, limit) for name in languages}
    with measuring_progress() as on_phase, ExitStack() as stack:
        vectors = Vectors([row for rows in by_language.values() for row in rows], partial(on_phase, "Embedding"))
        judges = {
            "rule": stand_in_judge(lambda query, passage: None),
            "cosine": cosine_judge(vectors),
            "stand-in": stand_in_judge(vectors.similarity),
        }
        for kind in MODELS:
            if kind in names:
                judges[kind] = stack.enter_context(model_judge(kind, max_cost, partial(on_phase, kind)))
        chosen = {name: judges[name] for name in names}
        reports = [_language_report(name, rows, vectors, chosen) for name, rows in by_language.items()]
    if as_json:
        print_json([report.model_dump(mode="json") for report in reports])
        return
    for report in reports:
        out.print(_table(report))
    out.print(f"Vectors are {vectors.place}.", soft_wrap=True)


def _language_report(name: str, rows: Sequence[Row], vectors: Vectors, judges: Mapping[str, Judge]) -> LanguageReport:
    held_out, first = ([row for row in rows if row.is_held_out is side] for side in (True, False))
    labels = [row.is_answerable for row in held_out]
    guesses = figures.guess_by_question(
        vectors.questions(first), [row.is_answerable for row in first], vectors.questions(held_out)
    )
    models = sorted({model for row in rows for model in row.declined})
    return LanguageReport(
        language=name,
        answerable=sum(row.is_answerable for row in rows),
        unanswerable=sum(not row.is_answerable for row in rows),
        held_out=len(held_out),
        question_alone=area(guesses, labels),
        judges={title: _judge_report(rows, judge, has_scale=title != "cosine") for title, judge in judges.items()},
        recorded={model: declined_of([not row.declined[model] for row in held_out], labels) for model in models},
    )


def _judge_report(rows: Sequence[Row], judge: Judge, has_scale: bool) -> JudgeReport:
    scored, others = _scored(rows, judge), _scored(shuffle_passages(rows), judge)
    threshold = choose_threshold(*_halves(scored, is_held_out=False))
    scores, labels = _halves(scored, is_held_out=True)
    other_scores, _ = _halves(others, is_held_out=True)
    return JudgeReport(
        auc=_area(scored),
        as_set=declined_of([score >= PASSES for score in scores], labels) if has_scale else None,
        threshold=threshold,
        chosen=declined_of([score >= threshold for score in scores], labels),
        calibration_error=figures.calibration_error(scores, labels) if has_scale else None,
        ungraded=len(rows) - len(scored),
        other_passages_auc=_area(others),
        other_passages_declined=declined_of(
            [score >= (PASSES if has_scale else threshold) for score in other_scores], [False] * len(other_scores)
        ).right,
    )


def _scored(rows: Sequence[Row], judge: Judge) -> list[tuple[Row, float]]:
    return [(row, score) for row, score in zip(rows, judge(rows), strict=True) if score is not None]


def _halves(scored: Sequence[tuple[Row, float]], is_held_out: bool) -> tuple[list[float], list[bool]]:
    half = [(score, row.is_answerable) for row, score in scored if row.is_held_out is is_held_out]
    return [score for score, _ in half], [label for _, label in half]


def _area(scored: Sequence[tuple[Row, float]]) -> Area:
    return area([score for _, score in scored], [row.is_answerable for row, _ in scored])


def _table(report: LanguageReport) -> Table:
    title = f"{report.language}: {report.answerable} answerable, {report.unanswerable} not; {report.held_out} held out"
    caption = f"question alone: AUC {_shown(report.question_alone)}"
    table = Table("Judge", title=title, caption=caption, title_justify="left", caption_justify="left")
    for heading in _COLUMNS:
        table.add_column(heading, justify="right")
    for name, judge in report.judges.items():
        ece = "" if judge.calibration_error is None else f"{judge.calibration_error:.2f}"
        others = (_shown(judge.other_passages_auc), _rate(judge.other_passages_declined))
        chosen = (f"{judge.threshold:.3f}", *_rates(judge.chosen))
        table.add_row(name, _shown(judge.auc), *_rates(judge.as_set), ece, *chosen, *others)
    for name, declined in report.recorded.items():
        table.add_row(name, "", *_rates(declined))
    return table


def _shown(figure: Area) -> str:
    return f"{figure.auc:.2f} ({figure.low:.2f}-{figure.high:.2f})"


def _rate(rate: Rate | None) -> str:
    return f"{rate.share:.2f} ({rate.interval.low:.2f}-{rate.interval.high:.2f})" if rate else ""


def _rates(declined: Declined | None) -> tuple[str, str]:
    return (_rate(declined.right), _rate(declined.false)) if declined else ("", "")


def run() -> None:
    """Run the command."""
    typer.run(main)
