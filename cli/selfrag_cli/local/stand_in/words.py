"""Content words of a text in any script, and the names in a question."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from threading import Lock

import Stemmer

from selfrag.text.east_asian import RUN

# Words that ask or join: whatever else a text holds is content.
_STOP = """
    a an the and or but so if then than that this these those it its he she they them their we us our you your i me my
    is are was were be been being am do does did have has had will would shall should can could may might must
    of in on at by for from to with into about as per via not no yes there here each every any some all much many
    what which who whom whose when where why how please tell compare difference between
    は が を に の で と も か や へ から まで です ます 何 私 方 時 下 教
    무엇 은 는 이 가 을 를
"""
STOP = frozenset(_STOP.split())
GREETINGS = frozenset(("hello", "hi", "good morning", "thanks", "thank you", "こんにちは", "ありがとう", "안녕하세요"))
_WORD = re.compile(r"[^\W_]+(?:[-.,:/][^\W_]+)*")
_PARTS = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+")
# An amount is asked for by these, which are no content.
AMOUNT = re.compile(r"\bhow (?:many|much|long|often)\b|何(?=[^がはをに])|いくら|いつ|\bwhen\b|몇|얼마")
# Hiragana is grammar for the most part: it separates content words.
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KATAKANA = re.compile("[\u30a1-\u30ff]{2,}")
_SENTENCE_START = re.compile(r"(?:^|[.!?:。！？\n]\s*)[\"'“‘(「*#>\-\s]*$")
_STEMMER, _STEMMER_LOCK = Stemmer.Stemmer("english"), Lock()


def plain(text: str) -> str:
    """Return the text in Unicode's compatible form."""
    return unicodedata.normalize("NFKC", text)


@lru_cache(4096)
def units(text: str) -> tuple[str, ...]:
    """Return what a text is compared by, once each: stems of words, numbers, and pairs of East Asian characters."""
    return tuple(dict.fromkeys(unit for _, parts in _content(text) for unit in parts))


def has(text: str, unit: str) -> bool:
    """Return whether a text has a unit; one of East Asian characters may stand within a word."""
    return unit in units(text) or (bool(RUN.match(unit)) and unit in plain(text))


def content_words(text: str) -> list[str]:
    """Return the words of a text that are content, once each, and the runs of East Asian characters."""
    return list(dict.fromkeys(word for word, _ in _content(text)))


def _content(text: str) -> Iterator[tuple[str, list[str]]]:
    text = AMOUNT.sub(" ", plain(text).casefold().replace("’", "'").replace("'s", " "))
    for match in _PARTS.finditer(RUN.sub(" ", text)):
        word = match[0]
        if word not in STOP and (len(word) > 1 or word.isdigit()):
            yield word, [word.replace(",", "") if word[0].isdigit() else _stem(word)]
    for run in RUN.findall(text):
        for part in _HIRAGANA.split(run):
            if part and part not in STOP:
                # A Korean word ends in a particle or an ending.
                stem = part[:-1] if len(part) > 1 and _HANGUL.match(part) else part
                yield part, [stem[at : at + 2] for at in range(len(stem) - 1)] or [stem]


def _stem(word: str) -> str:
    with _STEMMER_LOCK:
        return str(_STEMMER.stemWord(word)) if word.isascii() else word


def names(question: str) -> tuple[str, ...]:
    """Return the names in a question: capitalised words within a sentence, acronyms, words with digits, katakana."""
    spaced, words = RUN.sub(" ", plain(question)), []
    for match in _WORD.finditer(spaced):
        word = match[0]
        starts = bool(_SENTENCE_START.search(spaced[: match.start()]))
        mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
        inner = any(letter.isupper() for letter in word[1:])
        if word.casefold() not in STOP and len(word) > 1 and (mixed or inner or (word[0].isupper() and not starts)):
            words.append(word)
    return tuple(dict.fromkeys([*words, *_KATAKANA.findall(plain(question))]))


def holds(text: str, name: str) -> bool:
    """Return whether a name stands in a text, at the beginning of a word."""
    return bool(re.search(rf"(?<![^\W_]){re.escape(name.casefold())}", plain(text).casefold())) or (
        bool(RUN.match(name)) and name in plain(text)
    )


def letters(text: str) -> str:
    """Return the letters and digits of a text, by which it is the same as another one."""
    return re.sub(r"[\W_]+", "", plain(text)).casefold()
