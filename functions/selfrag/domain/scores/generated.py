"""The fine-tuned model's text, read token by token: the distributions at its critique, and its words (pure).

The server may be older than the request, or another: nothing is a verdict that the reply does not prove.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from selfrag.domain.scores.terms import Distribution
from selfrag.domain.scores.tokens import CONTROL, END, PARAGRAPH, RELEVANCE, RETRIEVE, SUPPORT, UTILITY, words_of
from selfrag.domain.scores.vocabulary import Vocabulary

# So many of the most probable tokens are listed by a server that does not know how to list those that are asked for.
LISTED = 20
# What stands for minus infinity in JSON.
NEVER = -9999.0
_ROUNDING = 1e-3
_CONTROL = re.compile("|".join(map(re.escape, CONTROL)))


class Unproven(Exception):
    """The reason why a text cannot be graded, in a few words."""


@dataclass(frozen=True)
class GeneratedText:
    """A completion of one prompt: its text, and by position id, log-probability and those that were listed.

    The token that ended it is in `ids` and not in `text`. `stop` is its id where the request named it.
    """

    text: str
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    listed: tuple[Mapping[int, float], ...]
    finish: Literal["stop", "length"]
    stop: int | None = None


@dataclass(frozen=True)
class Group:
    """The probabilities of a group's tokens at one position; `truncated` where only a part of them was listed."""

    probabilities: Distribution
    truncated: bool = False


@dataclass(frozen=True)
class CritiqueReading:
    """One answer: its words, the groups at its critique (None is absent or unproven), and q.

    `raw` is the text with its critique tokens, `last` the token that ended it, and `next` the group Retrieve there if
    that is one of it. `wished` is whether the model went on behind it, `cut` whether it met the length limit.
    """

    words: str
    raw: str
    relevance: Group | None
    support: Group | None
    utility: Group | None
    next: Group | None
    seq: float
    last: str
    cut: bool
    wished: bool = False


def checked(generated: GeneratedText, vocabulary: Vocabulary) -> None:
    """Raise Unproven unless numbers are probabilities, and text and ids hold the same control tokens in one order."""
    if not generated.ids or not len(generated.ids) == len(generated.logprobs) == len(generated.listed):
        raise Unproven("its log-probabilities are missing")
    if any(not math.isfinite(value) or value > _ROUNDING or value <= NEVER for value in generated.logprobs):
        raise Unproven("a log-probability is no number of one")
    for listed in generated.listed:
        if any(not math.isfinite(value) or value > _ROUNDING for value in listed.values()):
            raise Unproven("a log-probability is no number of one")
        if sum(map(math.exp, listed.values())) > 1 + _ROUNDING:
            raise Unproven("its probabilities add up to more than one")
    if generated.stop is not None and generated.stop != generated.ids[-1]:
        raise Unproven("it did not end with the token that it says it ended with")
    inside = generated.ids[: _end(generated, vocabulary)]
    if [vocabulary.tokens[token] for token in inside if token in vocabulary.controls] != _CONTROL.findall(
        generated.text
    ):
        raise Unproven("its text and its token ids disagree")


def group_at(generated: GeneratedText, place: int, group: Sequence[str], vocabulary: Vocabulary) -> Group | None:
    """Return the probabilities of a group at a position; None where none of it was listed, or too little to tell.

    What is missing of a group counts as 0 where the most probable tokens were listed, and it cannot be one of them.
    """
    listed = generated.listed[place]
    probabilities = {token: math.exp(listed[number]) for token in group if (number := vocabulary.ids[token]) in listed}
    whole = len(probabilities) == len(group)
    if sum(probabilities.values()) <= 0 or not (whole or len(listed) >= LISTED):
        return None
    return Group(probabilities, truncated=not whole)


def read(generated: GeneratedText, vocabulary: Vocabulary, *, grounded: bool, through: bool = False) -> CritiqueReading:
    """Read one answer; raises Unproven for one that proves nothing.

    It ends where the model goes on to another segment, unless it is read `through` to where it asks for a passage.
    """
    checked(generated, vocabulary)
    end = _end(generated, vocabulary)
    breaks = vocabulary.of([RETRIEVE[1], PARAGRAPH] if through else [*RETRIEVE, PARAGRAPH])
    stop = next((place for place in range(end) if generated.ids[place] in breaks), end)
    support, utility = _first(generated.ids[:stop], SUPPORT, vocabulary), _first(generated.ids, UTILITY, vocabulary)
    ended = generated.ids[stop] if stop < len(generated.ids) else None
    raw = _before(generated.text, generated.ids[:stop], vocabulary)
    return CritiqueReading(
        words=words_of(raw),
        raw=raw,
        relevance=group_at(generated, 0, RELEVANCE, vocabulary) if grounded else None,
        support=None if support is None else group_at(generated, support, SUPPORT, vocabulary),
        utility=None if utility is None else group_at(generated, utility, UTILITY, vocabulary),
        next=group_at(generated, stop, RETRIEVE, vocabulary) if ended in vocabulary.of(RETRIEVE) else None,
        seq=_seq(generated, stop, vocabulary),
        last="" if ended is None else vocabulary.tokens.get(ended, ""),
        cut=generated.finish == "length" and stop == len(generated.ids),
        wished=stop < end,
    )


def _end(generated: GeneratedText, vocabulary: Vocabulary) -> int:
    """Return the place of the terminator, or the one behind the last token."""
    ends = generated.finish == "stop" and generated.ids[-1] in vocabulary.of([*RETRIEVE, END])
    return len(generated.ids) - ends


def _first(ids: Sequence[int], group: Sequence[str], vocabulary: Vocabulary) -> int | None:
    tokens = vocabulary.of(group)
    return next((place for place, token in enumerate(ids) if token in tokens), None)


def _seq(generated: GeneratedText, stop: int, vocabulary: Vocabulary) -> float:
    """Q = exp(mean of the log-probabilities) from the first token to the last critique token, of all without one."""
    judged = vocabulary.of([*SUPPORT, *UTILITY])
    last = max((place for place in range(stop) if generated.ids[place] in judged), default=stop - 1)
    logprobs = generated.logprobs[: last + 1]
    return math.exp(sum(logprobs) / len(logprobs)) if logprobs else 0.0


def _before(text: str, ids: Sequence[int], vocabulary: Vocabulary) -> str:
    """Return the text up to the control token that follows these ids; all of it where none does."""
    count = sum(token in vocabulary.controls for token in ids)
    following = list(_CONTROL.finditer(text))[count:]
    return text[: following[0].start()] if following else text
