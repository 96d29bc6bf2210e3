"""Content words in any script, and names in questions."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from threading import Lock

import Stemmer

from selfrag.text.east_asian import RUN
from selfrag.text.language import language_of

# Stop words: interrogatives and connectives.
_STOP = """
    a an the and or but so if then than that this these those it its he she they them their we us our you your i me my
    is are was were be been being am do does did have has had will would shall should can could may might must
    of in on at by for from to with into about as per via not no yes there here each every any some all much many
    what which who whom whose when where why how please tell compare difference between mean means
    der die das den dem des ein eine einen einem einer eines und oder aber ist sind war wird werden hat haben kann muss
    darf soll von vom bei mit zu zum zur im an am auf aus fur pro es er sie ich man wir ihr mein unser was wer wen wem
    wann wo wie warum wieso welche welcher welches welchen nicht kein keine bedeutet gibt
    は が を に の で と も か や へ から まで です ます 何 私 方 時 下 教 場合
    무엇 은 는 이 가 을 를
"""
STOP = frozenset(_STOP.split())
GREETINGS = frozenset(("hello", "hi", "good morning", "thanks", "thank you", "こんにちは", "ありがとう", "안녕하세요"))
_WORD = re.compile(r"[^\W_]+(?:[-.,:/][^\W_]+)*")
_PARTS = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
# A shorter word with one different letter is probably another word.
_MIN_TYPO = 5
# Interrogatives of amounts, which are not content.
AMOUNT = re.compile(
    r"\bhow (?:many|much|long|often|fast|far|high|tall|big|large|heavy|deep|wide|old|late|early|soon|expensive)\b"
    r"|\bwie (?:viele?|lange|oft|hoch|schnell|weit|schwer|gross|alt|teuer)\b|\bwieviel\b|\bwann\b"
    r"|何(?=[^がはをに])|いくら|いつ|\bwhen\b|몇|얼마"
)
# A quantity, whose number does not belong to a name.
_UNIT = (
    r"\s?(?:%|°|[€$£¥]|(?-i:[A-Z]{3})\b|(?:days?|nights?|weeks?|months?|years?|hours?|minutes?|seconds?|times|people|persons?"
    r"|euros?|dollars?|pounds?|percent|prozent|metres?|meters?|km|kg|gb|mb|tage?n?|nachte?n?|wochen?|monate?n?|jahre?n?"
    r"|stunden?|minuten?|uhr|mal)\b)"
)
_NUMBERED = re.compile(
    rf"(?P<noun>[^\W\d_]{{2,40}}+)\s(?:(?:no|nr)\.?\s)?(?P<number>\d{{1,6}}+(?:\.\d{{1,4}}+)*+[a-z]?)(?![\w,]|{_UNIT})"
    r"|(?P<before>\d{1,4}+)(?P<counter>号[\u4e00-\u9fff]{0,2}|호[\uac00-\ud7a3])|[第제](?P<ordinal>\d{1,4}+)",
    re.IGNORECASE,
)
_YEAR_NAME = re.compile(rf"(?<![\d.,])(?:19|20)\d\d(?![\d.,]?\d|-\d|{_UNIT})", re.IGNORECASE)
# Words before a quantity.
_QUANTITY_WORDS = """
    after before above over under below within than least most until till since only up last next nach vor uber unter
    bis seit ab cost costs pay pays take takes give gives january february march april june july august september
    october november december
"""
_BEFORE_QUANTITY = frozenset(_QUANTITY_WORDS.split())
# Irregular forms with their verbs.
_IRREGULAR_PAIRS = """
    fell/fall rose/rise paid/pay began/begin went/go bought/buy kept/keep held/hold took/take gave/give sent/send
    spent/spend sold/sell became/become broke/break grew/grow wrote/write lost/lose built/build chose/choose ran/run
    met/meet brought/bring caught/catch drove/drive drew/draw stood/stand felt/feel won/win
"""
_IRREGULAR = {form: verb for form, _, verb in (pair.partition("/") for pair in _IRREGULAR_PAIRS.split())}
# German verb endings that the stemmer keeps: dauert, dauern, kostet, kosteten.
_GERMAN_VERB = re.compile(r"(?<=\w{3})(?:(?<=e[rl])n|e?t(?:e[nt]?)?)$")
# Hiragana is mostly grammar: it separates content words.
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KATAKANA = re.compile("[\u30a1-\u30ff]{2,}")
_SENTENCE_START = re.compile(r"(?:^|[.!?:。！？\n]\s*)[\"'“‘(「*#>\-\s]*$")
_ACCENTS = re.compile("[\u0300-\u036f]++")
_STEMMERS, _STEMMER_LOCK = {name: Stemmer.Stemmer(name) for name in ("english", "german")}, Lock()


def to_plain(text: str) -> str:
    """Return text in Unicode's compatible form."""
    return unicodedata.normalize("NFKC", text)


def fold(text: str) -> str:
    """Return text without case, width and accents."""
    letters = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", letters)


@lru_cache(4096)
def units(question: str) -> tuple[str, ...]:
    """Return a question's distinct units of comparison: stems, numbers and East Asian pairs."""
    language = "german" if language_of(question.lower()) == "de" else "english"
    return tuple(dict.fromkeys(unit for _, parts in _content(question) for unit in parts[language]))


@lru_cache(4096)
def _text_units(text: str) -> frozenset[str]:
    """Return a text's units for questions in any language."""
    return frozenset(unit for _, parts in _content(text) for stems in parts.values() for unit in stems)


def has(text: str, unit: str) -> bool:
    """Return whether a text has a unit; East Asian pairs also match within words."""
    return unit in _text_units(text) or (bool(RUN.match(unit)) and unit in to_plain(text))


