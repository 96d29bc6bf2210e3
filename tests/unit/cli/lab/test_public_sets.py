"""A public set of questions becomes a file of questions and a directory of documents, as if one had written both."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.gold import public_sets
from selfrag_cli.lab.gold.public_sets import SETS, unpacked
from selfrag_cli.lab.gold.question_sets import GoldQuestion, read_questions

ROOM = "Room: The room has 12 seats."
HALL = "Hall: Open: from nine."


def prompt(question: str, *passages: str) -> str:
    given = "\n\n".join(f"[{number}] {passage}" for number, passage in enumerate(passages, 1))
    return json.dumps({"prompt": f"Read.\n\nQUESTION:\n{question}\n\nCONTEXTS:\n{given}\n\nOUTPUT:\n"})


def of_engine(asked: str, answer: str) -> str:
    passages = [{"title": "Room", "text": "It has 12 seats."}]
    return json.dumps({"input": asked, "passages": passages, "output": [{"answer": answer}]})


def paragraph(*asked: str) -> dict[str, Any]:
    return {"context": "We keep mail.", "qas": [{"question": one, "answers": [{"text": "mail"}]} for one in asked]}


POLICIES = {
    "data": [
        {"title": "a.com", "paragraphs": [paragraph("What?")]},
        {"title": "b.com", "paragraphs": [paragraph("What?", "Who?"), paragraph("What?")]},
    ]
}
CONFLICT = {
    "question": "How many live in Broken Bow?",
    "documents": [
        {"text": "3,559 people.", "type": "correct", "answer": "3,559"},
        {"text": "10,000 people.", "type": "misinfo", "answer": "10,000"},
    ],
    "gold_answers": ["3,559"],
    "wrong_answers": ["10,000"],
}
TEXTS = {
    "nomiracl-ko": [prompt("How many seats?", ROOM, HALL), prompt("How high?", ROOM)],
    "clapnq-dev": [of_engine("how many seats", "It has 12."), of_engine("how high", "")],
    "policyqa-test": [json.dumps(POLICIES)],
    "ramdocs-test": [json.dumps(CONFLICT)],
}
ROOM_SEATS, HALL_OPEN = "# Room\n\nThe room has 12 seats.\n", "# Hall\n\nOpen: from nine.\n"
DOCUMENTS = {
    "nomiracl-ko": {ROOM_SEATS, HALL_OPEN},
    "clapnq-dev": {"# Room\n\nIt has 12 seats.\n"},
    "policyqa-test": {"# b.com\n\nWe keep mail.\n\nWe keep mail.\n"},
    "ramdocs-test": {"3,559 people.", "10,000 people."},
}
QUESTIONS: dict[str, dict[str, tuple[bool, tuple[str, ...], tuple[str, ...], str]]] = {
    "nomiracl-ko": {
        "How many seats?": (True, (), (), "answerable"),
        "How high?": (False, (), (), "unanswerable"),
    },
    "clapnq-dev": {
        "how many seats": (True, ("It has 12.",), (), "answerable"),
        "how high": (False, (), (), "unanswerable"),
    },
    "policyqa-test": {
        "a.com: What?": (False, (), (), "unanswerable"),
        "b.com: What?": (True, ("mail",), (), "answerable"),
        "b.com: Who?": (True, ("mail",), (), "answerable"),
    },
    "ramdocs-test": {"How many live in Broken Bow?": (True, ("3,559",), ("3,559",), "misinformation")},
}


@pytest.fixture
def unpack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def written(name: str) -> tuple[list[GoldQuestion], dict[str, str]]:
        files = []
        for number, (file, text) in enumerate(zip(SETS[name].files, TEXTS[name], strict=True), 1):
            (tmp_path / f"{name}.{number}{Path(file.path).suffix}").write_text(text, encoding="utf-8")
            files.append(replace(file, sha256=hashlib.sha256(text.encode()).hexdigest()))
        monkeypatch.setitem(public_sets.SETS, name, replace(SETS[name], files=tuple(files)))
        questions, documents = unpacked(name, tmp_path)
        return read_questions(questions), {path.name: path.read_text("utf-8") for path in documents.iterdir()}

    return written


@pytest.mark.parametrize("name", TEXTS)
def test_its_documents_are_written_once_each_and_questions_name_those_that_hold_their_answers(
    name: str, unpack: Any
) -> None:
    questions, documents = unpack(name)
    assert set(documents.values()) == DOCUMENTS[name]
    assert {one.question: (one.answerable, one.answers, one.facts, one.kind) for one in questions} == QUESTIONS[name]
    named = {each for one in questions for each in one.documents}
    assert named <= documents.keys()
    assert bool(named) == (name != "nomiracl-ko")


def test_the_first_questions_are_a_sample_of_both_halves_and_the_same_each_time(unpack: Any) -> None:
    asked = [f"question {number}?" for number in range(40)]
    TEXTS["nomiracl-en"] = ["\n".join(prompt(one, ROOM) for one in half) for half in (asked[:20], asked[20:])]
    questions, _ = unpack("nomiracl-en")
    again, _ = unpack("nomiracl-en")
    assert again == questions
    assert {one.answerable for one in questions[:10]} == {True, False}


def test_a_file_that_is_not_there_is_told_with_the_command_that_brings_it(tmp_path: Path) -> None:
    told = (
        r"curl --fail .*nomiracl-ja\.1\.jsonl https://raw\.githubusercontent\.com/project-miracl/nomiracl/[0-9a-f]{40}/"
    )
    with pytest.raises(InvalidInput, match=told):
        unpacked("nomiracl-ja", tmp_path)
    assert not list(tmp_path.iterdir())
