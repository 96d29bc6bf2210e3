"""Rules about questions: greetings, follow-ups, and missing names."""

import re
from collections.abc import Mapping
from typing import Any

from selfrag.text.file_names import file_name, is_named
from selfrag_cli.local.stand_in.words import GREETINGS, content_words, fold, holds, names, to_plain, units

# Fields of a step's task, as sent to its model.
Fields = Mapping[str, Any]
# A question of fewer words needs the previous one.
_MIN_WORDS = 2
_WHOLE_WORDS = 4
_GOES_ON = re.compile(
    r"(?:and|or|but|what about|how about|und|oder|aber|では|じゃあ|それで|그럼|그러면|그리고)\b|では|じゃあ"
)
_ASKS = re.compile(
    r"^(?:who|whom|whose|what|when|where|which|why|how|do|does|did|is|are|can|may|must|should|wer|wen|wem|was|wann|wo"
    r"|wie|warum|welche[rsmn]?|darf|muss|kann)\b|何|いくら|いつ|誰|どこ|どの|なぜ|몇|얼마|언제|누가|누구|어디|무엇|왜"
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|there|that|this|these|those|he|she|dort|das|dies)\b|それ|その|そこ|그것|그곳"
)
# Quotations, and the words that ask for quoted text.
_QUOTED = re.compile(r"[“„«「『\"‘](.{1,200}?)[”“»」』\"’]")
_CONTENT_UNITS = frozenset(
    units("say says state contain cover content steht sagt drin enthält Inhalt 書 内容 言 내용 어떤 있나 적혀")
)
_SAYS = re.compile(
    r"^what (?:does|do) (?:the )?(.{1,200}) (?:say|state|contain|cover)\s*\??$"
    r"|^was (?:steht in|sagt|enthält) (.{1,200}?)\s*\??$"
    r"|^(.{1,200}?)(?:には|に|は)(?:何が|何と|なんと)(?:書|言).{0,20}$"
    r"|^(.{1,200}?)(?:에는|에) (?:무엇|뭐|무슨|어떤 내용).{0,20}$",
    re.IGNORECASE,
)


# A question for all items of a kind, and its words that documents lack.
_LISTS = re.compile(
    r"^(?:please )?(?:list|show|name|give me|enumerate|liste|nenne|zeige?)(?: me| mir)?(?: all| alle)?(?: the| die)?\b"
    r"|^(?:which|what) (?=[^\W\d_]+s (?:do|are|have|exist)\b)|^welche (?=[^\W\d_]+(?:n|e|er|s) (?:haben|gibt|sind)\b)",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(?:according to|says?|states?|contains?|covers?|laut|gemäß|sagt|steht|enthält)\b", re.IGNORECASE
)


def asks_for_all(question: str) -> bool:
    """Return whether a question asks for all of a kind, such as "Which suppliers do we have?"."""
    return bool(_LISTS.match(question.strip()))


def strip_request(question: str, document: str) -> str:
    """Return a question without its request for a list or the name of this file."""
    question = _LISTS.sub("", question.strip())
    if not is_named(question, document):
        return question
    stem = file_name(document).rpartition(".")[0]
    name = re.compile(rf"{re.escape(stem)}(?:\.\w{{1,5}}\b)?", re.IGNORECASE)
    return _REFERS.sub(" ", name.sub(" ", question))


def is_about_documents(question: str, previous: Fields) -> bool:
    """Return whether a question is not a greeting."""
    if re.sub(r"[\W_]+", " ", to_plain(question)).strip().casefold() in GREETINGS:
        return False
    return bool(units(question) or previous.get("answer"))


def is_follow_up(question: str) -> bool:
    """Return whether a question depends on context: it continues, refers back, or is too short."""
    text = fold(question).strip()
    if subject_of(question):
        return False
    if _GOES_ON.match(text):
        return True
    words = len(content_words(question))
    if _ASKS.search(text):
        # "Wie hoch ist der Kran?" is complete with a single search word.
        is_whole = words >= _MIN_WORDS or (words and len(text.split()) >= _WHOLE_WORDS)
        return not is_whole or (bool(_POINTS_BACK.search(text)) and words <= _MIN_WORDS)
    return words <= _MIN_WORDS


def context_of(question: str, previous: Fields) -> str:
    """Return a follow-up's earlier questions, without names if it has its own; "" for other questions."""
    before = previous.get("before") or {}
    earlier = " ".join(str(turn["question"]) for turn in (before, previous) if turn.get("question"))
    if not earlier or not is_follow_up(question):
        return ""
    for name in names(earlier) if names(question) else ():
        earlier = earlier.replace(name, "")
    return earlier


def search_words(question: str, previous: Fields) -> str:
    """Return the search words: the question's and those of its context."""
    return f"{context_of(question, previous)} {question}".strip()


def subject_of(question: str) -> str:
    """Return the title whose content a question asks for, or ""."""
    quoted = _QUOTED.search(question)
    if quoted and not set(units(_QUOTED.sub(" ", question, count=1))) - _CONTENT_UNITS:
        return quoted[1].strip()
    match = _SAYS.search(question.strip())
    return next(filter(None, match.groups()), "").strip(" \"'") if match else ""


def find_missing_names(question: str, so_far: str) -> list[str]:
    """Return the names of a question that a text lacks."""
    return [name for name in names(question) if not holds(so_far, name)]
