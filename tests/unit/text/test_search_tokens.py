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
        ("отпуск é हिन्दी עִבְרִית", ["отпуск", "é", "e", "हिन्दी", "עִבְרִית", "עברית"]),
        ("Straße Übersicht", ["straße", "strass", "übersicht", "ubersicht"]),
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


@settings(deadline=None)
@given(st.text(st.characters()))
def test_any_text_has_tokens_that_are_words(text: str) -> None:
    for token in tokens(text):
        assert token
        assert not any(letter.isspace() for letter in token)
