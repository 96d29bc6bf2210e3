"""A suggestion is a question that its document answers."""

import pytest

from selfrag.text.suggestions import suggestion

OTHER = ("Handbook > Offices", "The offices are open from Monday to Friday.")


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The probation period lasts six months.", "How long does the probation period last?"),
        ("The parking permit costs 15 EUR.", "How much does the parking permit cost?"),
        ("A lost key must be reported within 4 hours.", "When must a lost key be reported?"),
        (
            "Each parent receives 18 weeks of parental leave at full pay.",
            "How many weeks of parental leave does each parent get?",
        ),
        ("The company pays 400 EUR towards a bicycle.", "How much does the company pay towards a bicycle?"),
        ("Postfix is a mail server.", "What is Postfix?"),
        ("Postfix ist ein Mailserver.", "Was ist Postfix?"),
        ("The notice period is 30 days.", "What is the notice period?"),
        ("Die Probezeit dauert sechs Monate.", "Wie lange dauert die Probezeit?"),
        ("Die Kündigungsfrist beträgt drei Monate.", "Wie hoch ist die Kündigungsfrist?"),
        ("国内出張の日当は、1日7,500円です。", "国内出張の日当は?"),
        ("런던 호텔 한도는 1박에 190파운드입니다.", "런던 호텔 한도는?"),
    ],
)
def test_a_sentence_that_states_a_fact_becomes_its_question(sentence: str, question: str) -> None:
    assert suggestion("Handbook", [], [OTHER, ("Rules", f"Read this first. {sentence}")]) == question


@pytest.mark.parametrize(
    "sentence",
    ["Some words.", "This is a rule.", "It is an old one.", "5. Appendix", "a=b must be c by d."],
)
def test_implausible_suggestions_are_dropped(sentence: str) -> None:
    assert suggestion("A. Standard Resolution Procedure", [], [("Rules", sentence)]) == ""
    twice = [("Fees", "The permit costs 15 EUR."), ("Fees", "The permit costs 20 EUR.")]
    assert suggestion("Fees", [], twice) == "", "two passages may answer it"


def test_a_superseded_document_has_no_suggestion() -> None:
    sections = [("Meals", "The canteen costs 5 EUR.")]
    assert suggestion("Meals (superseded)", [], sections) == suggestion("Meals", ["archive"], sections) == ""
