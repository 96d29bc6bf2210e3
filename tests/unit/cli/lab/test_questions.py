"""Question sets are read from lines of JSON, and a bad line is refused with its number."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.question_sets import GoldQuestion, read_questions

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
    return {name: value for name, value in vars(question).items() if name != "id" and value not in ((), None)}


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
    ],
)
def test_a_bad_line_is_refused_with_its_number(lines: Write, bad: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_questions(lines({"question": "a?"}, bad))
    assert "questions.jsonl, line 2: " in str(refused.value)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"\n \n"])
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
FIELDS = st.sampled_from(["question", "answer", "answers", "documents"])


@given(st.dictionaries(FIELDS, VALUES) | VALUES)
def test_whatever_a_row_holds_it_is_read_or_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "whatever.jsonl"
    path.write_text(json.dumps(value), encoding="utf-8")
    refusals = []
    try:
        read_questions(path)
    except InvalidInput as error:
        refusals.append(str(error))
    assert all(len(refusal.splitlines()) == 1 for refusal in refusals)
