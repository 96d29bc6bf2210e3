"""Sentences: the smallest pieces of a passage that can be cited.

The library sentencex (Wikimedia) knows the abbreviations of many languages. A stop in Latin or Cyrillic script ends a
sentence if the library agrees in the language of the text and in English, which all technical texts mix in.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sentencex import get_sentence_boundaries

from selfrag.text.east_asian import RUN
from selfrag.text.language import detect_language

_SAMPLE = 300  # characters that tell the language
_CLOSING = r"[\"')\]»”’」』）】]*+"
# In these scripts no abbreviation has a stop. The full-width point is a stop unless a digit follows.
_CERTAIN = r"(?:[。！？｡؟۔।॥።။]|．(?!\d))"
_STOP = re.compile(
    r"(?=[.!?。！？｡．؟۔।॥።။\n])(?:"  # spares nearly all characters the rest
    r"(?P<certain>\n\s*"
    rf"|(?<![!?])(?:(?:[!?]*+{_CERTAIN}[!?]*+)++{_CLOSING}\s*|[!?]++{_CLOSING}(?={RUN.pattern[:-1]})))"
    rf"|(?<![.!?])[.!?]++(?P<closing>{_CLOSING})\s+)"
)
# Behind a stop: the rest of a text in brackets or quotation marks, or the verb of a quotation.
_INSIDE = re.compile(r"[^（）「」『』\n]{0,100}+[）」』]|(?<=[」』])(?:と|って)")
# The library finds no stops between quotation marks or brackets, and is quadratic in unclosed ones. Marks such as [3]
# separate sentences.
_ENCLOSING = re.compile(
    r"\[\w{1,20}\]|[\"“”„‟«»‹›‚()\[\]{}<>`（）［］「」『』【】〈〉《》〔〕]|['‘’](?!\w)|(?<!\w)['‘’]"
)

# The number or letter of a list item, which stays with it; a line may have several items.
_LABEL = re.compile(r"\s*(?:[-*•–]\s*)?[(\[]?(\d{1,3}|[A-Za-z])[.)]\s+")
# Abbreviations that the library lacks; some are words but before a number.
_ABBREVIATION = re.compile(
    r"abs|abschn|abt|anh|anm|aprox|approx|av|avda|avr|buchst|cía|cll|dipl|div|dña|ee|encl|eqs?|excl|exkl|fa|fam|févr|figs|frl|ft"
    r"|geb|gem|hrn|hrsg|incl|inh|inkl|janv|juil|kap|mgr|ms|nrn?|núm|pag|paras?|pr|rdn|réf|rn|rz|sched|sect|sig|sras?|sres|ste|sté|stv"
    r"|subpara|tbl|tel|tsd|verf|vors|zusätzl|zzgl|ziff|[^\W\d_]+str",
    re.I,
)
_BEFORE_NUMBER = re.compile(
    r"abb|amt|apps?|arts?|avg|bd|cat|chap|ch|déc|dwg|eds?|ene|est|ex|lgs|max|min|no|qty|refs?|regs?|resp|rm|str|tab|temp"
    r"|vols?|mon|tues?|wed|thu(?:rs)?|fri|sat|sun|янв|рис",
    re.I,
)
_NUMBER = re.compile(r"\d|[A-HJ-Z]\b|[IVX]{2,}\b")
_REST_OF_DATE = re.compile(r"(?:\d{1,2}\.\s?)?\d{4}\b")
# Whole words that the library takes for abbreviations.
_WORDS = ("May", "mich")
# Words before the ordinals of German, and its months.
_DETERMINER = re.compile(r"am|vom|zum|zur|d(?:er|ie|as|en|em|es)|im|ab|bis|seit|beim|jede[mnrs]?|eine?[mnrs]?", re.I)
_MONTH = re.compile("Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez")
_LAST_WORD = re.compile(r"(?<!\w)([^\W_]+)\.\Z")
_language = lru_cache(maxsize=256)(detect_language)
_LONGEST = 40  # characters before and behind a stop that the rules read


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences that join to the text again; none is only white space."""
    return _split(text, text[:_SAMPLE])


