"""Chains of two and three invented facts, each in a separate document, and as many similar distractors."""

import random
import re
from dataclasses import dataclass
from functools import cache

from selfrag.domain.passages import Passage

COLLECTION = "chains"
# The value in an older version of a document.
OLD = "Oldname"
# A relation, and the ways in which a document states that it leads from {a} to {b}.
RELATIONS: dict[str, tuple[str, ...]] = {
    "standard": ("The standard of {a} is {b}.", "As agreed in spring, the standard of {a} is {b}."),
    "keeper": ("The keeper of {a} is {b}.", "Since the move, the keeper of {a} is {b}."),
    "seat": ("The seat of {a} is {b}.", "By its charter, the seat of {a} is {b}."),
    "supplier": ("The supplier of {a} is {b}.", "After the tender, the supplier of {a} is {b}."),
    "fee": ("The fee of {a} is {b}.", "By the list of this year, the fee of {a} is {b}."),
}
_LAST = {"fee": "{n} crowns", "seat": "{name} Bay"}
_SYLLABLES = ("ba", "dor", "kel", "lim", "mer", "nok", "pel", "rus", "tav", "vin", "wex", "zor", "quil", "fen")


@dataclass(frozen=True)
class Chain:
    """A question whose answer takes as many documents as it has relations, and the right answer."""

    question: str
    relations: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def right(self) -> str:
        """Return the last name of the chain."""
        return self.names[-1]


@cache
def chains(count: int, seed: int = 41) -> tuple[Chain, ...]:
    """Return so many chains, of two and of three facts in turn."""
    draw, used = random.Random(seed), set[str]()

    def name() -> str:
        while (made := "".join(draw.sample(_SYLLABLES, 3)).capitalize()) in used:
            pass
        used.add(made)
        return made

    found = []
    for number in range(count):
        middle = draw.sample(["standard", "keeper", "supplier"], 1 + number % 2)
        relations = (*middle, draw.choice(list(_LAST)))
        last = _LAST[relations[-1]].format(n=draw.randrange(100, 999), name=name())
        names = (f"Project {name()}", *(name() for _ in middle), last)
        asked = " of the ".join(reversed(relations))
        found.append(Chain(f"What is the {asked} of {names[0]}?", relations, names))
    return tuple(found)


def passages(some: tuple[Chain, ...]) -> list[Passage]:
    """Return a passage for each fact of these chains."""
    draw = random.Random(7)
    return [
        Passage(
            passage_id=f"{number}-{place}",
            document=f"{relation}s/{a.replace(' ', '-').lower()}.md",
            title=f"The {relation} of {a}",
            text=f"{draw.choice(RELATIONS[relation]).format(a=a, b=b)} This page was last read in May.",
            collection=COLLECTION,
        )
        for number, chain in enumerate(some)
        for place, (relation, a, b) in enumerate(zip(chain.relations, chain.names, chain.names[1:], strict=False))
    ]


def versions(some: tuple[Chain, ...]) -> list[Passage]:
    """Return the passages with the right last names, of 2026, each after one of 2024 with another name."""
    news = [found.model_copy(update={"date": "2026-03-01"}) for found in passages(some)]
    return [
        version
        for new in news
        for version in (
            new.model_copy(
                update={
                    "passage_id": f"{new.passage_id}-old",
                    "document": f"old/{new.document}",
                    "text": re.sub(r" is \w+", f" is {OLD}", new.text, count=1),
                    "date": "2024-03-01",
                }
            ),
            new,
        )
    ]
