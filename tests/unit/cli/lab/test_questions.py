"""Question sets are read in the formats that teams have, and a bad line is refused with its number."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.gold.formats import read_row
from selfrag_cli.lab.gold.question_sets import GoldQuestion, read_questions

Write = Callable[..., Path]


@pytest.fixture
def lines(tmp_path: Path) -> Write:
    def written(*rows: Any) -> Path:
        path = tmp_path / "questions.jsonl"
        path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
        return path

    return written


def known(question: GoldQuestion) -> dict[str, Any]:
    """Return what is known of a question, without what is not."""
    return {
        name: value for name, value in vars(question).items() if name not in ("id", "round") and value not in ((), None)
    }


def test_a_line_of_jsonl_says_question_answers_documents_and_whether_there_is_an_answer(lines: Write) -> None:
    read = read_questions(
        lines(
            {"question": "How long?", "answer": "18 weeks", "answers": ["eighteen weeks", "18 weeks"]},
            "",
            {"question": "Where?", "documents": ["travel/hotels.md"]},
            {"question": "Who?", "answerable": False},
        )
    )
    assert [known(one) for one in read] == [
        {"question": "How long?", "answers": ("18 weeks", "eighteen weeks"), "answerable": True},
        {"question": "Where?", "documents": ("travel/hotels.md",)},
        {"question": "Who?", "answerable": False},
    ]


def test_squad_2_is_read_with_its_paragraphs_and_its_impossible_questions(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    plausible = {"question": "b?", "is_impossible": True, "answers": [], "plausible_answers": [{"text": "x"}]}
    asked = {
        "question": "a?",
        "id": "1",
        "answers": [{"text": "A", "answer_start": 0}, {"text": "A", "answer_start": 0}],
    }
    squad = {
        "version": "v2.0",
        "data": [{"title": "T", "paragraphs": [{"context": "A is.", "qas": [asked, plausible]}]}],
    }
    path.write_text(json.dumps(squad, indent=1), encoding="utf-8-sig")
    assert [known(one) for one in read_questions(path)] == [
        {"question": "a?", "answers": ("A",), "passages": ("A is.",), "answerable": True},
        {"question": "b?", "answerable": False},
    ]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(
            {
                "user_input": "How long?",
                "reference": "18 weeks",
                "reference_contexts": ["Each parent receives 18 weeks."],
                "retrieved_contexts": ["Something else."],
                "response": "20 weeks",
                "synthesizer_name": "single_hop_specifc_query_synthesizer",
            },
            {"answers": ("18 weeks",), "passages": ("Each parent receives 18 weeks.",)},
            id="ragas",
        ),
        pytest.param(
            {"question": "How long?", "answer": "20 weeks", "contexts": ["Some."], "ground_truth": "18 weeks"},
            {"answers": ("18 weeks",)},
            id="ragas 0.1, whose answer is what a system said",
        ),
        pytest.param(
            {
                "input": "How long?",
                "actual_output": None,
                "expected_output": "18 weeks",
                "context": ["Each parent receives 18 weeks."],
                "retrieval_context": None,
                "source_file": "people/parental-leave.md",
            },
            {
                "answers": ("18 weeks",),
                "passages": ("Each parent receives 18 weeks.",),
                "documents": ("people/parental-leave.md",),
            },
            id="deepeval",
        ),
        pytest.param(
            {"input": "How long?", "expectedOutput": "18 weeks"}, {"answers": ("18 weeks",)}, id="its aliases"
        ),
    ],
)
def test_datasets_of_ragas_and_deepeval_are_read_as_an_array_or_by_lines(
    lines: Write, tmp_path: Path, row: dict[str, Any], expected: dict[str, Any]
) -> None:
    array = tmp_path / "goldens.json"
    array.write_text(json.dumps([row]), encoding="utf-8")
    for path in (lines(row), array):
        (read,) = read_questions(path)
        assert known(read) == {"question": "How long?", "answerable": True, **expected}


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ('{"question": "b?"', "it is not JSON: "),
        ("[" * 100_000, "it is not JSON: "),
        ("7", "it is no JSON object such as "),
        ({"answer": "b"}, "question is missing"),
        ({"question": " "}, "The question was not accepted: it is empty"),
        ({"question": "b?", "anwser": "b"}, "anwser does not exist; the fields are question, answer, answers, "),
        ({"question": "b?", "answers": "b"}, "answers was not accepted: "),
        (
            {"question": "b?", "answerable": False, "answer": "b"},
            "answerable was not accepted: it is false, but there is an answer",
        ),
        ({"user_input": [{"content": "b?", "type": "human"}]}, "it is a conversation; only single questions are asked"),
        ({"input": 7}, "input was not accepted: "),
    ],
)
def test_a_bad_line_is_refused_with_its_number(lines: Write, bad: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_questions(lines({"question": "a?"}, bad))
    assert "questions.jsonl, line 2: " in str(refused.value)
    assert sentence in str(refused.value)


def test_a_bad_row_of_an_array_and_a_bad_question_of_squad_are_named_too(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text('[{"question": "a?"}, {}]')
    with pytest.raises(InvalidInput, match=r"row 2: question is missing\."):
        read_questions(path)
    qas = [{"question": "a?"}, {"question": ""}]
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": "c", "qas": qas}]}]}))
    with pytest.raises(InvalidInput, match=r"question 2: The question was not accepted"):
        read_questions(path)
    path.write_text('{"data": 1}')
    with pytest.raises(InvalidInput, match="is not in SQuAD's format: data: "):
        read_questions(path)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"[]", b'{"data": []}'])
def test_a_set_without_questions_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "set.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="holds no question"):
        read_questions(path)


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"absent\.json cannot be read: No such file or directory\.$"):
        read_questions(tmp_path / "absent.json")
    (tmp_path / "set.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="is not a text in UTF-8"):
        read_questions(tmp_path / "set.json")


def test_a_question_has_the_same_id_wherever_it_stands_and_one_asked_twice_has_two(lines: Write) -> None:
    first = read_questions(lines({"question": "a?"}, {"question": "b?"}, {"question": "a?"}))
    second = read_questions(lines({"question": "b?"}, {"question": "a?", "answer": "now known"}, {"question": "a?"}))
    assert len({one.id for one in first}) == 3
    assert {one.id for one in first} == {one.id for one in second}
    assert first[1].id == second[0].id


def test_a_follow_up_names_the_question_before_it_and_is_another_one_after_another_question(lines: Write) -> None:
    read = read_questions(
        lines(
            {"id": "1", "question": "How long?", "kind": "single_fact"},
            {"id": "2", "question": "How much?"},
            {"after": "1", "question": "And part-timers?", "kind": "follow_up"},
            {"after": "2", "question": "And part-timers?", "answer": "half", "facts": ["half"]},
        )
    )
    assert [one.after for one in read] == [None, None, read[0].id, read[1].id]
    assert [one.kind for one in read] == ["single_fact", None, "follow_up", None]
    assert read[3].facts == ("half",)
    assert len({one.id for one in read}) == 4


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{"question": "b?", "after": "1"}, {"question": "a?", "id": "1"}], "line 1: after names no question that"),
        ([{"question": "a?", "id": "1"}, {"question": "b?", "id": "1"}], "line 2: another question has this id, too"),
    ],
)
def test_a_follow_up_of_a_question_that_does_not_stand_before_it_is_refused(
    lines: Write, rows: list[Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        read_questions(lines(*rows))


def test_the_first_questions_are_asked_where_a_limit_is_set(lines: Write) -> None:
    rows = [{"question": f"{number}?"} for number in range(9)]
    assert [one.question for one in read_questions(lines(*rows), limit=2)] == ["0?", "1?"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
FIELDS = st.sampled_from(
    ["question", "answer", "answers", "documents", "user_input", "reference", "input", "context", "ground_truths"]
)


@given(st.dictionaries(FIELDS, VALUES) | VALUES)
def test_whatever_a_row_holds_it_is_read_or_refused_in_one_sentence(value: Any) -> None:
    refusals = []
    try:
        read_row(value)
    except InvalidInput as error:
        refusals.append(str(error))
    assert all(len(refusal.splitlines()) == 1 for refusal in refusals)
