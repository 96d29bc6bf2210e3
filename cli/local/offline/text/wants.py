"""What kind of answer a question asks for, and whether a sentence holds one."""

import re
from functools import lru_cache

from cli.local.offline.text.askings import ASKS, INTERROGATIVE, OPEN, YES_OR_NO
from cli.local.offline.text.forms import CALENDAR, HOLDS, Want
from cli.local.offline.text.measures import COUNTERS, DIMENSIONS
from cli.local.offline.text.words import keys_of, plain, units

# An amount, a time or an address can be seen in a sentence; a person, a place or a reason is a guess.
SURE: frozenset[Want] = frozenset({"number", "money", "duration", "time", "often", "contact", "meaning"})

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])\s*(?=\S)")
# Names and numbers that the question itself holds are no answer to it.
_GIVEN = re.compile(r"[A-Z][\w-]*|\d+(?:[.,:/]\d+)*")
# "TR-5" and "Tern 4" are names, "In 1998" and "May 4" are not.
_NUMBERED_NAME = re.compile(
    r"\b[A-Z]{2,}-\d+\b|\b(?!(?:In|On|At|By|From|To|Until|Since|After|Before|The|About|Only|Over|Up|May|EUR|USD|GBP|JPY)\b)"
    rf"(?!(?i:{CALENDAR.pattern}))[A-Z][a-z]+ \d+(?![\d.,:%])"
)
_VERB = re.compile(r" \w+(?: for)?\?")
_COUNTED = re.compile(rf"何({'|'.join(COUNTERS)})")


def asking_part(question: str) -> str:
    """The last sentence of a question that asks something, or its last one."""
    sentences = [part.strip() for part in _SENTENCE.split(plain(question)) if part.strip()]
    asking = [part for part in sentences if INTERROGATIVE.search(part)]
    return (asking or sentences or [""])[-1]


@lru_cache(1024)
def wanted(question: str) -> Want:
    """The kind of answer that a question asks for, by the first words that show one."""
    asked = asking_part(question)
    if YES_OR_NO.search(asked) and not OPEN.search(asked):
        return "yes_or_no"
    first: dict[Want, int] = {want: found.start() for want, form in ASKS.items() if (found := form.search(asked))}
    return min(first, key=lambda want: first[want]) if first else "other"


def holds(want: Want, text: str, headings: str, question: str) -> bool | None:
    """Whether a sentence holds an answer of a kind, besides what the question gives; None if that cannot be seen."""
    if want == "meaning":
        return _is_about(text, headings, question)
    form = HOLDS.get(want)
    if form is None:
        return None
    text, question = _without_given(want, plain(text), plain(question)), plain(question)
    return bool(form.search(text)) and (want != "number" or _has_units(text, asking_part(question)))


def _has_units(text: str, asked: str) -> bool:
    """Whether a text has the units that a question counts or measures in, as far as they are known."""
    counted = _COUNTED.search(asked)
    if counted and not re.search(rf"[\d一二三四五六七八九十]\s*(?:{COUNTERS[counted[1]]})", text):
        return False
    return all(units_of.search(text) for asks, units_of in DIMENSIONS if asks.search(asked))


def _without_given(want: Want, text: str, question: str) -> str:
    for given in set(_GIVEN.findall(question)):
        text = re.sub(rf"(?<!\w){re.escape(given)}(?![\w.,:]?\d|\w)", "_", text)
    if want in ("number", "money", "duration"):
        return _NUMBERED_NAME.sub("_", text)
    return CALENDAR.sub("_", text) if want == "person" else text


def _is_about(text: str, headings: str, question: str) -> bool:
    """Whether a sentence speaks of what is asked about: in its first words, or under a heading that names it."""
    asked = keys_of(units(_VERB.sub("?", question)))
    return any(unit.keys <= asked for unit in (*units(text)[:2], *units(headings)))
