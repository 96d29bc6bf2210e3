"""Detection of a question's language among the six with messages (pure, no packages).

East Asian languages are recognised by script, the others by function words, typical letters and endings. A word shared
by languages counts partly for each. English is the fallback.
"""

import re
import unicodedata
from collections import Counter
from typing import Literal, cast, get_args

from selfrag.text.word_lists import WORD_LISTS

Language = Literal["en", "de", "fr", "es", "ja", "ko"]

_HANGUL = re.compile(r"[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u30fc々〆ヶ]")
_IDEOGRAPH = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_EAST_ASIAN_RUN = re.compile(
    r"[\u1100-\u11ff\u3005-\u3007\u3041-\u30ff\u3131-\u318e\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]+"
)
# Words and characters of Chinese; most of them in shapes that Japanese writes otherwise. In Japanese 的, 是 and 了
# stand in compounds alone.
_CHINESE = re.compile(
    r"[吗嗎呢吧啊么麼們们这這那哪你您她很沒没個个几假說说还還让讓會對關發圍]|什|怎|多少|多久|可以|是否|如何|為何|請問|公司|需要|哪裡"
    r"|(?<![目標公私法知物質量性般体済本])的(?![確中])|(?<!国)是(?![正非認])|(?<![終完満修魅])了(?![解承])|不(?=[是会會能用])"
)
_WORD = re.compile(r"[^\W\d_]+")

# Function words and what questions to documents begin with, without accents; those after the bar are of other languages
# than the six, and keep them from being taken for a related one.
_WORDS = {language: set(" ".join(lines).split()) for language, lines in WORD_LISTS["function words"].items()}
_SHARED = Counter(word for words in _WORDS.values() for word in words)
# Marks, letters and endings of words, each with the languages that have it and its weight for each.
_SIGNS = [
    (re.compile(pattern, re.IGNORECASE), languages.split(), weight)
    for pattern, languages, weight in (
        (r"[¿¡]", "es", 2.0),
        (r"ñ", "es", 1.5),
        (r"ß", "de", 2.0),
        (r"[äöü]", "de", 0.7),
        (r"[äö]", "sv fi", 0.7),
        (r"[öü]", "tr hu", 0.4),
        (r"œ|[èêë]\w|î|\bà\b|\boù\b", "fr", 0.8),
        (r"ç", "fr pt tr ca", 0.5),
        (r"[ãõ]", "pt", 1.5),
        (r"[êâ]", "pt", 0.5),
        (r"é", "fr es pt hu", 0.3),
        (r"[^\W\d_]{3}é\b", "fr", 0.5),
        (r"[óíá]", "es pt cs hu", 0.3),
        (r"[łąęśżźćń]", "pl", 2.0),
        (r"[åøæ]", "da sv", 1.5),
        (r"[ğş]", "tr", 1.5),
        (r"[ěščřžů]", "cs", 1.5),
        (r"[ățș]", "ro", 1.5),
        (r"[őű]", "hu", 1.5),
        (r"[òì]\b|[àù]\b", "it", 0.8),
        (r"l·l|\b(?:és|què)\b", "ca", 2.0),
        (r"\b(?:qu|j|n|t|m|s)['’]\w", "fr", 1.0),
        (r"\b[ldc]['’]\w", "fr it ca", 0.6),
        (r"t-(?:il|elle|on)\b", "fr", 1.0),
        (r"\b(?:dell|all|nell|dall|sull|un|cos|quest|dov|com|qual)['’]\w", "it", 1.0),
        (r"\w['’](?:s|t|re|ve|ll|m)\b", "en", 1.0),
        (
            r"(?:ung|ungen|keit|heit|schaft|frist|zeit|tage|pflicht|vertrag|schutz|dauer|antrag|recht|urlaub|steuer)(?:s|e|es|en)?\b",
            "de",
            0.8,
        ),
        (r"(?:kosten|geld)\b", "de nl", 0.5),
        (r"kosten\b", "de", 0.2),
        (r"sch|tz\b|pf\w", "de", 0.4),
        (r"(?:ción|ciones|miento|mientos|dades|ario|arios)\b", "es", 1.0),
        (r"dad\b|ón\b|ías?\b", "es", 0.6),
        (r"(?<=\w{3})(?:eaux?|eux|euse|ique|aire|aires|ité|ités|ée|ées|és|ementaire|ails?)\b", "fr", 0.8),
        (r"ement\b", "fr en", 0.3),
        (r"\w(?:zione|zioni|ità|aggio|enza|ione)\b", "it", 1.0),
        (r"(?:ção|ções|dade|agem)\b", "pt", 1.0),
        (r"mento\b", "es it pt", 0.3),
        (r"(?:heid|lijk|schap|ing|ingen)\b", "nl", 0.4),
        (r"ij|aa|uu|oe|(?<!q)ui[tdlsgz]|ee[^\W\d_]", "nl", 0.5),
        (r"(?:ing|ness|ity|ly|able|ies)\b", "en", 0.6),
        (r"cz|sz|rz|ów\b|ość\b", "pl", 0.5),
    )
]
# Minimum evidence for a language, and minimum lead over a related one.
_MIN_EVIDENCE, _LEAD = 0.5, 0.1


def language_of(text: str) -> Language:
    """Return the language of a question, English if it is of none of the six."""
    language = detect_language(text)
    return cast(Language, language) if language in get_args(Language) else "en"


def detect_language(text: str) -> str:
    """Return the language of a text as an ISO 639-1 code, "en" if in doubt."""
    text = unicodedata.normalize("NFKC", text)
    script = _detect_by_script(text)
    words = _WORD.findall(_EAST_ASIAN_RUN.sub(" ", text))
    if script and len(words) <= len(_EAST_ASIAN_RUN.findall(text)):
        return script
    language, evidence = _detect_by_words(text, words)
    # A sentence of words that quotes some East Asian ones, or one of these with names in Latin letters.
    return script if script and evidence < 2 else language


def _detect_by_script(text: str) -> str | None:
    """Return the language of the East Asian or Cyrillic characters of a text; None without any."""
    if _CYRILLIC.search(text):
        return "ru"
    if _HANGUL.search(text):
        return "ko"
    if _KANA.search(text):
        return "ja"
    ideographs = _IDEOGRAPH.findall(text)
    if not ideographs:
        return None
    return "en" if _CHINESE.search(text) or any(map(_is_simplified, ideographs)) else "ja"


def _is_simplified(ideograph: str) -> bool:
    """Return whether China has this form of a character, and Japan has not: by their standards of encoding."""
    return bool(ideograph.encode("gb2312", "ignore")) and not ideograph.encode("shift_jis", "ignore")


def _detect_by_words(text: str, words: list[str]) -> tuple[str, int]:
    """Return the language of the Latin words, and the number of its function words among them."""
    letters = unicodedata.normalize("NFD", " ".join(words).casefold())  # in small letters without accents
    folded = set("".join(letter for letter in letters if not unicodedata.combining(letter)).split())
    scores = dict.fromkeys(_WORDS, 0.0)
    for word in folded:
        for language, own in _WORDS.items():
            if word in own:
                scores[language] += 1 / _SHARED[word]
    for sign, languages, weight in _SIGNS:
        if sign.search(text):
            for language in languages:
                scores[language] += weight
    best, next_best = sorted(scores, key=scores.__getitem__, reverse=True)[:2]
    sure = scores[best] >= max(_MIN_EVIDENCE, scores[next_best] + _LEAD)
    return best if sure else "en", len(folded & _WORDS[best])
