"""A simulated decision model in front of a simulated Claude: what its accuracy and the thresholds make of a cascade."""

from collections.abc import Iterator

import typer

from selfrag.domain.decisions import Thresholds
from selfrag_cli.lab.thresholds import ErrorLimits, Outcome, choose_judge
from tests.support.simulated_judges import Statement, cascade, judge_support, statements

ACCURACIES = (0.7, 0.8, 0.9, 0.95)
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
ROWS, SEEDS = 2_000, 100
_BY_THRESHOLD = ("Accuracy", "Threshold", "Right", "False passes", "False strips", "Calls of Claude", "Seconds", "USD")
_BY_SEED = (
    "Accuracy",
    "Rows",
    "No threshold holds",
    "Decided alone",
    "False passes over",
    "False strips over",
    "Adopted",
)


def cascades(accuracy: float) -> Iterator[tuple[object, ...]]:
    """Yield the accuracy of the deployed step by threshold, for 1,000 statements."""
    rows = statements(accuracy, ROWS, seed=0)
    for threshold in THRESHOLDS:
        judges = cascade(rows, Thresholds(upper=threshold, lower=1 - threshold))
        results = [(row, judge_support(row, judges)) for row in rows]
        passes = [(row.is_supported, result.verdict.level == "fully_supported") for row, result in results]
        calls = [call for _, result in results for call in result.calls]
        supported = sum(row.is_supported for row in rows)
        yield (
            f"{accuracy:.2f}",
            f"{threshold:.2f}",
            f"{sum(should == passed for should, passed in passes) / ROWS:.3f}",
            f"{passes.count((False, True)) / (ROWS - supported):.3f}",
            f"{passes.count((True, False)) / supported:.3f}",
            f"{1000 * sum(not call.decision for call in calls) / ROWS:,.0f}",
            f"{1000 * sum(call.ended_at - call.started_at for call in calls) / ROWS:,.0f}",
            f"{1000 * sum(call.cost_usd or 0.0 for call in calls) / ROWS:.2f}",
        )


def adoptions(accuracy: float, count: int) -> tuple[object, ...]:
    """Return of all seeds how often the thresholds that would be adopted break a limit on the held-out half."""
    limits = ErrorLimits()
    adopted = [
        choose_judge("grade_support", _outcomes(statements(accuracy, count, seed), seed), limits)
        for seed in range(SEEDS)
    ]
    halves = [adoption.held_out for adoption in adopted if adoption.held_out]
    decided = sum(half.decided for half in halves) / max(1, sum(half.rows for half in halves))
    return (
        f"{accuracy:.2f}",
        f"{count:,}",
        SEEDS - len(halves),
        f"{decided:.0%}",
        sum(half.false_passes.count > limits.false_passes * half.false_passes.of for half in halves),
        sum(half.false_strips.count > limits.false_strips * half.false_strips.of for half in halves),
        sum(adoption.grader == "cascade" for adoption in adopted),
    )


def _outcomes(rows: list[Statement], seed: int) -> list[tuple[str, Outcome]]:
    return [(f"{seed} {row.number}", row.outcome) for row in rows]


def main() -> None:
    """Print the accuracy and cost of a cascade by threshold, and whether adopted thresholds hold."""
    typer.echo(_table(_BY_THRESHOLD, [row for accuracy in ACCURACIES for row in cascades(accuracy)]))
    typer.echo(_table(_BY_SEED, [adoptions(accuracy, n) for accuracy in ACCURACIES for n in (1_000, ROWS)]))


def _table(headings: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [headings, ["---:"] * len(headings), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def run() -> None:
    """Run the command."""
    typer.run(main)
