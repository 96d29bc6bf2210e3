"""Reading time grows at most linearly with the text."""

import re
from collections.abc import Callable
from functools import reduce

import pytest

from selfrag.question.grade_support.facts import facts_of
from selfrag.reader.data.workbooks.formats import format_number
from selfrag.reader.pdf.text.paragraphs import Words
from selfrag.text.file_names import find_names, is_named
from selfrag.text.language import language_of
from selfrag.text.likeness import most_like
from selfrag.text.near_duplicates import Text, near_duplicates
from selfrag.text.sentences import split_sentences
from selfrag.text.weight import estimate_tokens
from selfrag.text.words import words_of
from tests.support.growth import BOUNDS, GENERIC, Expression, expressions, grown, slowest

EXPRESSIONS = expressions()
SHARES = 12
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "split_sentences": split_sentences,
    "words_of": words_of,
    "find_names": find_names,
    "is_named": lambda text: is_named(text, "a-1.md"),
    "estimate_tokens": estimate_tokens,
    "language_of": language_of,
    "facts_of": facts_of,
    "near_duplicates": lambda text: near_duplicates([Text("a.md", text, ""), Text("b.md", text + " and so on", "")]),
    "most_like": lambda text: most_like(text, [text, "another one"]),
    "shown": lambda text: format_number(5.5, text),
    "put_together": lambda text: reduce(Words([]).put_together, text.split() or [""]),
}


def told(expression: Expression) -> str:
    slow = slowest(expression, BOUNDS.get(str(expression)))
    return f"{expression}: {slow}" if slow else ""


@pytest.mark.parametrize("share", range(SHARES))
def test_no_regular_expression_takes_more_than_time_in_proportion_to_its_text(share):
    assert not list(filter(None, map(told, EXPRESSIONS[share::SHARES])))


def test_every_module_with_regular_expressions_is_looked_at():
    assert len(EXPRESSIONS) > 200
    assert set(BOUNDS) <= set(map(str, EXPRESSIONS)), "a bound names an expression that is gone"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_of_text_takes_more_than_time_in_proportion_to_it(name):
    tokens = [*GENERIC, "[$", "`", "...", "1.1", "e.g. ", "\n\n", "|", "||", "<", "&amp;", "-", "Aa", "é", "ー", "한 "]
    assert not [
        slow for token in tokens for prefix in ("", "1", "a ") if (slow := grown(FUNCTIONS[name], prefix, token))
    ]


@pytest.mark.parametrize("pattern", [r"\[\$([^\]-]*)[^\]]*\]", r"[.!?]+\s", r"\d+(?:,\d+)+", r"```(.*?)```\n", r"\s*x"])
def test_an_expression_that_takes_the_square_of_its_text_is_found(pattern):
    assert slowest(Expression("here", "it", re.compile(pattern, re.DOTALL), frozenset({"search"})))


def test_a_format_longer_than_excel_allows_is_cut():
    assert format_number(5, '0" pieces"' + " " * 300 + '"not shown"') == "5 pieces"
    assert format_number(5, "[$" * 30_000) == format_number(5, "[$")


@pytest.mark.parametrize(
    ("code", "as_shown"),
    [
        ("[$€-407] 0.00", "€ 5.50"),
        ("[$$-409]0.0", "$5.5"),
        ('0.00" kg"', "5.50 kg"),
        ("[Red]0.0", "5.5"),
        ("[h]:mm", "132:00"),
    ],
)
def test_formats_of_currencies_units_and_times_are_read_as_before(code, as_shown):
    assert format_number(5.5, code) == as_shown
