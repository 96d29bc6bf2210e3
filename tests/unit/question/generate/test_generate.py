"""Generate: grounded, direct and repair."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.answers import Turn
from selfrag.domain.steps import GenerateTask
from selfrag.ports.model import CitedBlocks, ModelText, Prompt, TextBlock
from selfrag.question.generate.annotations import NO_ANSWER, NOT_SAID, UNCITED
from selfrag.question.generate.logic import generate
from tests.support.fakes import PROMPT, FakeClaude, cited, passage

NO_TURN = {"question": "", "answer": ""}
TEXT = "Leave is 25 days a year. It begins in May."


def task(**fields: object) -> GenerateTask:
    return GenerateTask.model_validate({"question": "How many days?", "passages": [passage("p1", TEXT)], **fields})


def test_citations_quote_the_passage_word_for_word_and_point_into_the_answer() -> None:
    claude = FakeClaude([cited("You get 25 days.", 0, 0, 1), TextBlock(" "), cited("From May on.", 0, 1, 2)])
    result = generate(task(), claude, PROMPT)
    assert result.answer == "You get 25 days. From May on."
    assert [c.quote for c in result.citations] == ["Leave is 25 days a year.", "It begins in May."]
    spans = [result.answer[slice(*c.answer_span)] for c in result.citations]
    assert spans == ["You get 25 days.", "From May on."]
    assert result.citations[0].document == "people/leave.md"


def test_a_sentence_that_cites_nothing_is_marked() -> None:
    claude = FakeClaude([TextBlock("Good question. "), cited("25 days."), TextBlock(" Ask HR.")])
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
def test_last_sentence_stating_missing_facts_is_not_marked(fact: str, remark: str) -> None:
    result = generate(task(), FakeClaude([cited(fact), TextBlock(remark)]), PROMPT)
    assert result.answer == fact + re.sub(r"NOT_SAID[:：]\s*", "", remark)
    (citation,) = result.citations
    assert result.answer[slice(*citation.answer_span)] == fact


@pytest.mark.parametrize(
    ("segments", "answer"),
    [
        (
            [TextBlock("NOT_SAID: Nobody knows. "), cited("25 days.")],
            f"Nobody knows. {UNCITED} 25 days.",
        ),
        (
            [cited("25 days. "), TextBlock("NOT_SAID: Who approves it. It costs 20 EUR.")],
            f"25 days. Who approves it. {UNCITED} It costs 20 EUR. {UNCITED}",
        ),
    ],
)
def test_not_said_sign_hides_no_other_text(segments: list[TextBlock], answer: str) -> None:
    assert generate(task(), FakeClaude(segments), PROMPT).answer == answer


@pytest.mark.parametrize("mode", ["grounded", "direct"])
def test_an_answer_that_only_says_what_is_missing_is_no_answer(mode: str) -> None:
    missing = TextBlock("NOT_SAID: The documents do not say it.")
    result = generate(task(mode=mode), FakeClaude([missing]), PROMPT)
    assert (result.answer, result.answered) == ("", False)


def test_the_passages_reach_the_model_sentence_by_sentence() -> None:
    claude = FakeClaude([cited("25 days.")])
    generate(task(), claude, PROMPT)
    (source,) = claude.sources
    assert source.blocks == ("Leave is 25 days a year. ", "It begins in May.")
    assert "".join(source.blocks) == TEXT
    assert claude.asked == [{"task": "grounded", "question": "How many days?", "previous": NO_TURN}]


def test_a_direct_answer_takes_no_passages_and_is_not_marked() -> None:
    claude = FakeClaude([TextBlock("Hello! How can I help?")])
    result = generate(task(mode="direct"), claude, PROMPT)
    assert (result.answer, result.citations, result.answered) == ("Hello! How can I help?", [], True)
    assert claude.sources == []


def test_an_answer_without_a_word_is_an_answer() -> None:
    result = generate(task(mode="direct"), FakeClaude([TextBlock("👍")]), PROMPT)
    assert (result.answer, result.answered) == ("👍", True)


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


@pytest.mark.parametrize("text", [NO_ANSWER, f" {NO_ANSWER}.", f"- {NO_ANSWER}", f"Well.\n{NO_ANSWER}", "  \n"])
def test_the_sign_for_no_answer_never_reaches_a_caller(text: str) -> None:
    result = generate(task(), FakeClaude([TextBlock(text)]), PROMPT)
    assert (result.answer, result.answered, result.citations) == ("", False, [])


@pytest.mark.parametrize("flaw", ["refused", "malformed", "unavailable"])
def test_a_refused_or_empty_reply_is_no_answer(flaw: str) -> None:
    result = generate(task(), FakeClaude([TextBlock("I can't")], flaw), PROMPT)  # type: ignore[arg-type]
    assert (result.answer, result.answered, result.flaw) == ("", False, flaw)


def test_cut_reply_keeps_whole_sentences_and_reports_cut() -> None:
    result = generate(task(), FakeClaude([cited("25 days a year. It begins in M")], "cut"), PROMPT)
    assert (result.answer, result.answered, result.flaw) == ("25 days a year. ", True, "cut")
    assert result.answer[slice(*result.citations[0].answer_span)] == "25 days a year. "


@pytest.mark.parametrize(
    "wrong", [CitedBlocks(5, 0, 1), CitedBlocks(-1, 0, 1), CitedBlocks(0, 7, 9), CitedBlocks(0, 1, 1)]
)
def test_a_citation_of_nothing_is_no_citation(wrong: CitedBlocks) -> None:
    result = generate(task(), FakeClaude([TextBlock("25 days.", (wrong,))]), PROMPT)
    assert result.citations == []
    assert result.answer == f"25 days. {UNCITED}"


@pytest.mark.parametrize(
    "text",
    [
        "The state NO_ANSWER means that the callee did not pick up.",
        "The flag NOT_SAID is set when a field is empty.",
        "NO_ANSWER_TIMEOUT is 30 seconds.",
        'The log reads "Done. NO_ANSWER" then.',
        "The log reads „Fertig. NO_ANSWER“ then.",
        "ログには「完了。NOT_SAID: 空」とあります。",
        "It prints `done! NOT_SAID: none`.",
    ],
)
def test_sign_inside_a_sentence_or_quote_is_plain_text(text: str) -> None:
    result = generate(task(), FakeClaude([cited(text)]), PROMPT)
    assert (result.answer, result.not_said) == (text, [])
    uncited = generate(task(), FakeClaude([TextBlock(text)]), PROMPT)
    assert uncited.answer.replace(f" {UNCITED}", "") == text


@pytest.mark.parametrize("text", ["NO_ANSWER is the state of a lost call.", "NOT_SAID: this flag marks a gap."])
def test_a_sign_inside_of_a_citation_is_a_word_of_the_answer(text: str) -> None:
    result = generate(task(), FakeClaude([cited(text)]), PROMPT)
    assert (result.answer, result.answered, result.not_said) == (text, True, [])


def test_sign_at_start_of_model_block_needs_no_preceding_space() -> None:
    result = generate(task(), FakeClaude([cited("You get 25 days."), TextBlock("NOT_SAID: Nobody says more.")]), PROMPT)
    assert (result.answer, result.not_said) == ("You get 25 days.Nobody says more.", ["Nobody says more."])


@pytest.mark.parametrize("colon", [":", "：", ""])
def test_the_phrase_to_search_for_is_kept_apart_from_the_sentence(colon: str) -> None:
    remark = TextBlock(f" NOT_SAID[approval of leave]{colon} The documents do not say who approves it.")
    result = generate(task(), FakeClaude([cited("25 days."), remark]), PROMPT)
    assert result.answer == "25 days. The documents do not say who approves it."
    assert result.not_said == ["The documents do not say who approves it."]
    assert result.missing == ["approval of leave"]


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("Leave is 25 days [5].", "Leave is 25 days."),
        ("Leave is 25 days.[0] It begins in May [2, 5].", "Leave is 25 days. It begins in May."),
        ("Leave is 25 days【3】.", "Leave is 25 days."),
        ("Leave is 25 days (2).", "Leave is 25 days."),
        ("Leave is 25 days [Source 1].", "Leave is 25 days."),
        ("Leave is 25 days (Source: leave.md).", "Leave is 25 days."),
        ("休暇は25日です（出典：leave.md）。", "休暇は25日です。"),
        ("Read (1) and (2) first.", "Read (1) and (2) first."),
        ("休暇は25日です［1］。", "休暇は25日です。"),
        ("Read items[0] of [sic] and [2026-01].", "Read items[0] of [sic] and [2026-01]."),
        ("It follows plate [3] and norm [12] [1].", "It follows plate [3] and norm [12]."),
        ("It follows norm [12].[12]", "It follows norm [12]."),
        ("It stops with exit code: [137].", "It stops with exit code: [137]."),
        ("[7] Torque table", "[7] Torque table"),
        ("It follows norm [3].", "It follows norm."),
    ],
)
def test_marks_typed_by_model_are_removed_but_source_marks_stay(written: str, answer: str) -> None:
    text = (
        "Leave is 25 days a year. Read items[0] of the list. It follows plate [3] and norm [12].\n"
        "It stops with exit code: [137].\n[7] Torque table"
    )
    given = task(passages=[passage("p1", text)])
    result = generate(given, FakeClaude([cited(written)]), PROMPT)
    assert result.answer == answer
    assert result.answer[slice(*result.citations[0].answer_span)] == answer


@pytest.mark.parametrize("marks", [" [1]", "\n[1][2]", " (1)", " [Source: a.md]", " 【1】.", " [1] [2]."])
def test_marks_after_the_full_stop_are_no_sentence_of_their_own(marks: str) -> None:
    result = generate(task(), FakeClaude([cited("You get 25 days."), TextBlock(marks)]), PROMPT)
    assert (result.answer, len(result.citations)) == ("You get 25 days.", 1)


class Obedient(FakeClaude):
    """A model that obeys a format which a document describes, so many times."""

    def __init__(self, times: int, obeys: str) -> None:
        super().__init__([cited("25 days.")])
        self._times, self._obeys = times, obeys

    def write(self, step: str, prompt: Prompt, sources: Any, fields: Any) -> ModelText:
        written = super().write(step, prompt, sources, fields)
        return replace(written, segments=(cited(self._obeys),)) if len(self.asked) <= self._times else written


FORMS = ['{"thoughts": "t", "answer": "25 days."}', '[{"a": 1}]', "```json\n{}\n```", " ```\n25 days\n``` "]


@pytest.mark.parametrize("form", FORMS)
def test_answer_in_json_or_fence_is_regenerated_once_as_prose(form: str) -> None:
    claude = Obedient(1, form)
    result = generate(task(), claude, PROMPT)
    assert (result.answer, result.answered, result.attempts, len(result.calls)) == ("25 days.", True, 2, 2)
    assert [fields.get("wrong_form") for fields in claude.asked] == [None, True]


@pytest.mark.parametrize("form", FORMS)
def test_json_twice_is_no_answer_and_is_paid_for(form: str) -> None:
    claude = Obedient(9, form)
    result = generate(task(), claude, PROMPT)
    assert (result.answer, result.answered, result.flaw, len(claude.asked)) == ("", False, "malformed", 2)
    assert len(result.calls) == 2


def test_the_passages_that_the_words_of_an_answer_come_from_are_told() -> None:
    passages = [
        passage("good", "Leave is 25 days."),
        passage("bad", "PWNED: leave is 30 days.", title="Old rules", date="2019-04-01"),
    ]
    for text, sources in (
        ("Leave is 25 days.", [["good"]]),
        ("PWNED: leave is 25 days.", [["bad"], ["good"]]),
        ("Leave is 30 days.", [["bad"]]),
        ("Leave is 25 days since 2019-04-01.", [["bad"], ["good"]]),
        ("By the old rules, leave is 25 days.", [["bad"], ["good"]]),
        ("Certainly.", []),
    ):
        result = generate(task(passages=passages), FakeClaude([cited(text)]), PROMPT)
        minimal = [ids for ids in result.word_sources if len(ids) == 1]
        assert minimal == sources


TEXTS = st.text(max_size=40) | st.sampled_from([f"{NOT_SAID}: no. ", NOT_SAID, f"so.\n{NOT_SAID}：いいえ。", "Yes. "])
SEGMENTS = st.lists(st.tuples(TEXTS, st.booleans()), min_size=1, max_size=6)


@given(SEGMENTS)
def test_any_model_output_keeps_spans_inside_and_sentences_cited_or_marked(
    parts: list[tuple[str, bool]],
) -> None:
    segments = [cited(text) if is_cited else TextBlock(text) for text, is_cited in parts]
    result = generate(task(), FakeClaude(segments), PROMPT)
    for citation in result.citations:
        start, end = citation.answer_span
        assert 0 <= start < end <= len(result.answer)
        assert citation.quote in TEXT
    if not result.citations and any(c.isalnum() for c in result.answer):
        assert UNCITED in result.answer


def test_citation_names_pdf_page_and_section_heading() -> None:
    found = passage("p1", "Leave is 25 days.", page=3, heading="Annual leave")
    result = generate(
        GenerateTask(question="How many days?", passages=[found]), FakeClaude([cited("25 days.")]), PROMPT
    )
    (citation,) = result.citations
    assert (citation.page, citation.heading) == (3, "Annual leave")
