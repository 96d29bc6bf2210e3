"""Of data in SQuAD's format come documents and a set, in which questions whose articles are withheld have no answer."""

import json
from pathlib import Path

import pytest

from cli.lab.gold.question_sets import read_questions
from cli.lab.gold.withheld import make_set
from selfrag.domain.errors import InvalidInput


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Ten articles of two paragraphs, with three questions each, one of which is impossible anyway."""

    def paragraph(article: int, number: int) -> dict[str, object]:
        key = f"{article}-{number}"
        qas = [{"question": f"{which} {key}?", "answers": [{"text": f"{which} of {key}"}]} for which in ("One", "Two")]
        return {"context": f"Text {key}.", "qas": [*qas, {"question": f"No {key}?", "is_impossible": True}]}

    articles = [{"title": f"Title_{a}", "paragraphs": [paragraph(a, n) for n in (1, 2)]} for a in range(10)]
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"data": articles}))
    return path


def test_a_question_has_its_document_or_is_known_to_have_no_answer(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make_set(data, out, questions=20, withheld=6)
    read = read_questions(out / "questions.jsonl")
    texts = {path.read_text() for path in (out / "documents").rglob("*.md")}
    without = [one for one in read if one.answerable is False]
    assert (len(read), len(without), len(texts)) == (20, 6, 16)
    for one in read:
        key = one.question.split()[1].removesuffix("?")
        is_there = any(f"Text {key}." in text for text in texts)
        assert is_there is (one.answerable is True)
        if is_there:
            text = (out / "documents" / one.documents[0]).read_text()
            assert text == f"# Title {key.split('-')[0]}\n\nText {key}.\n"
            assert one.answers == (f"{one.question.split()[0]} of {key}",)


def test_the_same_seed_makes_the_same_set(data: Path, tmp_path: Path) -> None:
    made = []
    for number, seed in enumerate((1, 1, 2)):
        make_set(data, tmp_path / f"{number}", 20, 6, seed)
        made.append((tmp_path / f"{number}" / "questions.jsonl").read_text())
    assert made[0] == made[1] != made[2]


@pytest.mark.parametrize(("questions", "withheld"), [(41, 0), (40, 2), (10, 11), (41, 41)])
def test_data_with_too_few_questions_are_refused(data: Path, tmp_path: Path, questions: int, withheld: int) -> None:
    make_set(data, tmp_path / "all", 40, 0)
    with pytest.raises(InvalidInput, match="holds too few questions"):
        make_set(data, tmp_path / "out", questions, withheld)


def test_a_directory_that_may_hold_what_is_withheld_is_not_used_again(data: Path, tmp_path: Path) -> None:
    make_set(data, tmp_path / "out", 20, 0)
    with pytest.raises(InvalidInput, match="is there already: name a new directory"):
        make_set(data, tmp_path / "out", 20, 6)
