"""The scenarios: the question, the results of each search, and the minimum number of rounds."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from selfrag.domain.passages import Passage

COLLECTION = "handbook"
SPECULATE = ("off", "draft", "full")
# Marks in passages that control the model; see api/model.py.
RELEVANT, ASIDE, TEMPTING, NOTHING = "[relevant]", "[relevant] [aside]", "[tempting]", ""
_MISREAD = "[relevant] [misread as: The notice at station {at} is three weeks.]"
# The answer has other words than the passage, and so other facts to a check by code; see api/model.py.
_REWORDED = tuple(f"{RELEVANT} [other words: {number}]" for number in range(4))
_FARE = "The ferry to station {at} costs 40 euros."
_TEMPTS = f"[relevant] [tempts: {_FARE} | ferry fare station {{at}}]"
_TOPICS = ("leave", "notice", "allowance", "shift", "fee", "limit", "bonus", "deposit")
_REST = (
    "The figure holds for everybody who works there for more than half of the year, whatever the contract says.",
    "Exceptions are agreed in writing with the head of the station and are kept with the contract.",
    "Who moves there during a year gets the part that is due for the months that are left of it.",
    "The office answers questions by mail within two working days and keeps the older tables.",
    "Until the end of the year before, the figure was one lower, and a few tables still show it.",
)
_AT = re.compile(r"station ([a-z]+)-(\d+)")
_GROUP = re.compile(r"of group (t\d+) at")


@dataclass(frozen=True)
class Story:
    """A scenario. `first`, `later` and `web` are the marks of the passages for the question, later queries and the web.

    `below` are the marks for the question combined with a sentence of its answer. An answer of `sentences` is complete;
    without `sentences` none is.

    `floor` is the minimum number of rounds with `off`, `draft` and `full` if every independent call starts at once:
    documents and web are searched for a gap together.
    """

    slug: str
    name: str
    floor: tuple[int, int, int]
    first: Sequence[str] = (RELEVANT,) * 4
    later: Sequence[str] = (NOTHING,) * 4
    web: Sequence[str] = (NOTHING,) * 2
    needs_search: bool = True
    below: Sequence[str] = ()
    sentences: int = 0

    def floor_of(self, speculate: str) -> int:
        """Return the floor for one `speculate`."""
        return self.floor[SPECULATE.index(speculate)]

    def question(self, number: int) -> str:
        """Return the question, of which there are as many as numbers."""
        begin = f"In {self.sentences} sentences, what" if self.sentences else "What"
        end = "?" if self.needs_search else ", and have a good day."
        return f"{begin} holds for those who work at station {self.slug}-{number}{end}"


STORIES = {
    story.slug: story
    for story in (
        Story("direct", "no search needed", (3, 3, 2), needs_search=False, first=(NOTHING,) * 4),
        Story("four", "four relevant", (4, 2, 2)),
        Story("two", "two of four", (4, 2, 2), first=(RELEVANT, NOTHING, RELEVANT, NOTHING)),
        Story("tempted", "two of four, one tempts", (4, 3, 3), first=(RELEVANT, TEMPTING, RELEVANT, NOTHING)),
        Story("rewritten", "none, then rewritten", (6, 4, 4), (NOTHING,) * 4, (RELEVANT,) * 3 + (NOTHING,)),
        Story("never", "never any evidence", (4, 3, 3), first=(NOTHING,) * 4),
        Story("web", "evidence only on the web", (6, 4, 4), (NOTHING,) * 4, web=(RELEVANT, RELEVANT)),
        Story("partly", "partly supported, then web", (7, 4, 4), (RELEVANT, _TEMPTS), web=(f"{RELEVANT} {{fare}}",)),
        Story("unsupported", "unsupported once", (6, 4, 4), first=(RELEVANT, _MISREAD, NOTHING, NOTHING)),
        Story("useless", "little use once", (8, 5, 4), (ASIDE, ASIDE, NOTHING, NOTHING), (RELEVANT, RELEVANT)),
    )
}


# For comparing strategies: if all results are relevant, every sentence can be followed by as many as are searched for,
# each from a passage that no other sentence retrieved.
_ALL, _EVERY_SECOND = (RELEVANT,) * 8, (RELEVANT, NOTHING) * 4
MANY = Story("many", "all relevant", (4, 2, 2), first=_ALL, below=_ALL)
SHORT = replace(MANY, slug="short", name="all relevant, two sentences do", sentences=2)
HALF = replace(MANY, slug="half", name="every second relevant", first=_EVERY_SECOND, below=_EVERY_SECOND)
COMPARED = {story.slug: story for story in (MANY, SHORT, HALF)}
# The answer to this one has other words than the passages, so the check by code is in doubt.
REWORDED = Story("reworded", "four relevant, in other words", (4, 2, 2), first=_REWORDED)


def found(query: str) -> list[Passage]:
    """Return the index's passages for a query that names a station, alone or with a sentence of its answer."""
    story, number = _named(query)
    is_first = query == story.question(number)
    if story.below:
        group = _GROUP.search(query)
        above = group[1] if group else "t"
        marks = story.below if group else story.first
        return [_passage(f"{above}{n}", f"{story.slug}-{number}", n, mark) for n, mark in enumerate(marks)]
    marks = story.first if is_first else story.later
    which = "a" if is_first else "b"
    return [_passage(f"{which}{n}", f"{story.slug}-{number}", n, mark) for n, mark in enumerate(marks)]


def found_on_the_web(query: str) -> list[Passage]:
    """Return the story's web pages for a query."""
    story, number = _named(query)
    return [_passage(f"w{n}", f"{story.slug}-{number}", n, mark) for n, mark in enumerate(story.web)]


def _named(query: str) -> tuple[Story, int]:
    found = _AT.search(query)
    if found is None:
        raise ValueError(f"no station is named in {query!r}")
    return {**STORIES, **COMPARED, REWORDED.slug: REWORDED}[found[1]], int(found[2])


def _passage(which: str, at: str, number: int, marks: str) -> Passage:
    """Return a passage of about 600 characters, as the splitting makes them, whose first sentence is a fact."""
    group = which if which[0] == "t" else which[0]
    topic = _TOPICS[number] if group == "a" else f"{_TOPICS[number]} of group {group}"
    fact = f"The {topic} at station {at} is {number + 2} units."
    if "{fare}" in marks:
        fact, marks = _FARE.format(at=at), marks.replace(" {fare}", "")
    rest = [_REST[(number + n) % len(_REST)] for n in range(5)]
    return Passage(
        passage_id=f"{at}-{which}",
        document=f"stations/{at}-{which}.md",
        title=f"Station {at}",
        text=" ".join(filter(None, [fact, *rest, marks.format(at=at)])),
        collection=COLLECTION,
    )
