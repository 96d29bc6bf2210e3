"""The numbers, dates and codes of an answer are checked by code, whatever the judge."""

import pytest

from selfrag.domain.answers import UNCITED, Citation
from selfrag.domain.citations import citation_of
from selfrag.domain.steps import GradeSupportTask
from selfrag.question.grade_support.fact_check import FactChecker
from selfrag.question.grade_support.logic import grade
from tests.support.fakes import grader, passage

STATED = [
    ("It costs 1,800 euros.", "Es kostet 1.800 Euro."),
    ("The rod is 1.8 m long.", "Der Stab ist 1,8 m lang."),
    ("On May 3, 2026 it opens.", "Am 3. Mai 2026 öffnet es."),
    ("Elle ouvre le 3 mai 2026.", "It opens on 3 May 2026."),
    ("It opens on 15 March.", "Opens 2026-03-15."),
    ("It takes 2 hours.", "It takes 120 minutes."),
    ("You have 3 days.", "Sie haben drei Tage."),
    ("It takes 18 months.", "It takes 1.5 years."),
    ("Three conditions apply: a, b and c.", "You may go if a, if b, and if c."),
    ("First, open the lid.", "Open the lid."),
    ("1. Open the lid.\n2. Close it.", "- Open the lid. - Close it."),
    ("Error E-104 means heat.", "E104: heat"),
    ("It follows ISO 9001.", "the norm ISO-9001"),
    ("Version v1.2.3 is out.", "version 1.2.3"),
    ("料金は10万円です。", "The fee is 100,000 yen."),
    ("It is for 1.5 million people.", "1,500,000 people"),
    ("Es kostet 2 Mio. Euro.", "It costs 2,000,000 EUR"),
    ("It costs $230,000, paid at once.", "Cuesta 230 000 $."),
    ("Über fünf Millionen Menschen.", "more than 5 million people"),
    ("It starts at 9:30 p.m.", "Beginn um 21.30 Uhr"),
    ("9時30分に始まります。", "It starts at 9:30."),
    ("Half of it is 50%.", "half of the fee"),
    ("It takes 3½ hours.", "3.5 hours"),
    ("Call 030 1234567.", "Tel. 030/1234-567"),
    ("From the fourth day.", "ab dem 4. Tag"),
    ("3개입니다.", "세 개를 줍니다"),
    ("Sauerstoff-18 is counted.", "oxygen-18"),
    ("Both cost 400 + 300 = 700 euros.", "It costs 400 euros, and a deposit of 300 euros."),
]
DERIVED = [
    ("Three nights cost 360 euros.", "A night costs 120 euros.", "What do three nights cost?"),
    ("It is 700 euros.", "The fee is 400 euros. The deposit is 300 euros.", "What is the total of fee and deposit?"),
    ("It is 100 euros more.", "The fee is 400 euros. The deposit is 300 euros.", "What is the difference?"),
    ("The average is 350 euros.", "Fee: 400 euros. Deposit: 300 euros.", "What is the average?"),
    ("They have not said when E-505 ends.", "E-104: heat", "What is E-505?"),
]
LACKING = [
    ("It has 512 seats.", "It has 412 seats in 3 rows.", ["512"]),
    ("On May 4, 2026.", "On May 3, 2026.", ["2026-5-4"]),
    ("Am 3. Juni 2026.", "It opens on 3 May 2026.", ["2026-6-3"]),
    ("In June 2026.", "On May 3, 2026, at 6.", ["2026-6"]),
    ("It opened in 2027.", "It opened in 2026.", ["2027"]),
    ("You have three days.", "You have 5 days.", ["3"]),
    ("Sie haben fünf Tage.", "Sie haben drei Tage.", ["5"]),
    ("From the fifth day.", "From the fourth day.", ["5th"]),
    ("It takes 5 hours.", "It takes 120 minutes.", ["5"]),
    ("It means E-105.", "E-104 means heat.", ["e-105"]),
    ("Room A-14.", "Room A-140.", ["a-14"]),
    ("It costs 1,900 euros.", "Es kostet 1.800 Euro.", ["1900"]),
    ("料金は10万円です。", "The fee is 1,000 yen.", ["100000"]),
]


def unfound(claim: str, text: str, question: str = "?") -> list[str]:
    return FactChecker(question, [passage("p", text)]).unfound(claim)


@pytest.mark.parametrize(("claim", "text"), STATED)
def test_fact_in_another_notation_is_found(claim: str, text: str) -> None:
    assert unfound(claim, text) == []


@pytest.mark.parametrize(("claim", "text", "question"), DERIVED)
def test_total_that_is_asked_for_and_fact_of_the_question_are_found(claim: str, text: str, question: str) -> None:
    assert unfound(claim, text, question) == []


@pytest.mark.parametrize(("claim", "text", "facts"), LACKING)
def test_fact_that_no_passage_has_is_named(claim: str, text: str, facts: list[str]) -> None:
    assert unfound(claim, text) == facts


PASSAGES = [passage("p1", "The lido has 412 seats. It opens at seven.")]
ANSWER = "The lido has 512 seats. It opens at seven."


def cited() -> list[Citation]:
    return [citation_of(PASSAGES[0], 0, 23, (0, 23)), citation_of(PASSAGES[0], 24, 43, (24, 43))]


def judged(*claims: tuple[str, str]) -> dict[str, object]:
    listed = [{"claim": claim, "support": support, "passages": [1], "missing": ""} for claim, support in claims]
    return {"claims": listed}


TASK = GradeSupportTask(question="How many seats?", answer=ANSWER, citations=cited(), passages=PASSAGES)


@pytest.mark.parametrize("claims", [["The lido has 512 seats.", "It opens at seven."], ["It opens at seven."]], ids=len)
def test_sentence_with_an_unfound_number_is_marked_and_cites_nothing(claims: list[str]) -> None:
    result = grade(TASK, grader(judged(*((claim, "full") for claim in claims))))
    assert result.verdict.level == "partially_supported"
    assert [claim.unfound for claim in result.verdict.claims if claim.fails] == [["512"]]
    assert result.answer == f"The lido has 512 seats. {UNCITED} It opens at seven."
    assert [result.answer[slice(*citation.answer_span)] for citation in result.citations] == ["It opens at seven."]


@pytest.mark.parametrize(
    "more", [{"today": "2026-11-28"}, {"previous": {"question": "And on 28 November 2026?"}}], ids=str
)
def test_date_of_asking_and_numbers_of_the_earlier_question_are_found(more: dict[str, object]) -> None:
    answer = "On 28 November 2026 the lido has 412 seats."
    task = GradeSupportTask.model_validate({"question": "Now?", "answer": answer, "passages": PASSAGES, **more})
    assert grade(task, grader(judged((answer, "full")))).verdict.level == "fully_supported"


@pytest.mark.parametrize("support", ["none", "contradicted"])
def test_sentence_with_a_failed_claim_cites_nothing(support: str) -> None:
    task = TASK.model_copy(update={"answer": ANSWER.replace("512", "412")})
    claims = [("The lido has 412 seats.", "full"), ("It opens at seven.", support)]
    result = grade(task, grader(judged(*claims)))
    assert result.answer == f"The lido has 412 seats. It opens at seven. {UNCITED}"
    assert [citation.answer_span for citation in result.citations] == [(0, 23)]
