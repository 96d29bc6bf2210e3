"""Words as they are counted: by letters and digits, without regard to case, width and ligatures."""

import re
import unicodedata

# Han, kana and Hangul: such text is broken between any two, so each is counted alone.
_EAST_ASIAN = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_TOKEN = re.compile(rf"[{_EAST_ASIAN}]|(?:(?![{_EAST_ASIAN}])[^\W_])+")
# With the words of Korean, which are written with spaces, whole.
_WORD = re.compile(rf"[{_HANGUL}]+|[{_EAST_ASIAN}]|(?:(?![{_EAST_ASIAN}])[^\W_])+")
# Soft hyphens, break opportunities and other invisible marks.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


def normal(text: str) -> str:
    """Normalize a text for comparison."""
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()


def tokens(text: str) -> list[str]:
    """Return words of letters and digits; each Han, kana and Hangul character is a token."""
    return _TOKEN.findall(normal(text))


def words(text: str) -> list[str]:
    """Return the same with Korean words whole."""
    return _WORD.findall(normal(text))
