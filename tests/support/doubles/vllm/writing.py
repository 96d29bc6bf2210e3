"""The double's tokenizer, and what its model writes for a text of the table: ids and log-probabilities."""

import math
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from selfrag.domain.scores.generated import LISTED, NEVER
from selfrag.domain.scores.tokens import END, MARKERS, RETRIEVE
from selfrag.domain.scores.vocabulary import IDS, Vocabulary
from tests.support.doubles.vllm.scenario import Probabilities, Said

_SPECIAL = re.compile("(" + "|".join(map(re.escape, MARKERS)) + ")")
_PIECES = re.compile(r"\s*\S+|\s+")
BOS, _FIRST_WORD = 1, 300
# Ids of tokens that were not written, which fill the list of the likeliest.
FILLERS = range(259, 299)
GRADED = Vocabulary(IDS).graded
# What a token of the groups has where none is expected.
_UNLIKELY = 1e-7


class Tokens:
    """A tokenizer whose control strings are tokens wherever they stand; each new word gets the next free id."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {**IDS, "<s>": BOS, "<unk>": 0}
        self._texts = {number: text for text, number in self._ids.items()} | {one: f" w{one}" for one in FILLERS}
        self._lock = threading.Lock()

    def encoded(self, text: str) -> list[int]:
        """Return the ids of a text, without the token that begins all."""
        parts = [part for part in _SPECIAL.split(text) if part]
        return [self._id(piece) for part in parts for piece in ([part] if part in MARKERS else _PIECES.findall(part))]

    def decoded(self, ids: list[int]) -> str:
        """Return the text of ids; the token that ends all has none."""
        return "".join(self._texts[number] for number in ids if number != IDS[END])

    def _id(self, piece: str) -> int:
        with self._lock:
            number = self._ids.setdefault(piece, _FIRST_WORD + len(self._ids))
            self._texts[number] = piece
            return number


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
    """Return the decision at the first token."""
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
