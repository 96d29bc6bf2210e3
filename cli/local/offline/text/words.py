"""Content words of a text in any script, what they are compared by, and how much each of them tells."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import Stemmer

from cli.local.offline.text.vocabulary import FAINT, FORMAL_KANJI, NUMBER_WORDS, SAME, STOP

_KANJI = "\u3400-\u4dbf\u4e00-\u9fff々"
# Scripts that put no space between words, or glue endings to them: compared by pairs of characters.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uac00-\ud7af"
_LETTER = rf"[^\W\d_{_KANJI}{_UNSPACED}\u3041-\u30ff]"
_UNIT = re.compile(
    rf"(?P<number>\d+(?:[.,:/]\d+)*)|(?P<kanji>[{_KANJI}]+)|(?P<katakana>[\u30a1-\u30ff]{{2,}})"
    rf"|(?P<unspaced>[{_UNSPACED}]{{2,}})|(?P<word>{_LETTER}+(?:['’]{_LETTER}+)?)"
)
_WORD = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+)?")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?:。！？\n|]\s*)[\"'“‘(「*#>\-\s]*$")
_WEIGHTS = {"number": 1.5, "name": 1.5, "word": 1.0, "kanji": 1.0, "katakana": 1.2, "unspaced": 1.0}
_FAINT_WEIGHT = 0.4
_STEMMER, _STEMMER_LOCK = Stemmer.Stemmer("english"), Lock()


@dataclass(frozen=True)
class Unit:
    """One content word, or a run of an unspaced script: as written, what it is compared by, its kind and weight."""

    text: str
    keys: frozenset[str]
    kind: str
    weight: float


def plain(text: str) -> str:
    """The text in Unicode's compatible form, without the NUL that the embedder would stop at."""
    return unicodedata.normalize("NFKC", text.replace("\0", " "))


def is_japanese(text: str) -> bool:
    """Whether a text is written in Japanese, as far as its characters tell."""
    return bool(re.search(rf"[\u3041-\u30fa{_KANJI}]", text))


@lru_cache(4096)
def units(text: str) -> tuple[Unit, ...]:
    """The content words of a text in their order, stop words left out."""
    text = plain(text)
    return tuple(unit for match in _UNIT.finditer(text) if (unit := _unit(match, text)))


def keys_of(found: tuple[Unit, ...]) -> frozenset[str]:
    """All that the units can be matched by; the single characters of kanji runs too."""
    singles = (character for unit in found if unit.kind == "kanji" for character in unit.text)
    return frozenset(key for unit in found for key in unit.keys) | frozenset(singles)


def distinct(found: tuple[Unit, ...]) -> Iterator[Unit]:
    """The units without those that are compared by the same keys as an earlier one."""
    seen: set[frozenset[str]] = set()
    for unit in found:
        if unit.keys not in seen:
            seen.add(unit.keys)
            yield unit


@lru_cache(4096)
def phrases(text: str) -> dict[str, str]:
    """The groups of words with one meaning that a text names: the group's first word, and the words as found."""
    plainly = plain(text).casefold()
    stemmed = _stemmed(plainly)
    found = ((group[0], phrase) for group in SAME for phrase in group if _names(plainly, stemmed, phrase))
    return dict(found)


def _names(plainly: str, stemmed: str, phrase: str) -> bool:
    return phrase in plainly if is_japanese(phrase) else _stemmed(phrase) in stemmed


@lru_cache(1024)
def _stemmed(text: str) -> str:
    words = (_stem(match[0].replace("’", "'").removesuffix("'s")) for match in _WORD.finditer(text))
    return f" {' '.join(words)} "


def _unit(match: re.Match[str], text: str) -> Unit | None:
    kind, found = str(match.lastgroup), match[0]
    if kind == "number":
        return Unit(found, frozenset({found.replace(",", "")}), kind, _WEIGHTS[kind])
    if kind == "word":
        return _word(found, bool(_STARTS_SENTENCE.search(text, max(0, match.start() - 40), match.start())))
    if kind == "kanji":
        found = re.sub("^何.?", "", found)  # 何台, 何日: what is counted, not what it is about
        if not found or found in FORMAL_KANJI:
            return None
    pairs = {found[i : i + 2] for i in range(len(found) - 1)} if kind != "katakana" else {found}
    return Unit(found, frozenset(pairs or {found}), kind, _WEIGHTS[kind] if len(found) > 1 else 0.6)


def _word(found: str, starts_sentence: bool) -> Unit | None:
    lowered = re.sub(r"'s?$|'s$", "", found.casefold().replace("’", "'"))
    if lowered in NUMBER_WORDS and lowered != "one":
        return Unit(lowered, frozenset({NUMBER_WORDS[lowered]}), "number", 1.0)
    if lowered in STOP or len(lowered) < 2:
        return None
    is_name = (found[0].isupper() and not starts_sentence) or (found.isupper() and len(found) > 1)
    kind = "name" if is_name else "word"
    weight = _FAINT_WEIGHT if lowered in FAINT else _WEIGHTS[kind]
    return Unit(lowered, frozenset({_stem(lowered)}), kind, weight)


def _stem(word: str) -> str:
    if not word.isascii():
        return word if len(word) < 7 else word[:6]  # other languages end their words in two or three letters
    with _STEMMER_LOCK:
        return str(_STEMMER.stemWord(word))
