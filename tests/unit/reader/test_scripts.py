"""Superscripts and subscripts are written as people search them, in every kind of file."""

import pytest

from selfrag.reader.scripts import subscript, superscript
from selfrag.text.search_tokens import tokens


@pytest.mark.parametrize(
    ("before", "raised", "text"),
    [
        ("up to 2", "32", "up to 2^32"),
        ("10", "-3", "10^-3"),
        ("10", "\u22123", "10^\u22123"),
        ("2", "n", "2^n"),
        ("2", "n-1", "2^(n-1)"),
        ("20 m", "2", "20 m²"),
        ("20m", "2", "20m²"),
        ("cm", "3", "cm³"),
        ("km", "2 of land", "km 2 of land"),
        ("kg/m", "3", "kg/m³"),
        ("m s", "-1", "m s⁻¹"),
        ("mol", "-1", "mol^-1"),
        ("x", "2", "x^2"),
        ("E = mc", "2", "E = mc^2"),
        ("sin", "2", "sin^2"),
        ("p < 0.05", "1", "p < 0.05[1]"),
        ("Plan A", "1", "Plan A[1]"),
        ("e", "x", "e^x"),
        ("(a + b)", "2", "(a + b)^2"),
        ("the 1", "st", "the 1st"),
        ("le 1", "er", "le 1er"),
        ("M", "me", "Mme"),
        ("20 ", "o", "20 o"),
        ("20", "o", "20°"),
        ("Na", "+", "Na+"),
        ("Ca", "2+", "Ca2+"),
        ("Acme", "TM", "Acme™"),
        ("Acme", "(R)", "Acme®"),
        ("costs", "1", "costs[1]"),
        ("costs.", "1", "costs.[1]"),
        ("costs", "2, 3", "costs[2, 3]"),
        ("costs", "a", "costs[a]"),
        ("140", "a", "140[a]"),
        ("(see above)", "1", "(see above)[1]"),
        ("the ", "14", "the 14"),
        ("", "1", "[1]"),
        ("Offer", "new", "Offer new"),
        ("costs", "* ", "costs* "),
        ("costs", "1 ", "costs[1] "),
    ],
)
def test_a_raised_text_is_a_power_a_note_or_an_ending(before, raised, text):
    assert before + superscript(before, raised) == text


@pytest.mark.parametrize(
    ("before", "lowered", "text"),
    [
        ("CO", "2", "CO2"),
        ("H", "2", "H2"),
        ("C6H", "12", "C6H12"),
        ("Ca(OH)", "2", "Ca(OH)2"),
        ("V", "max", "Vmax"),
        ("log", "10", "log10"),
        ("x", "i", "x_i"),
        ("x", "n+1", "x_(n+1)"),
        ("1011", "2", "1011_2"),
        ("see ", "below", "see below"),
    ],
)
def test_a_lowered_text_is_a_formula_or_an_index(before, lowered, text):
    assert before + subscript(before, lowered) == text


@pytest.mark.parametrize(
    ("before", "raised", "query"),
    [
        ("20 m", "2", "20 m2"),
        ("2", "32", "2^32"),
        ("10", "-3", "10^-3"),
        ("Acme", "TM", "Acme"),
        ("costs", "1", "cost 1"),
    ],
)
def test_full_text_search_meets_a_superscript_as_people_type_it(before, raised, query):
    assert tokens(before + superscript(before, raised)) == tokens(query)
