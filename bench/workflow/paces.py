"""Questions at several rates: prompt cache marks and reads, and the resulting cost per question.

Many of them are alike, as people's are: which ones is drawn by Zipf's law, the same ones in every run.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.workflow.rows import Row, row_of
from bench.workflow.running import Asked, Running
from bench.workflow.scenarios import FOUR, HOUR, LONG_AGO, MINUTE

PACES = {"a minute": MINUTE, "4 minutes": 4 * MINUTE, "20 minutes": 20 * MINUTE, "an hour": HOUR}
# So many questions; the first ones, by which a pace becomes known, are not in the mean.
QUESTIONS, FIRST = 8, 3
ZIPF_QUESTIONS, ZIPF_STATIONS = 100, 40


@dataclass(frozen=True)
class Pace:
    """One question in so much time: what one cost, and of the prompts that were written how many were never read."""

    every: str
    speculate: str
    usd: float
    written: int
    never_read: int


def at_a_pace(at: Running, seconds: float, speculate: str, questions: int = QUESTIONS) -> list[Asked]:
    """Ask other questions of four relevant passages, one in so many seconds, after a long pause."""
    at.forget()
    at.api.clock.move(LONG_AGO)
    asked = []
    for number in range(questions):
        at.api.clock.move(seconds)
        asked.append(at.ask(FOUR.question(number), speculate=speculate))
    return asked


def paces(at: Running, speculate: str) -> Iterator[Pace]:
    """Yield what each pace costs."""
    for name, seconds in PACES.items():
        asked = at_a_pace(at, seconds, speculate)
        usd = [one.response["usage"]["cost_usd"] for one in asked[FIRST:]]
        written = sum(bool(billed.cached.written_5m + billed.cached.written_1h) for billed in at.api.billed)
        yield Pace(name, speculate, round(sum(usd) / len(usd), 6), written, len(at.api.prompts.never_read()))


def zipf_numbers() -> Sequence[int]:
    """The stations that are asked about, in their order: the nth likeliest is drawn 1/n as often as the first."""
    weights = [1 / rank for rank in range(1, ZIPF_STATIONS + 1)]
    return random.Random(10).choices(range(ZIPF_STATIONS), weights, k=ZIPF_QUESTIONS)


def zipf(at: Running, speculate: str, profile: str) -> Iterator[Row]:
    """Ask a hundred questions, with warm and cold prompt caches, with and without the answer cache."""
    for pace, seconds in (("warm", MINUTE), ("cold", HOUR)):
        for kept in (True, False):
            at.forget()
            at.api.clock.move(LONG_AGO)
            asked = []
            for number in zipf_numbers():
                at.api.clock.move(seconds)
                asked.append(at.ask(FOUR.question(number), speculate=speculate, cache=kept))
            name = f"{ZIPF_QUESTIONS} by Zipf, {pace}{'' if kept else ', no memory'}"
            # Repeated questions take no time.
            anew = len(set(zipf_numbers())) / ZIPF_QUESTIONS if kept else 1
            yield row_of(name, speculate, profile, round(anew * FOUR.floor_of(speculate), 2), asked, timed=False)
