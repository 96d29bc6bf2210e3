"""Superscripts and subscripts in plain text, as people search for them: 2^32, m², CO2, costs[1]."""

import re

_NUMBER = re.compile(r"[+\-\u2212]?\d+(?:[.,]\d+)?")
# Note marks: 1; 2, 3; 4-6; a.
_NOTES = re.compile(r"\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3}){0,9}|[a-h]|[ivx]{1,6}|[*†‡§]{1,4}")
_SIGNS = {"tm": "™", "sm": "℠", "r": "®", "(r)": "®"}
_ORDINALS = frozenset(("st", "nd", "rd", "th", "er", "ère", "ere", "re", "e", "ème", "eme", "o", "a"))
_CHARGE = re.compile(r"\d?[+\-\u2212]")
_UNIT = re.compile(r"(?<![^\W\d_])(?:[nµμmcdk]?m|s|ft|yd)\Z")
_UNIT_POWER = re.compile(r"[-\u2212]?[1-4]")
_RAISED = str.maketrans("1234-\u2212", "¹²³⁴⁻⁻")
_VARIABLE = re.compile(r"(?<![^\W\d_])[^\W\d_]\Z")
# A function, or the end of a product: E = mc.
_FACTOR = re.compile(r"(?:(?<![^\W\d_])(?:sin|cos|tan|log|ln)|[=+×·]\s?[^\W\d_]{1,3})\Z")
_LETTERS = re.compile(r"[^\W\d_]{1,20}\Z")
# A formula group such as (a + b), without words of three or more letters.
_GROUP = re.compile(r"\((?:(?![^\W\d_]{3})[^()]){1,40}\)\Z")
_WHOLE = re.compile(r"\w+|[+\-\u2212]?\d+(?:[.,]\d+)?|\([^()]*\)")
_WORD = re.compile(r"[^\W\d_]{2}")
_MIN_WORD = 4  # letters; a raised ending of a shorter word belongs to it, as in Mme
_CONTEXT = 50  # characters of context that the rules need


def superscript(before: str, raised: str) -> str:
    """Return raised text as plain text after `before`: a power, a note number in brackets, or an ending."""
    text, before = raised.strip(), before[-_CONTEXT:]
    if not before.strip() or not text or raised[0].isspace():
        return f"[{text}]" if text and not before and _NOTES.fullmatch(text) else raised
    return _raise(before, text) + raised[len(raised.rstrip()) :]


def _raise(before: str, text: str) -> str:
    after_digit, word = before[-1].isdigit(), _LETTERS.search(before)
    if before[-1].isspace():
        return text
    if _UNIT.search(before) and _UNIT_POWER.fullmatch(text) and text != "1":
        return text.translate(_RAISED)
    if after_digit and text == "o":
        return "°"
    if text.lower() in _SIGNS and not after_digit and word and len(word[0]) > 1:
        return _SIGNS[text.lower()]
    if (after_digit and text in _ORDINALS - {"a"}) or _CHARGE.fullmatch(text) or not any(map(str.isalnum, text)):
        return text
    is_base = after_digit or any(form.search(before) for form in (_VARIABLE, _FACTOR, _GROUP))
    if is_base and text != "1" and (_NUMBER.fullmatch(text) or _is_exponent(text)):
        return f"^{parenthesize(text)}"
    if text[0] in "[(":
        return text
    if word and _NUMBER.fullmatch(text) and not text[0].isdigit():
        return f"^{text}"
    if _NOTES.fullmatch(text):
        return f"[{text}]"
    ends_word = word is None or len(word[0]) < _MIN_WORD
    return text if ends_word and " " not in text else f" {text}"


def _is_exponent(text: str) -> bool:
    """Return whether raised text is a formula: no words and no note mark."""
    if len(text) == 1:
        return text in "ijkmnpqrstuvwxyzN"
    return _WORD.search(text) is None and not _NOTES.fullmatch(text)


def subscript(before: str, lowered: str) -> str:
    """Return lowered text as plain text after `before`: CO2, but x_1 and 1011_2."""
    text, before = lowered.strip(), before[-_CONTEXT:]
    if not text or not before.strip() or before[-1].isspace() or lowered[0].isspace():
        return lowered
    rest = lowered[len(lowered.rstrip()) :]
    variable = _VARIABLE.search(before)
    is_index = (variable and variable[0].islower()) or (before[-1].isdigit() and text[0].isdigit())
    return (f"_{parenthesize(text)}" if is_index or not _WHOLE.fullmatch(text) else text) + rest


def parenthesize(text: str) -> str:
    """Parenthesize a formula, unless it is a single number, name or group."""
    return text if _WHOLE.fullmatch(text) else f"({text})"
