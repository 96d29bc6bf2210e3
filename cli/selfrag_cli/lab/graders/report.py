"""The figures of graders against people's labels, as JSON values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from selfrag_cli.lab.gate import Gate, check_figures
from selfrag_cli.lab.graders.evaluation import Asked, Judged, passes
from selfrag_cli.lab.graders.rows import KINDS, by_length
from selfrag_cli.lab.metrics.agreement import Counts, clustered, weighted_kappa
from selfrag_cli.lab.metrics.shares import Interval, mcnemar

Report = dict[str, Any]
# Labels that a set with fewer has as one: what a passage denies is not supported either.
SAME = {"contradicted": "unsupported"}


def report_of(asked: Asked, found: Sequence[Judged]) -> Report:
    """Return the figures of each way, over the rows that all have judged, and of each against the first."""
    places = [at for at in range(len(asked.rows)) if all(at in one.labels for one in found)]
    first, *others = found
    return {
        "step": asked.step,
        "rows": len(asked.rows),
        "judged": len(places),
        "ways": [_way(asked, one, places) for one in found],
        "comparisons": [_compared(asked, first, other, places) for other in others],
    }


def _way(asked: Asked, one: Judged, places: Sequence[int]) -> Report:
    rows, labels = [asked.rows[at] for at in places], [one.labels[at] for at in places]
    people = [row.label for row in rows]
    confusion: dict[str, Counter[str]] = {label: Counter() for label in KINDS[asked.step].labels if label in people}
    for label, said in zip(people, labels, strict=True):
        confusion[label][said] += 1
    slices = {"lang": [row.lang for row in rows], "length": by_length(rows)}
    return {
        "name": one.way.name,
        "model": one.model,
        "confusion": confusion,
        **_figures(asked.step, people, labels),
        "clustered": _clustered(asked, places, labels),
        "kappa": _kappa(asked.step, people, labels),
        "parts": {
            name: _figures(asked.step, [asked.rows[at].label for at in part], list(part.values()))
            for name, part in one.parts.items()
        },
        "slices": {name: _by(asked.step, of_each, people, labels) for name, of_each in slices.items()},
        "calls": one.calls,
        "usd": one.usd,
    }


def _figures(step: str, people: Sequence[str], labels: Sequence[str]) -> Report:
    counts = Counts.of(passes(people, step), passes(labels, step))
    return {"counts": asdict(counts), "figures": {name: _shown(one) for name, one in counts.figures().items()}}


def _by(step: str, classes: Sequence[str], people: Sequence[str], labels: Sequence[str]) -> Report:
    """Return the figures of each class of rows, where there are several."""
    names = [name for name, _ in Counter(classes).most_common() if name]
    parts = {name: [at for at, one in enumerate(classes) if one == name] for name in names}
    if len(names) < 2:
        return {}
    return {
        name: _figures(step, [people[at] for at in of_it], [labels[at] for at in of_it])
        for name, of_it in parts.items()
    }


def _clustered(asked: Asked, places: Sequence[int], labels: Sequence[str]) -> Report | None:
    groups = [asked.rows[at].group for at in places]
    if not all(groups) or len(set(groups)) == len(groups):
        return None
    people = passes([asked.rows[at].label for at in places], asked.step)
    found = clustered(people, passes(labels, asked.step), groups)
    return None if found is None else {**asdict(found), "groups": len(set(groups))}


def _kappa(step: str, people: Sequence[str], labels: Sequence[str]) -> float | None:
    """Return weighted kappa over the labels that people used; what has no verdict is left out."""
    used = set(people)

    def as_used(label: str) -> str:
        return label if label in used else SAME.get(label, label)

    order = [label for label in KINDS[step].labels if label in {*used, *map(as_used, labels)}]
    table: dict[str, Counter[str]] = {label: Counter() for label in order}
    for label, said in zip(people, labels, strict=True):
        table[label][as_used(said)] += 1
    return weighted_kappa(table, order)


def _compared(asked: Asked, one: Judged, other: Judged, places: Sequence[int]) -> Report:
    people = passes([asked.rows[at].label for at in places], asked.step)
    right_of = [
        [
            said == label
            for said, label in zip(passes([way.labels[at] for at in places], asked.step), people, strict=True)
        ]
        for way in (one, other)
    ]
    alone = [sum(a and not b for a, b in zip(*pair, strict=True)) for pair in (right_of, right_of[::-1])]
    return {
        "base": one.way.name,
        "way": other.way.name,
        "won": alone[1],
        "lost": alone[0],
        "p": mcnemar(alone[0], alone[1]),
    }


def _shown(interval: Interval | None) -> Mapping[str, float] | None:
    return None if interval is None else asdict(interval)


def gate_of(asked: Asked, report: Report, found: Sequence[Judged], conditions: Sequence[str]) -> Gate:
    """Look at the figures of each way under conditions; the claims and questions told wrong explain them."""
    gate = Gate()
    for way, one in zip(report["ways"], found, strict=True):
        figures = {name: figure and figure["value"] for name, figure in way["figures"].items()}
        gate.checks.extend(check_figures(way["name"], {**figures, "kappa": way["kappa"]}, conditions))
        people = passes([row.label for row in asked.rows], asked.step)
        said = passes([one.labels.get(at, "") for at in range(len(asked.rows))], asked.step)
        gate.questions.extend(
            row.claim or row.question for row, a, b in zip(asked.rows, people, said, strict=True) if a != b
        )
    return gate
