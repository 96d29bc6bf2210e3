"""A suggestion is a question that its document answers."""

import pytest

from selfrag.text.suggestions import TitledText, suggestion

OTHER = TitledText("Handbook > Offices", "The offices are open from Monday to Friday.")


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The probation period lasts six months.", "How long does the probation period last?"),
        ("The parking permit costs 15 EUR.", "How much does the parking permit cost?"),
        ("The notice period is 30 days.", "What is the notice period?"),
        ("Die Probezeit dauert sechs Monate.", "Wie lange dauert die Probezeit?"),
        ("Die Kündigungsfrist beträgt drei Monate.", "Wie hoch ist die Kündigungsfrist?"),
        ("国内出張の日当は、1日7,500円です。", "国内出張の日当は?"),
        ("런던 호텔 한도는 1박에 190파운드입니다.", "런던 호텔 한도는?"),
    ],
)
def test_a_sentence_that_states_a_fact_becomes_its_question(sentence: str, question: str) -> None:
    assert suggestion("Handbook", [], [OTHER, TitledText("Rules", f"Read this first. {sentence}")]) == question


def test_a_question_that_two_passages_may_answer_gives_way_to_one_about_the_title() -> None:
    twice = [TitledText("Fees", "The permit costs 15 EUR."), TitledText("Fees", "The permit costs 20 EUR.")]
    assert suggestion("Fees", [], twice) == "What does “Fees” say?"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Some words.", "What does “Rules” say?"),
        ("Wir sind von Montag bis Freitag für Sie da.", "Was steht in „Rules“?"),
        ("社員が守る規則をまとめました。", "「Rules」には何が書かれていますか?"),
        ("직원이 지켜야 하는 규칙을 모았습니다.", "“Rules”에는 어떤 내용이 있나요?"),
    ],
)
def test_a_document_without_such_a_sentence_is_asked_for_by_its_title_in_its_language(text: str, question: str) -> None:
    assert suggestion("Rules", [], [TitledText("Rules", text)]) == question


@pytest.mark.parametrize("title", ["tar (1.34+dfsg-1.2) bookworm; urgency=medium", "Rates 2023", "name;date;amount"])
def test_no_title_with_a_number_or_a_list_of_fields_is_offered(title: str) -> None:
    assert suggestion(title, [], [TitledText(title, "Some words.")]) == ""
    assert suggestion(title, [], [TitledText(f"{title} > Meals", "Some words.")]) == "What does “Meals” say?"


def test_a_superseded_document_has_no_suggestion() -> None:
    sections = [TitledText("Meals", "The canteen costs 5 EUR.")]
    assert suggestion("Meals (superseded)", [], sections) == suggestion("Meals", ["archive"], sections) == ""
