"""Sums: found in a question and worked out exactly, without eval."""

import ast
import re
from decimal import Decimal
from fractions import Fraction

from cli.local.offline.text.vocabulary import NUMBER_WORDS
from cli.local.offline.text.words import plain

TOO_LARGE = "a number too large to write out"
NOT_DEFINED = "not defined"

_LONGEST, _MOST_DIGITS, _LARGEST_EXPONENT, _DECIMALS = 200, 60, 200, 10

_NUMBERS = NUMBER_WORDS | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000",
}  # fmt: skip
_WRAPPING = re.compile(
    r"^(?:(?:hi|hello|hey|please|so|and|ok|okay|can you|could you|tell me|what(?: is|'s|s| are)|how much (?:is|are)"
    r"|calculate|compute|work out|solve|the (?:result|sum|product|value) of|the answer to|答えは|計算して)\b[\s,:]*)+"
    r"|(?:\s*(?:please|equals?|=|[?？。.!]|は|って|の?答え[はを]?|いくつ|いくら|何|なん|ですか|になりますか|でしょうか"
    r"|を?計算して(?:ください|下さい)?|を?教えて(?:ください|下さい)?))+$",
)
_WORDS = (
    (re.compile(r"(\d)[, ](?=\d{3}(?!\d))"), r"\1"),
    (re.compile(r"\s*(?:%|percent|パーセント)\s*(?:of|の)\s*"), "/100*"),
    (re.compile(r"\s*(?:%|percent|パーセント)"), "/100"),
    (re.compile(r"multiplied by|\btimes\b|(?<=[\d\s)])x(?=[\d\s(])|[×✕・]|[掛か]ける"), "*"),
    (re.compile(r"divided by|\bover\b|÷|割る"), "/"),
    (re.compile(r"\bplus\b|足す|たす"), "+"),
    (re.compile(r"\bminus\b|[−–]|引く|ひく"), "-"),
    (re.compile(r"\bto the power of\b|\^"), "**"),
    (re.compile(r"\bsquared\b|の[二2]乗|²"), "**2"),
    (re.compile(r"\bcubed\b|の[三3]乗|³"), "**3"),
)
_SUM = re.compile(r"[\d\s.+\-*/()]*\d[\d\s.+\-*/()]*[+\-*/][\d\s.+\-*/()]*")


def worked_out(text: str) -> tuple[str, str] | None:
    """A sum that is all that a text asks for, and its value; None for any other text."""
    written = _as_sum(text)
    if written is None:
        return None
    try:
        tree = ast.parse(written, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if not any(isinstance(node, ast.BinOp) for node in ast.walk(tree)):
        return None
    try:
        value = _written(_value(tree.body))
    except ZeroDivisionError:
        value = NOT_DEFINED
    except OverflowError:
        value = TOO_LARGE
    except TypeError:
        return None
    return " ".join(re.sub(r"(\*\*|[+\-*/])", r" \1 ", written).split()), value


def _as_sum(text: str) -> str | None:
    if len(text) > _LONGEST:
        return None
    written = plain(text).casefold().strip()
    written = _WRAPPING.sub("", written).strip()
    written = re.sub(r"[a-z]+", lambda word: _NUMBERS.get(word[0], word[0]), written)
    for form, sign in _WORDS:
        written = form.sub(sign, written)
    return written.strip() if _SUM.fullmatch(written.strip()) else None


def _value(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as number):
            return Fraction(Decimal(repr(number)))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            return -_value(operand) if isinstance(sign, ast.USub) else _value(operand)
        case ast.BinOp(left=left, op=operator, right=right):
            return _combined(_value(left), operator, _value(right))
    raise TypeError


def _combined(left: Fraction, operator: ast.operator, right: Fraction) -> Fraction:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.FloorDiv():
            return Fraction(left // right)
        case ast.Pow() if right.denominator == 1:
            if abs(right) > _LARGEST_EXPONENT or max(abs(left.numerator), left.denominator) > 10**_MOST_DIGITS:
                raise OverflowError
            return Fraction(left ** int(right))
    raise TypeError


def _written(value: Fraction) -> str:
    if max(abs(value.numerator), value.denominator) >= 10**_MOST_DIGITS:
        raise OverflowError
    if value.denominator == 1:
        return str(value.numerator)
    rounded = round(value, _DECIMALS)
    digits = f"{float(rounded):.{_DECIMALS}f}".rstrip("0").rstrip(".")
    return digits if rounded == value else f"about {digits}"
