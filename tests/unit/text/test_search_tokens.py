"""Words and their stems, in any script."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.text.search_tokens import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Employees' Allowances", ["employe", "allow"]),
        ("年次有給休暇の申請", ["年次", "次有", "有給", "給休", "休暇", "暇の", "の申", "申請"]),
        ("ﾃﾚﾜｰｸ手当", ["テレ", "レワ", "ワー", "ーク", "ク手", "手当"]),
        ("휴가 신청", ["휴가", "신청"]),
        ("様式HR-08、火", ["様式", "hr", "08", "火"]),
        ("ＥＵＲ ①", ["eur", "1"]),
        ("é हिन्दी עִבְרִית", ["é", "e", "हिन्दी", "עִבְרִית", "עברית"]),
        ("Der Vertrag gilt.", ["der", "der", "vertrag", "vertrag", "gilt", "gilt"]),
        ("Straße", ["straße", "strass", "strass", "strass"]),
        ("E-104가 Lambda는", ["e", "104", "가", "lambda", "는"]),
        ("TO-220, A-104, AT&T, the IT of a team", ["to", "220", "a", "104", "at", "t", "it", "team"]),
        (
            "max_retries OvertimeService 25kg v1.2.3",
            [
                "max",
                "retri",
                "overtimeservic",
                "overtim",
                "servic",
                "25kg",
                "25",
                "kg",
                "v1",
                "v",
                "1",
                "2",
                "3",
            ],
        ),
        ("WHAT IS TO BE DONE IF E-4711 IS SHOWN?", ["what", "done", "e", "4711", "shown"]),
        ("The IT department says it.", ["it", "depart", "say"]),
        ("3½ 10³ ٤٧", ["3", "1", "2", "10", "3", "47"]),
        ("المُسْتَوْدَع", ["المُسْتَوْدَع", "المستودع"]),
        ("co\u00adoperate", ["cooper"]),
        ("?! …", []),
        ("", []),
    ],
)
def test_words_are_found_whatever_their_form_and_script(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("question", "passage", "shared"),
    [
        ("Wie lange gelten die Verträge der Häuser?", "Der Vertrag für ein Haus gilt ein Jahr.", {"vertrag", "haus"}),
        ("¿Cuándo se pagan las facturas?", "La factura de los proveedores se paga en mayo.", {"factur", "pag"}),
        ("Quelles sont les demandes annuelles ?", "La demande est annuelle.", {"demand", "annuel"}),
        ("Когда закрыты библиотеки?", "Библиотека закрыта в июле.", {"библиотек", "закрыт"}),
    ],
)
def test_inflected_words_of_a_language_share_a_stem(question: str, passage: str, shared: set[str]) -> None:
    assert shared <= {*tokens(question)} & {*tokens(passage)}


@pytest.mark.parametrize("question", ["Was macht retry_policies mit den Services?", "¿Qué hacen los retry_policies?"])
def test_question_in_another_language_shares_identifiers_with_an_english_passage(question: str) -> None:
    assert {"retri", "polici"} <= {*tokens(question)} & {*tokens("The retry_policies of the service")}


def test_word_without_a_stem_is_found_as_it_is_written() -> None:
    found = tokens("Kloroplastların kendi DNA'ları vardır ve bunların çoğu yeşil alglere aittir.")
    assert "ları" in found
    assert "" not in found


def test_thai_word_is_found_inside_a_run_of_letters_without_spaces() -> None:
    assert {*tokens("ค่าโรงแรม")} <= {*tokens("พนักงานเบิกค่าโรงแรมได้")}


@settings(deadline=None)
@given(st.text(st.characters()))
def test_any_text_has_tokens_that_are_words(text: str) -> None:
    for token in tokens(text):
        assert token
        assert not any(letter.isspace() for letter in token)
