"""Prompts of the fine-tuned model with as much of a passage as they have room for (pure)."""

from dataclasses import dataclass
from typing import Any

from selfrag.domain.errors import RequestRejected
from selfrag.domain.passages import Evidence
from selfrag.domain.scores.prompts import room_in, tokens_in, unmarked, with_passage, without_passage
from selfrag.question.generate.citations import source_of

# A title says where a passage is from; a longer one would take the passage's place.
TITLE_CHARACTERS = 200


@dataclass(frozen=True)
class Wanted:
    """A text to write: its prompt ("" without room for its passage), its passage, and the part that the prompt shows.

    `branch` is the branch that a segment belongs to.
    """

    prompt: str
    passage: Evidence | None
    shown: tuple[str, ...] = ()
    branch: Any = None


def presented(begun: str, passage: Evidence | None, max_tokens: int, told: str = "", branch: Any = None) -> Wanted:
    """Return the prompt of a text after `told`; a passage that is too long is cut at a sentence.

    Raises RequestRejected for a question that leaves no room for anything.
    """
    if room_in(begun, max_tokens) <= 0:
        raise RequestRejected("the question is too long for the fine-tuned model, which reads 2,048 tokens in all")
    if passage is None:
        prompt = without_passage(begun + told)
        return Wanted(prompt if room_in(prompt, max_tokens) >= 0 else "", None, branch=branch)
    title = passage.title[:TITLE_CHARACTERS]
    shown = _fitting(source_of(passage).blocks, room_in(with_passage(begun + told, title, ""), max_tokens))
    prompt = with_passage(begun + told, title, "".join(shown).strip()) if shown else ""
    return Wanted(prompt, passage, shown, branch)


def _fitting(blocks: tuple[str, ...], room: int) -> tuple[str, ...]:
    """Return the first sentences that fit, or the first words of a first sentence that does not."""
    kept: list[str] = []
    for block in blocks:
        room -= tokens_in(unmarked(block))
        if room < 0:
            break
        kept.append(block)
    if kept or not blocks:
        return tuple(kept)
    room += tokens_in(unmarked(blocks[0]))
    words: list[str] = []
    for word in blocks[0].split():
        room -= tokens_in(unmarked(word)) + 1
        if room < 0:
            break
        words.append(word)
    return (" ".join(words),) if words else ()
