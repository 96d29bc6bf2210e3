"""Sums in a question, worked out exactly and without eval, and totals over nights and days."""

import ast
import operator
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from selfrag_cli.local.stand_in.words import plain

_LONGEST, _MOST_DIGITS, _LARGEST_EXPONENT = 200, 60, 200
_WRAPPING = re.compile(
    r"^(?:what(?: is|'s)|how much is)\s+|(?<![\s=?？.。は])(?:\s*+(?:[=?？.。]|は))++$", re.IGNORECASE
)
_SUM = re.compile(r"(?=\D*+\d[^+\-*/]*+[+\-*/])[\d\s.+\-*/()]++")
_SIGNS = str.maketrans("×÷−^", "*/-@")
_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_COUNTED = re.compile(rf"(?<!\d)(\d++|{'|'.join(_NUMBERS)}) (night|day|week|month)s\b", re.IGNORECASE)


def worked_out(text: str) -> str | None:
    """Return a sum that is all that a text asks for, with its value; None for any other text."""
    written = _WRAPPING.sub("", plain(text).strip()).translate(_SIGNS).replace("@", "**")
    if len(written) > _LONGEST or not _SUM.fullmatch(written):
        return None
    try:
        tree = ast.parse(written.strip(), mode="eval")
        result = _written(_value(tree.body))
    except ZeroDivisionError:
        result = "is not defined"
    except OverflowError:
        result = "is a number too large to write out"
    except (SyntaxError, ValueError, MemoryError, RecursionError, TypeError):
        return None
    if not any(isinstance(node, ast.BinOp) for node in ast.walk(tree)):
        return None
    spaced = re.sub(r"([*]{2}|[+*/-])", r" \1 ", written)
    return f"{' '.join(spaced.split())} {result}."


def _value(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as number):
            value = Fraction(Decimal(repr(number)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = -_value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            exponent = _value(right)
            if exponent.denominator > 1 or abs(exponent) > _LARGEST_EXPONENT:
                raise OverflowError
            value = _value(left) ** int(exponent)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            value = _OPERATORS[type(sign)](_value(left), _value(right))
        case _:
            raise TypeError
    if max(abs(value.numerator), value.denominator) >= 10**_MOST_DIGITS:
        raise OverflowError
    return value


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return f"= {value}"
    rounded = round(value, 10)
    digits = f"{float(rounded):.10f}".rstrip("0").rstrip(".")
    return f"= {digits}" if rounded == value else f"is about {digits}"


def without_counts(question: str) -> str:
    """Return a question without the numbers that it multiplies by, which no sentence of a document holds."""
    return _COUNTED.sub(r"\2s", question)


def total_for(question: str, sentence: str) -> str | None:
    """Return the total of a sentence's amount per night (day, week, month) for as many as a question names."""
    counted = _COUNTED.search(question)
    amount = counted and re.search(rf"(\d+(?:\.\d+)?) ([A-Z]{{3}}) per {counted[2]}\b", sentence, re.IGNORECASE)
    if not counted or not amount:
        return None
    many = _NUMBERS.get(counted[1].casefold(), counted[1])
    return f"In total that is {many} x {amount[1]} = {Decimal(many) * Decimal(amount[1])} {amount[2]}."
