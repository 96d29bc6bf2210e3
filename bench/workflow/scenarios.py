"""Runs each scenario: with a cache state, a rate and faults."""

from collections.abc import Iterator, Sequence

from bench.workflow.api.faults import Faults, no_faults, throttled
from bench.workflow.rows import Row, row_of
from bench.workflow.running import Asked, Running
from bench.workflow.stories import STORIES, Story

# Longer than any prompt is kept: the caches are cold after it.
LONG_AGO = 7200.0
MINUTE, HOUR = 60.0, 3600.0
# So many questions come before the one that is measured: by then a pace is known.
BEFORE = 3
# Timed questions are asked this often and the median counts, since the machine is shared.
TIMES = 3
FOUR = STORIES["four"]
AGAIN = "the same question again"
REFUSING = (
    ("20% 429s", throttled(0.2)),
    ("20% 429s, retry-after 1 s", throttled(0.2, 1.0)),
)


class Scenarios:
    """Asks each scenario, with prompt caches that are cold unless a row says otherwise."""

    def __init__(self, at: Running, profile: str, *, timed: bool) -> None:
        self._at, self._profile, self._timed = at, profile, timed
        self._times = TIMES if timed else 1

    def all(self, speculate: str) -> Iterator[Row]:
        """Yield a row for each scenario, for this `speculate`."""
        for story in STORIES.values():
            yield self._row(story.name, speculate, story, [self._usual(story, speculate)])
            if story is FOUR:
                self._at.api.clock.move(LONG_AGO)
                yield self._row(AGAIN, speculate, story, [self._ask(story, 1, speculate)], floor=0)
        for name, faults in REFUSING:
            yield self._row(name, speculate, FOUR, [self._usual(FOUR, speculate, faults)])
        yield from self.warm_and_cold(speculate)

    def _usual(self, story: Story, speculate: str, faults: Faults = no_faults) -> Asked:
        return middle([self.once(story, speculate, faults) for _ in range(self._times)])

    def once(self, story: Story, speculate: str, faults: Faults = no_faults) -> Asked:
        """Return the story's question, when nothing is remembered and no question came for long."""
        self._at.forget()
        self._at.api.clock.move(LONG_AGO)
        self._at.api.faults = faults
        try:
            return self._ask(story, 1, speculate)
        finally:
            self._at.api.faults = no_faults

    def warm_and_cold(self, speculate: str) -> Iterator[Row]:
        """Four relevant passages, where other questions like it come each minute, and each hour."""
        for name, pace in (("warm", MINUTE), ("cold", HOUR)):
            self._at.forget()
            self._at.api.clock.move(LONG_AGO)
            asked = [self._after(pace, number, speculate) for number in range(BEFORE + self._times)]
            yield self._row(f"{FOUR.name}, {name}", speculate, FOUR, [middle(asked[BEFORE:])])

    def _after(self, seconds: float, number: int, speculate: str) -> Asked:
        self._at.api.clock.move(seconds)
        return self._ask(FOUR, number, speculate)

    def _ask(self, story: Story, number: int, speculate: str) -> Asked:
        return self._at.ask(story.question(number), speculate=speculate)

    def _row(self, name: str, speculate: str, story: Story, asked: Sequence[Asked], floor: int | None = None) -> Row:
        least = story.floor_of(speculate) if floor is None else floor
        return row_of(name, speculate, self._profile, least, asked, self._timed)


def middle(asked: Sequence[Asked]) -> Asked:
    """Return the run with the median time without the model."""
    return sorted(asked, key=lambda one: one.seconds - one.model_seconds)[len(asked) // 2]
