"""Words of a text as OpenSearch's analyzers `cjk`, `english` and `standard` find them: UAX #29, then their filters."""

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

import regex
import Stemmer

# A sign that belongs to the one before it, a letter, a digit.
_X = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*+"
_L = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"
_N = r"\p{WB=Numeric}"
# In the order in which they are tried. What joins two letters, or two digits, counts only between them.
_KINDS = {
    "emoji": rf"\p{{Extended_Pictographic}}{_X}(?:(?<=\u200d)\p{{Extended_Pictographic}}{_X})*+",
    "complex": r"[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}]++",
    "han": rf"\p{{Script=Han}}{_X}",
    "hiragana": rf"\p{{Script=Hiragana}}{_X}",
    "katakana": rf"(?:\p{{WB=Katakana}}{_X})++",
    "hangul": rf"(?:(?=\p{{Script=Hangul}}){_L}{_X})++(?!{_L}|{_N}|\p{{WB=ExtendNumLet}})",
    "word": (
        rf"\p{{WB=ExtendNumLet}}*+(?:"
        rf"{_L}{_X}(?:[\p{{WB=MidLetter}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_X}(?={_L}))?+"
        rf"|{_N}{_X}(?:[\p{{WB=MidNum}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_X}(?={_N}))?+"
        rf"|(?<=\w)\p{{WB=ExtendNumLet}}"
        rf")++"
    ),
}
_WORDS = regex.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items()))
_BY_PAIRS = frozenset(("han", "hiragana", "katakana", "hangul"))
_OTHER_WIDTH = regex.compile(r"[\uff01-\uff5e\uff65-\uff9f]+")
_OF_ALL = "a and are as at be but by for if in into is it no not of on or such that the their then there these they"
_STOP_ENGLISH = frozenset(f"{_OF_ALL} this to was will with an".split())
_STOP_CJK = frozenset(f"{_OF_ALL} this to was will with s t www".split())
_porter = Stemmer.Stemmer("porter")


def _words(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield each word, its kind, and where it begins and ends."""
    for found in _WORDS.finditer(text):
        yield found.group(), found.lastgroup, found.start(), found.end()


def _lowered(word: str) -> str:
    """Return a word in small letters, one for each: Java knows no letters that become two."""
    return "".join(c.lower()[0] for c in word)


def _english(text: str) -> list[str]:
    words = (_lowered(regex.sub("['’＇][sS]$", "", word)) for word, *_ in _words(text))
    return [_porter.stemWord(word) for word in words if word not in _STOP_ENGLISH]


def _cjk(text: str) -> list[str]:
    tokens: list[str] = []
    run, until = "", -1
    for word, kind, start, end in _words(text):
        if run and (kind not in _BY_PAIRS or start != until):
            tokens += _pairs(run)
            run = ""
        folded = _OTHER_WIDTH.sub(lambda wide: unicodedata.normalize("NFKC", wide.group()), word)
        if kind in _BY_PAIRS:
            run, until = run + folded, end
        else:
            tokens.append(_lowered(folded))
    tokens += _pairs(run)
    return [token for token in tokens if token not in _STOP_CJK]


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] if len(run) > 1 else [run] if run else []


def _standard(text: str) -> list[str]:
    return [_lowered(word) for word, *_ in _words(text)]


ANALYZERS: dict[str, Callable[[str], list[str]]] = {
    name: lru_cache(maxsize=2_048)(analyze)
    for name, analyze in {"cjk": _cjk, "english": _english, "standard": _standard}.items()
}
