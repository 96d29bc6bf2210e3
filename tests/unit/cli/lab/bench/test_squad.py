import json

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.bench.squad import PARAGRAPHS, read_task


def many(count):
    return {"Numbers": [(f"Paragraph {n}.", [f"First {n}?", f"Second {n}?"]) for n in range(count)]}


def test_questions_and_paragraphs_keep_the_order_of_the_file(squad):
    task = read_task(squad({"One": [("a", ["a?"]), ("b", ["b?", "bb?"])], "Two": [("c", ["c?"])]}))
    assert task.questions == [("a?", "a"), ("b?", "b"), ("bb?", "b"), ("c?", "c")]
    assert [(p.article, p.title, p.text) for p in task.paragraphs] == [
        (0, "One", "a"),
        (0, "One", "b"),
        (1, "Two", "c"),
    ]


def test_impossible_questions_are_left_out_and_their_paragraph_is_still_searched(squad):
    impossible = {"question": "b?", "is_impossible": True}
    task = read_task(squad({"One": [("a", ["a?", impossible]), ("b", [impossible])]}))
    assert task.questions == [("a?", "a")]
    assert [p.text for p in task.paragraphs] == ["a", "b"]


def test_few_questions_are_asked_over_the_first_200_paragraphs(squad):
    task = read_task(squad(many(240)), limit=150)
    assert (len(task.questions), len(task.paragraphs)) == (150, PARAGRAPHS)
    assert task.paragraphs[-1].text == "Paragraph 199."


def test_the_number_of_paragraphs_can_be_chosen_and_only_they_are_asked_about(squad):
    task = read_task(squad(many(240)), limit=150, first=10)
    assert (len(task.questions), len(task.paragraphs)) == (20, 10)


def test_a_file_with_a_byte_order_mark_or_without_titles_is_read(tmp_path):
    path = tmp_path / "data.json"
    data = {"data": [{"paragraphs": [{"context": "a", "qas": [{"question": "a?"}]}]}]}
    path.write_text(json.dumps(data), encoding="utf-8-sig")
    assert read_task(path).questions == [("a?", "a")]


@pytest.mark.parametrize("content", [b"", b"question,answer\n", b"\xff\xfe\x00", b'{"data": [', b"[" * 200_000])
def test_what_is_not_json_is_said_to_be_none(tmp_path, content):
    path = tmp_path / "data.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"data\.json is not a JSON file: "):
        read_task(path)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("[]", "the whole: should be an object"),
        ("{}", "data: field required"),
        ('{"data": [{"context": "a"}]}', "data.0.paragraphs: field required"),
        ('{"data": [{"paragraphs": [1]}]}', "data.0.paragraphs.0: should be an object"),
        ('{"data": [{"paragraphs": [{"context": 1, "qas": []}]}]}', "data.0.paragraphs.0.context: "),
    ],
)
def test_json_of_another_format_is_refused_with_the_place_where_it_differs(tmp_path, content, place):
    path = tmp_path / "data.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=f"is not in SQuAD's format: {place}"):
        read_task(path)


@pytest.mark.parametrize("articles", [{}, {"One": []}, {"One": [("a", [])]}])
def test_a_file_without_questions_is_refused(squad, articles):
    with pytest.raises(InvalidInput, match="holds no question"):
        read_task(squad(articles))
