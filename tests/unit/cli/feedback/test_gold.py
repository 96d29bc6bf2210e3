"""What a question set says of questions that people gave feedback on."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.feedback import Feedback
from selfrag_cli.feedback.gold import gold, question_set
from selfrag_cli.lab.question_sets import read_questions


def said(question: str = "How many days?", **more: Any) -> Feedback:
    about = {"question_id": "q", "question": question, "status": "answered", "answered": "Twenty.", "cited": ["a.md"]}
    known = {"collections": ["c"], "given_at": 1, "expires_at": 2, "useful": False}
    return Feedback.model_validate({**about, **known, **more})


@pytest.mark.parametrize(
    ("feedback", "known"),
    [
        (said(answer="25."), {"answer": "25.", "answerable": True}),
        (said(answer="25.", documents=["b.md"]), {"answer": "25.", "documents": ["b.md"], "answerable": True}),
        (said(useful=True), {"answer": "Twenty.", "documents": ["a.md"], "answerable": True}),
        # The marks of uncited sentences are no part of an answer.
        (said(useful=True, answered="Twenty. [uncited]"),
         {"answer": "Twenty.", "documents": ["a.md"], "answerable": True}),
        (said(useful=True, status="partial"), {"answer": "Twenty.", "documents": ["a.md"], "answerable": True}),
        (said(useful=True, documents=["b.md"]), {"answer": "Twenty.", "documents": ["b.md"], "answerable": True}),
        (said(useful=True, status="abstained", cited=[]), {"answerable": False}),
        (said(wrong=["unanswerable"]), {"answerable": False}),
        # What is not in the documents has no right answer there, whatever was written.
        (said(wrong=["unanswerable"], answer="Ask HR."), {"answerable": False}),
        (said(status="abstained", wrong=["answerable"], documents=["b.md"]),
         {"documents": ["b.md"], "answerable": True}),
        # It was of use, but an answer of which something is wrong is no right answer.
        (said(useful=True, wrong=["incomplete"]), {}),
        (said(useful=True, status="failed"), {}),
        (said(), {}),
        (said(wrong=["wrong_documents"], documents=["b.md"]), {"documents": ["b.md"]}),
    ],
)  # fmt: skip
def test_of_an_answer_is_known_what_people_said(feedback: Feedback, known: dict[str, Any]) -> None:
    assert gold(feedback) == known


def test_what_was_written_last_holds_and_goes_before_what_was_only_called_useful() -> None:
    written, later = said(answer="24.", given_at=1), said(answer="25.", given_at=2)
    useful = said(useful=True, given_at=3)
    [line] = question_set([useful, later, written])
    assert line == {"question": "How many days?", "answer": "25.", "answerable": True}
    [line] = question_set([useful, said(given_at=4)])
    assert line == {"question": "How many days?"}, "who is of another mind, and wrote nothing, leaves nothing known"


def test_a_follow_up_is_left_out_and_another_collection_has_questions_of_its_own() -> None:
    lines = question_set([said(answer="1"), said(answer="2", collections=["d"]), said("And in May?", previous="q")])
    assert [line["answer"] for line in lines] == ["1", "2"]


def test_only_what_people_wrote_is_in_a_set_of_corrections() -> None:
    lines = question_set([said("A?", useful=True), said("B?"), said("C?", wrong=["unanswerable"])], corrected=True)
    assert lines == [{"question": "C?", "answerable": False}]


wrong = st.lists(st.sampled_from(["incorrect", "incomplete", "wrong_documents", "answerable", "unanswerable", "other"]))
feedbacks = st.builds(
    said,
    st.sampled_from(["A?", "B?"]),
    useful=st.booleans(),
    wrong=wrong.map(lambda kinds: kinds[:6]),
    answer=st.sampled_from(["", "25."]),
    documents=st.lists(st.sampled_from(["b.md"]), max_size=1),
    status=st.sampled_from(["answered", "partial", "abstained", "failed"]),
    given_at=st.integers(0, 9),
)


@given(st.lists(feedbacks))
def test_every_question_is_there_once_and_no_line_contradicts_itself(given: list[Feedback]) -> None:
    lines = question_set(given)
    assert [line["question"] for line in lines] == sorted({feedback.question for feedback in given})
    for line in lines:
        assert line.keys() <= {"question", "answer", "documents", "answerable"}
        assert not line.get("answer") or line["answerable"], "what has no answer in the documents has none here"
    assert [line for line in question_set(given, corrected=True) if line not in lines] == []


@given(st.lists(feedbacks, min_size=1))
def test_the_printed_set_is_read_by_eval_and_says_what_is_right_of_every_question(
    tmp_path_factory: pytest.TempPathFactory, given: list[Feedback]
) -> None:
    lines = question_set(given, corrected=True)
    if not lines:
        return
    path = tmp_path_factory.getbasetemp() / "set.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    questions = read_questions(path)
    assert [question.question for question in questions] == [line["question"] for line in lines]
    assert all(question.answers or question.documents or question.answerable is not None for question in questions)