def content_words(text: str) -> list[str]:
    """Return distinct content words and East Asian runs."""
    return list(dict.fromkeys(word for word, _ in _content(text)))


def correct(question: str, text: str) -> str:
    """Return a question with a text's spelling: compounds split, and typing errors corrected."""
    words = [word for word in _PARTS.findall(fold(text)) if word.isalpha()]
    apart = {first + second: f"{first} {second}" for first, second in pairwise(words)}

    def replace_word(match: re.Match[str]) -> str:
        word = fold(match[0])
        if len(word) < _MIN_TYPO or word in STOP or any(has(text, unit) for unit in units(word)):
            return match[0]
        return apart.get(word) or next((other for other in words if _is_typo(word, other)), match[0])

    return _LETTERS.sub(replace_word, question)


def _is_typo(word: str, other: str) -> bool:
    """Return whether two words differ by one inserted, removed, swapped or (in a long word) replaced letter."""
    if word[0] != other[0] or abs(len(word) - len(other)) > 1:
        return False
    start = next((at for at, (mine, theirs) in enumerate(zip(word, other, strict=False)) if mine != theirs), len(word))
    here, there = word[start:], other[start:]
    is_swapped = here[:2] == there[1::-1] and here[2:] == there[2:]
    is_one_else = here[1:] == there[1:] and len(word) > _MIN_TYPO
    return here[1:] == there or here == there[1:] or is_swapped or is_one_else


def _content(text: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield each word with its units by language."""
    text = AMOUNT.sub(" ", fold(text).replace("’", "'").replace("'s", " "))
    for match in _PARTS.finditer(RUN.sub(" ", text)):
        word = match[0]
        if word not in STOP and (len(word) > 1 or word.isdigit()):
            is_number = word[0].isdigit()
            yield word, {name: [word.replace(",", "") if is_number else _stem(word, name)] for name in _STEMMERS}
    for run in RUN.findall(text):
        for part in _HIRAGANA.split(run):
            if part and part not in STOP:
                # Korean words end in a particle or ending.
                stem = part[:-1] if len(part) > 1 and _HANGUL.match(part) else part
                pairs = [stem[at : at + 2] for at in range(len(stem) - 1)] or [stem]
                yield part, dict.fromkeys(_STEMMERS, pairs)


def _stem(word: str, language: str) -> str:
    word = _GERMAN_VERB.sub("", word) if language == "german" else word
    with _STEMMER_LOCK:
        return str(_STEMMERS[language].stemWord(_IRREGULAR.get(word, word)))


def names(question: str) -> tuple[str, ...]:
    """Return the names in a question: capitalized words within a sentence, acronyms, words with digits, katakana.

    Nouns with a number ("Hall 2") and years count, too. In an all-capitals question, capitals do not.
    """
    question = to_plain(question)
    if question.isupper() and question.count(" ") > 1:
        question = question.lower()
    spaced = RUN.sub(" ", question)
    words = [
        match[0] for match in _NUMBERED.finditer(question) if fold(match["noun"] or "x") not in STOP | _BEFORE_QUANTITY
    ]
    for match in _WORD.finditer(spaced):
        word = match[0]
        starts = bool(_SENTENCE_START.search(spaced[: match.start()]))
        mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
        inner = any(letter.isupper() for letter in word[1:])
        if fold(word) not in STOP and len(word) > 1 and (mixed or inner or (word[0].isupper() and not starts)):
            words.append(word)
    return tuple(dict.fromkeys([*words, *_YEAR_NAME.findall(spaced), *_KATAKANA.findall(question)]))


def holds(text: str, name: str) -> bool:
    """Return whether a name occurs in a text, at the start of a word or with another ending."""
    if numbered := _NUMBERED.fullmatch(name):
        return _number(numbered) in _numbers_of(text, numbered)
    if RUN.match(name):
        return name in to_plain(text)
    stands = re.search(rf"(?<![^\W_]){re.escape(fold(name))}(?!\d)", fold(text))
    return bool(stands) or (name.isalpha() and any(has(text, unit) for unit in units(name)))


def denies(text: str, name: str) -> bool:
    """Return whether a text has the noun of a numbered name only with other numbers."""
    numbered = _NUMBERED.fullmatch(name)
    numbers = _numbers_of(text, numbered) if numbered else set()
    return numbered is not None and bool(numbers) and _number(numbered) not in numbers


def _number(numbered: re.Match[str]) -> str:
    return fold(numbered["number"] or numbered["before"] or numbered["ordinal"])


def _numbers_of(text: str, numbered: re.Match[str]) -> set[str]:
    """Return the numbers in a text with the noun of a numbered name."""
    noun, counter = fold(numbered["noun"] or ""), numbered["counter"] or ""
    if noun:
        listed = re.compile(
            rf"(?<!\w){re.escape(noun[: max(3, len(noun) - 2)])}\w{{0,4}}[\W_]{{1,3}}"
            r"(?:(?:no|nr)\W{1,2})?((?:\d[\w.]{0,9}|and|or|to|und|oder|bis|[,&\s-]){1,12})"
        )
    elif counter:
        listed = re.compile(rf"(\d{{1,4}}+){fold(counter)}")
    else:
        listed = re.compile(r"[第제](\d{1,4}+)")
    return {number.rstrip(".") for part in listed.findall(fold(text)) for number in re.findall(r"\d[\w.]*", part)}


def letters(text: str) -> str:
    """Return only letters and digits in folded form, to compare texts."""
    return re.sub(r"[\W_]+", "", to_plain(text)).casefold()
