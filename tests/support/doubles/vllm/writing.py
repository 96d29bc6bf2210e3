"""What the double's model writes for a text of the table: ids, log-probabilities, and what is listed at each place."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from selfrag.domain.scores.generated import LISTED, NEVER
from selfrag.domain.scores.tokens import END, RETRIEVE
from selfrag.domain.scores.vocabulary import IDS, Vocabulary
from tests.support.doubles.vllm.scenario import Probabilities, Said
from tests.support.doubles.vllm.tokens import FILLERS, Tokens

GRADED = Vocabulary(IDS).graded
# What a token of the groups has where none is expected.
_UNLIKELY = 1e-7


@dataclass
class Place:
    """One position: which token was written, and how probable each was that is worth a word."""

    id: int
    probabilities: dict[int, float]

    def logprob(self) -> float:
        """The log-probability of what was written."""
        return _log(self.probabilities[self.id])

    def listed(self, wanted: list[int] | None) -> dict[int, float]:
        """The log-probabilities of the tokens that were asked for, or of the likeliest, and of what was written."""
        rest = max(0.0, 1 - sum(self.probabilities.values()))
        everything = {**dict.fromkeys(FILLERS, rest / (2 * len(FILLERS))), **self.probabilities}
        likeliest = sorted(everything, key=lambda one: -everything[one])[:LISTED]
        unlikely = min(_UNLIKELY, rest / (4 * len(GRADED)))
        ids = dict.fromkeys([self.id, *(likeliest if wanted is None else wanted)])
        return {one: _log(everything.get(one, unlikely)) for one in ids}


def first(decision: Probabilities) -> list[Place]:
    """The decision at the first token."""
    place = _chosen(dict(zip(_ids("[Retrieval]", "[No Retrieval]", RETRIEVE[2]), decision, strict=True)))
    word = (1 - sum(decision)) / 2
    if word / len(FILLERS) < place.probabilities[place.id]:
        return [place]
    return [Place(FILLERS[0], {FILLERS[0]: word, **place.probabilities})]


def written(said: Said, tokens: Tokens) -> list[Place]:
    """All places of a text, the one that ends it included; q is what the table says."""
    critique = {
        name: _chosen({IDS[token]: found for token, found in group.items()}) for name, group in said.critique.items()
    }
    words = tokens.encoded(said.words)
    judged = sum(place.logprob() for place in critique.values())
    each = (math.log(said.q) * (len(words) + len(critique)) - judged) / len(words) if words else 0.0
    assert each <= 0, f"the critique of {said.words!r} is less probable than all of it is to be"
    body = [Place(one, {one: math.exp(each)}) for one in words]
    return [*_of(critique, "relevance"), *body, *_of(critique, "support"), *_of(critique, "use"), _last(said)]


def _last(said: Said) -> Place:
    if said.ends is None:
        return Place(IDS[END], {IDS[END]: 0.99})
    return first(said.ends)[0]


def _of(critique: dict[str, Place], name: str) -> Iterator[Place]:
    if name in critique:
        yield critique[name]


def _chosen(found: dict[int, float]) -> Place:
    """Greedy: the likeliest is written."""
    return Place(max(found, key=lambda one: found[one]), found)


def _ids(*names: str) -> list[int]:
    return [IDS[name] for name in names]


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else NEVER
