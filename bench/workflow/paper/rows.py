"""Table rows of each way's figures."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from bench.workflow.paper.ways import CANDIDATES, SEGMENTS, WAYS, Way
from bench.workflow.rows import Row, row_of
from bench.workflow.running import Asked, Running
from bench.workflow.scenarios import LONG_AGO, TIMES, middle
from bench.workflow.stories import HALF, MANY, SHORT, Story

_LEFT_OUT = ("scenario", "speculate", "profile", "waited_seconds")


@dataclass(frozen=True)
class Taken:
    """A question by one way, and the row's figures."""

    way: Way
    row: Row

    @property
    def fields(self) -> dict[str, Any]:
        """Return the line of the table."""
        asked = {"strategy": self.way.strategy, "k": self.way.top_k, "segments": self.way.segments}
        how = {"speculate": self.row.speculate, "profile": self.row.profile}
        figures = {name: value for name, value in asdict(self.row).items() if name not in _LEFT_OUT}
        return {"scenario": self.row.scenario, **asked, **how, **figures}


def asked_anew(at: Running, story: Story, way: Way, speculate: str, **policy: Any) -> Asked:
    """Return the story's question by one way, when nothing is remembered and no question came for long."""
    at.forget()
    at.api.clock.move(LONG_AGO)
    return at.ask(story.question(1), **way.policy, speculate=speculate, **policy)


def taken(at: Running, profile: str, speculate: Sequence[str], *, timed: bool) -> Iterator[Taken]:
    """Each way, so: where all is relevant, and in the usual profile where half is, and where two sentences do."""
    asked = [(MANY, way) for way in WAYS]
    if len(speculate) > 1:
        asked += [(HALF, CANDIDATES[-1]), (HALF, SEGMENTS[-1]), (SHORT, SEGMENTS[-1])]
    for story, way in asked:
        for ahead in speculate:
            found = [asked_anew(at, story, way, ahead) for _ in range(TIMES if timed else 1)]
            one = middle(found)
            yield Taken(way, row_of(story.name, ahead, profile, _floor(story, way, ahead), [one], timed))


def _floor(story: Story, way: Way, speculate: str) -> int:
    if not story.sentences:
        return way.floor(speculate)
    # Completeness is one more decision, which can run while the answer's last sentence is judged.
    return replace(way, segments=story.sentences).floor(speculate) + (speculate == "off")
