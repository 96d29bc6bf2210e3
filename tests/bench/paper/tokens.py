"""Tokens of each kind of call: those that the specification assumes (PAPER.md 9), the measured ones, and the price."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from selfrag.domain.calls import PRICES
from selfrag.runtime.models import GRADER, WRITER
from tests.bench.paper.rows import Taken
from tests.bench.paper.ways import BEAM, Way

GRADES, ANSWER, SEGMENT, SUPPORT, STRICT = (
    "Retrieve, IsRel, IsUse",
    "an answer",
    "a segment",
    "IsSup by the small model",
    "IsSup by the stronger one",
)
# Of a call of each kind: the model, and the tokens in and out that the specification assumes.
ASSUMED: dict[str, tuple[str, int, int]] = {
    GRADES: (GRADER, 900, 60),
    ANSWER: (WRITER, 900, 120),
    SEGMENT: (WRITER, 1000, 60),
    SUPPORT: (GRADER, 900, 60),
    STRICT: (WRITER, 1100, 150),
}
# The lines of the specification's table of dollars.
PRICED = (
    *(Way("candidates", top_k) for top_k in (3, 4, 5, 8)),
    *(Way("segments", top_k, segments) for top_k, segments in ((3, 2), (3, 4), (5, 4), (5, 6))),
)
Tokens = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Call:
    """Tokens of a kind of call, in and out: assumed, and measured in the mean, however they were billed."""

    call: str
    model: str
    assumed_in: int
    assumed_out: int
    measured_in: int
    measured_out: int


def measured(found: Sequence[Taken]) -> Tokens:
    """The mean tokens, in and out, of each kind of call."""
    sizes: dict[str, list[tuple[int, int]]] = {}
    for one in found:
        for billed in one.requests:
            sent = billed.input_tokens + billed.cached.read + billed.cached.written_5m + billed.cached.written_1h
            sizes.setdefault(_kind(one.way, billed.step, billed.model), []).append((sent, billed.output_tokens))
    return {kind: (fmean(sent for sent, _ in all_), fmean(out for _, out in all_)) for kind, all_ in sizes.items()}


def _kind(way: Way, step: str, model: str) -> str:
    if step == "generate":
        return SEGMENT if way.segments else ANSWER
    if step == "grade_support":
        return SUPPORT if model == GRADER else STRICT
    return GRADES


def calls_of(tokens: Tokens) -> Iterator[dict[str, Any]]:
    """A line for each kind of call that was measured."""
    for kind, (model, sent, out) in ASSUMED.items():
        if kind in tokens:
            yield asdict(Call(kind, model, sent, out, *map(round, tokens[kind])))


def dollars_of(tokens: Tokens) -> Iterator[dict[str, Any]]:
    """A line for each way of the specification's table: a question's price, nothing cached and nothing waste."""
    assumed = {kind: (sent, out) for kind, (_, sent, out) in ASSUMED.items()}
    for way in PRICED:
        yield {
            "strategy": way.strategy,
            "k": way.top_k,
            "segments": way.segments,
            "calls": way.calls,
            **{
                f"{name}_{judge}_usd": round(_usd(way, known, kind), 6)
                for judge, kind in (("small", SUPPORT), ("strong", STRICT))
                for name, known in (("assumed", assumed), ("measured", tokens))
            },
        }


def _usd(way: Way, tokens: Tokens, judge: str) -> float:
    depth = way.segments or 1
    writes = SEGMENT if way.segments else ANSWER
    # One decision; in a tree one for each path and level, and IsUse of what is in the beam.
    grades = 1 + way.children + ((depth - 1) * BEAM + BEAM if way.segments else way.children)
    counts = {GRADES: grades, writes: way.children, judge: way.children}
    return sum(number * _price(ASSUMED[kind][0], *tokens[kind]) for kind, number in counts.items() if kind in tokens)


def _price(model: str, sent: float, out: float) -> float:
    per_input, per_output, _ = PRICES[model]
    return (sent * per_input + out * per_output) / 1_000_000
