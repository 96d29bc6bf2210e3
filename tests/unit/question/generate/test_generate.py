"""Generate: grounded, direct and repair."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from question.generate.annotations import NOT_SAID, UNCITED
from question.generate.logic import NO_ANSWER, Task, generate
from selfrag.domain.answers import Turn
from selfrag.ports.model import Cited, Segment
from tests.support.fakes import PROMPT, FakeClaude, cited, passage

NO_TURN = {"question": "", "answer": ""}
TEXT = "Leave is 25 days a year. It begins in May."


def task(**fields: object) -> Task:
    return Task.model_validate({"question": "How many days?", "passages": [passage("p1", TEXT)], **fields})


def test_citations_quote_the_passage_word_for_word_and_point_into_the_answer() -> None:
    claude = FakeClaude([cited("You get 25 days.", 0, 0, 1), Segment(" "), cited("From May on.", 0, 1, 2)])
    result = generate(task(), claude, PROMPT)
    assert result.answer == "You get 25 days. From May on."
    assert [c.quote for c in result.citations] == ["Leave is 25 days a year.", "It begins in May."]
    spans = [result.answer[slice(*c.answer_span)] for c in result.citations]
    assert spans == ["You get 25 days.", "From May on."]
    assert result.citations[0].document == "people/leave.md"


def test_a_sentence_that_cites_nothing_is_marked() -> None:
    claude = FakeClaude([Segment("Good question. "), cited("25 days."), Segment(" Ask HR.")])
    result = generate(task(), claude, PROMPT)
    assert result.answer == f"Good question. {UNCITED} 25 days. Ask HR. {UNCITED}"
    assert result.answer[slice(*result.citations[0].answer_span)] == "25 days."


@pytest.mark.parametrize(
    ("fact", "remark"),
    [
        ("You get 25 days. ", "NOT_SAID: The papers do not say who approves it."),
        ("25 days.", "\nNOT_SAID: The documents do not say who approves it.\n"),
        ("休暇は25日です。", "NOT_SAID：承認者は文書に記載がありません。"),
        ("휴가는 25일입니다. ", "NOT_SAID: 승인자는 문서에 나와 있지 않습니다."),
    ],
)
def test_a_last_sentence_that_says_what_the_documents_do_not_hold_is_not_marked(fact: str, remark: str) -> None:
    result = generate(task(), FakeClaude([cited(fact), Segment(remark)]), PROMPT)
    assert result.answer == fact + re.sub(r"NOT_SAID[:：]\s*", "", remark)
    (citation,) = result.citations
    assert result.answer[slice(*citation.answer_span)] == fact


@pytest.mark.parametrize(
    ("segments", "answer"),
    [
        (
            [Segment("NOT_SAID: Nobody knows. "), cited("25 days.")],
            f"Nobody knows. {UNCITED} 25 days.",
        ),
        (
            [cited("25 days. "), Segment("NOT_SAID: Who approves it. It costs 20 EUR.")],
            f"25 days. Who approves it. {UNCITED} It costs 20 EUR. {UNCITED}",
        ),
        (
            [cited("25 days. "), Segment("It costs 20 EUR, NOT_SAID: not who pays.")],
            f"25 days. It costs 20 EUR, {UNCITED} not who pays.",
        ),
    ],
)
def test_nothing_else_hides_behind_the_sign_of_what_is_not_said(segments: list[Segment], answer: str) -> None:
    assert generate(task(), FakeClaude(segments), PROMPT).answer == answer


@pytest.mark.parametrize("mode", ["grounded", "direct"])
def test_an_answer_that_only_says_what_is_missing_is_no_answer(mode: str) -> None:
    missing = Segment("NOT_SAID: The documents do not say it.")
    result = generate(task(mode=mode), FakeClaude([missing]), PROMPT)
    assert (result.answer, result.found) == ("", False)


def test_the_passages_reach_the_model_sentence_by_sentence() -> None:
    claude = FakeClaude([cited("25 days.")])
    generate(task(), claude, PROMPT)
    (source,) = claude.sources
    assert source.blocks == ("Leave is 25 days a year. ", "It begins in May.")
    assert "".join(source.blocks) == TEXT
    assert claude.asked == [{"task": "grounded", "question": "How many days?", "previous": NO_TURN}]


def test_a_direct_answer_takes_no_passages_and_is_not_marked() -> None:
    claude = FakeClaude([Segment("Hello! How can I help?")])
    result = generate(task(mode="direct"), claude, PROMPT)
    assert (result.answer, result.citations, result.found) == ("Hello! How can I help?", [], True)
    assert claude.sources == []


def test_an_answer_without_a_word_is_an_answer() -> None:
    result = generate(task(mode="direct"), FakeClaude([Segment("👍")]), PROMPT)
    assert (result.answer, result.found) == ("👍", True)


def test_a_repair_is_told_the_draft_and_the_claims_that_failed() -> None:
    claude = FakeClaude([cited("25 days.")])
    generate(task(draft="30 days.", failed_claims=["Leave is 30 days."]), claude, PROMPT)
    (told,) = claude.asked
    assert told["task"] == "repair"
    assert (told["draft"], told["failed_claims"]) == ("30 days.", ["Leave is 30 days."])


def test_a_follow_up_is_told_the_earlier_turn() -> None:
    claude = FakeClaude([cited("25 days.")])
    generate(task(previous=Turn(question="Leave?", answer="25 days.")), claude, PROMPT)
    assert claude.asked[0]["previous"] == {"question": "Leave?", "answer": "25 days."}


@pytest.mark.parametrize("text", [NO_ANSWER, f" {NO_ANSWER}.", f"Well, {NO_ANSWER}", "  \n"])
def test_the_sign_for_no_answer_never_reaches_a_caller(text: str) -> None:
    result = generate(task(), FakeClaude([Segment(text)]), PROMPT)
    assert (result.answer, result.found, result.citations) == ("", False, [])


@pytest.mark.parametrize("flaw", ["refused", "malformed", "unavailable"])
def test_a_refused_or_empty_reply_is_no_answer(flaw: str) -> None:
    result = generate(task(), FakeClaude([Segment("I can't")], flaw), PROMPT)  # type: ignore[arg-type]
    assert (result.answer, result.found, result.flaw) == ("", False, flaw)


def test_a_cut_reply_keeps_its_whole_sentences_and_says_that_it_was_cut() -> None:
    result = generate(task(), FakeClaude([cited("25 days a year. It begins in M")], "cut"), PROMPT)
    assert (result.answer, result.found, result.flaw) == ("25 days a year. ", True, "cut")
    assert result.answer[slice(*result.citations[0].answer_span)] == "25 days a year. "


@pytest.mark.parametrize("wrong", [Cited(5, 0, 1), Cited(-1, 0, 1), Cited(0, 7, 9), Cited(0, 1, 1)])
def test_a_citation_of_nothing_is_no_citation(wrong: Cited) -> None:
    result = generate(task(), FakeClaude([Segment("25 days.", (wrong,))]), PROMPT)
    assert result.citations == []
    assert result.answer == f"25 days. {UNCITED}"


TEXTS = st.text(max_size=40) | st.sampled_from([f"{NOT_SAID}: no. ", NOT_SAID, f"so {NOT_SAID}：いいえ。", "Yes. "])
SEGMENTS = st.lists(st.tuples(TEXTS, st.booleans()), min_size=1, max_size=6)


@given(SEGMENTS)
def test_whatever_the_model_writes_spans_stay_inside_and_every_sentence_is_cited_or_marked(
    parts: list[tuple[str, bool]],
) -> None:
    segments = [cited(text) if is_cited else Segment(text) for text, is_cited in parts]
    result = generate(task(), FakeClaude(segments), PROMPT)
    for citation in result.citations:
        start, end = citation.answer_span
        assert 0 <= start < end <= len(result.answer)
        assert citation.quote in TEXT
    assert NOT_SAID not in result.answer
    if not result.citations and any(c.isalnum() for c in result.answer):
        assert UNCITED in result.answer


def test_a_citation_names_the_page_of_a_pdf_and_the_heading_of_a_section() -> None:
    found = passage("p1", "Leave is 25 days.", page=3, heading="Annual leave")
    result = generate(Task(question="How many days?", passages=[found]), FakeClaude([cited("25 days.")]), PROMPT)
    (citation,) = result.citations
    assert (citation.page, citation.heading) == (3, "Annual leave")