def split_around(text: str, whole: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Split a text into sentences, but keep these stretches (in order, by character) whole.

    Stretches have no outer white space. The pieces join to the text again, and none is only white space.
    """
    ranges: list[tuple[int, int]] = []
    at = 0
    for start, end in [*whole, (len(text), len(text))]:
        if not at <= start <= end <= len(text):
            continue  # of a stored passage; a stretch that does not fit its text is ignored
        for sentence in _split(text[at:start], text[:_SAMPLE]):
            ranges.append((at, at + len(sentence)))
            at += len(sentence)
        if text[start:end].strip():
            ranges.append((at, end))
            at = end
    if ranges:
        ranges[-1] = ranges[-1][0], len(text)
    return ranges


def _split(text: str, sample: str) -> list[str]:
    sentences: list[str] = []
    start = 0
    for end in (*_ends(text, sample), len(text)):
        piece = text[start:end]
        if piece.strip():
            sentences.append(piece)
        elif piece and sentences:
            sentences[-1] += piece
        elif piece:
            continue  # leading white space joins the first sentence
        start = end
    return sentences


def _ends(text: str, sample: str) -> Iterator[int]:
    """Yield the places where a sentence ends, behind its closing marks and the space after them."""
    stops = None
    start = 0
    for stop in _STOP.finditer(text):
        end = stop.end()
        in_brackets = "）" in stop[0] and not text.startswith("（", start)
        if stop["certain"] and (in_brackets or _INSIDE.match(text, end)):
            continue
        if not stop["certain"] and "\n" not in stop[0]:
            stops = _library_stops(text, _language(sample)) if stops is None else stops
            label, following = _LABEL.match(text, start), _LABEL.match(text, end)
            if label and label.end() == end:
                continue
            is_stop = stop.start("closing") in stops or text.endswith(_WORDS, start, stop.start())
            is_next_item = label and following and following[1] == _next_label(label[1])
            if not is_next_item and (not is_stop or _goes_on(text, stop)):
                continue
        yield end
        start = end


def _next_label(label: str) -> str:
    return str(int(label) + 1) if label.isdecimal() else chr(ord(label) + 1)


def _library_stops(text: str, language: str) -> set[int]:
    """Return the places right behind the last stop of each sentence that the library finds in both languages."""
    bare = _ENCLOSING.sub(lambda match: " " * len(match[0]), text)
    stops = [
        {boundary["start_index"] + len(boundary["text"].rstrip()) for boundary in get_sentence_boundaries(code, bare)}
        for code in {language, "en"}
    ]
    return set.intersection(*stops)


def _goes_on(text: str, stop: re.Match[str]) -> bool:
    """Return whether a sentence continues after a stop; lower case continues it (UAX 29, SB8)."""
    before = text[max(0, stop.start() - _LONGEST) : stop.start("closing")]
    following = text[stop.end() : stop.end() + _LONGEST]
    if following[:1].islower() and (before.endswith(".") or stop["closing"]):
        return True
    if not (match := _LAST_WORD.search(before)):
        return False
    word = match[1]
    if word.isdecimal():
        is_ordinal = _DETERMINER.fullmatch(before[: match.start()].rstrip().rpartition(" ")[2])
        return len(word) < 3 and bool(is_ordinal or _MONTH.match(following) or _REST_OF_DATE.match(following))
    if len(word) == 1:
        return word.isupper()
    return bool(_ABBREVIATION.fullmatch(word) or (_NUMBER.match(following) and _BEFORE_NUMBER.fullmatch(word)))


def split_marked(text: str, mark: str) -> list[tuple[str, int]]:
    """Split a text into sentences with their places; a mark belongs to the sentence before it."""
    sentences: list[tuple[str, int]] = []
    at = 0
    for piece in split_sentences(text):
        follows = re.match(rf"\s*{re.escape(mark)}\s*", piece)
        if follows and sentences:
            sentences[-1] = sentences[-1][0] + follows[0], sentences[-1][1]
            at += follows.end()
            piece = piece[follows.end() :]
        if piece:
            sentences.append((piece, at))
            at += len(piece)
    return sentences
