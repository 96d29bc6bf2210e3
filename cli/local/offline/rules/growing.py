"""An answer that grows by sentences: what it lacks yet, whether it goes on, and which sentence comes next."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cli.local.offline.rules.grade_utility import grade_utility
from cli.local.offline.rules.notices import without_notice
from cli.local.offline.text.scoring import Candidate, relevance
from cli.local.offline.text.words import keys_of, units
from selfrag.text.sentences import split_sentences

_MOST_SENTENCES, _USEFUL, _NEARLY_AS_GOOD = 3, 4, 0.5


def decision_after(question: str, fields: Mapping[str, Any], so_far: str) -> dict[str, Any]:
    """Whether an answer is complete: it speaks of all that the question names, and is useful, or long enough."""
    lacking = names_missing(question, so_far)
    if len(list(split_sentences(without_notice(so_far)))) >= _MOST_SENTENCES:
        return {"reason": "The answer has three sentences.", "decision": "complete"}
    if lacking:
        return {"reason": f"The answer says nothing of {', '.join(lacking)} yet.", "decision": "yes"}
    if grade_utility({**fields, "answer": so_far})["score"] >= _USEFUL:
        return {"reason": "The answer says what is asked for.", "decision": "complete"}
    return {"reason": "The answer does not say what is asked for yet.", "decision": "yes"}


def following(question: str, so_far: str, candidates: Sequence[Candidate]) -> Candidate | None:
    """The best of the ranked sentences that says what the answer lacks and has not said; None if there is none."""
    said, lacking = plain_of(without_notice(so_far)), names_missing(question, so_far) if so_far else []
    for candidate in candidates:
        text = candidate.sentence.text
        if relevance(candidate) < 0.5:
            return None
        named = f"{candidate.sentence.headings} {text}"
        # What is asked of one place is not answered by another's, unless the answer lacks that one.
        near = candidate.score > candidates[0].score - _NEARLY_AS_GOOD
        wanted = any(_holds(named, name) for name in lacking) if lacking else near
        if wanted and plain_of(text) not in said:
            return candidate
    return None


def names_missing(question: str, text: str) -> list[str]:
    """The names of a question that a text does not hold."""
    names = dict.fromkeys(unit.text for unit in units(question) if unit.kind == "name")
    return [name for name in names if not _holds(text, name)]


def plain_of(text: str) -> str:
    """A text's letters and digits, by which it is the same as another one."""
    return re.sub(r"[\W_]+", "", text).casefold()


def _holds(text: str, name: str) -> bool:
    return bool(keys_of(units(text)) & keys_of(units(name)))
