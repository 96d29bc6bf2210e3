"""`selfrag questions`: a first set of questions from one's own documents, by Claude."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from selfrag.domain.calls import PRICES
from selfrag.runtime.models import WRITER
from selfrag_cli.lab.question_sets import read_questions
from tests.e2e.conftest import Run
from tests.support.command import Command
from tests.support.doubles.model_server import ModelServer, message, reply
from tests.support.doubles.requests import schema_of
from tests.support.fakes import FakeEmbedder
from tests.support.loopback import Loopback

KINDS = ("single_fact", "several_facts", "follow_up", "unanswerable")
# By the tokens of the double's replies.
CALL_USD = (100 * PRICES[WRITER][0] + 10 * PRICES[WRITER][1] + 50 * PRICES[WRITER][2]) / 1_000_000


class Model(Loopback):
    """Asks about the crane and the tonnes that a passage names, in whatever kind; counts what it is asked for."""

    def __init__(self) -> None:
        super().__init__(self._respond)
        self.asked: Counter[str] = Counter()
        self.answered: set[str] = set()
        self.invents = False

    def _respond(self, request: Request) -> Response:
        body = json.loads(request.get_data())
        fields = json.loads(body["messages"][0]["content"][-1]["text"])
        shape = schema_of(body)["title"]
        self.asked[fields.get("kind", shape)] += 1
        said = self._written(fields) if shape == "DraftReply" else self._looked_for(fields)
        return Response(json.dumps(message(body, reply(body, said))), content_type="application/json")

    def _written(self, fields: dict[str, Any]) -> dict[str, Any]:
        words = fields["passages"][0]["text"].split()
        crane, tonnes = words[words.index("crane") + 1], words[words.index("lifts") + 1] + " tonnes"
        lifts = {"facts": ["999 tonnes" if self.invents else tonnes], "question": f"What can crane {crane} lift?"}
        owner = {"facts": [words[words.index("to") + 1]], "question": "And whose is it?"}
        both = {"facts": [*lifts["facts"], *owner["facts"]], "question": f"What does crane {crane} lift, for whom?"}
        colour = {"facts": [], "question": f"What colour has crane {crane}?"}
        kinds = {"single_fact": [lifts], "several_facts": [both], "follow_up": [lifts, owner], "unanswerable": [colour]}
        return {"turns": kinds[fields["kind"]]}

    def _looked_for(self, fields: dict[str, Any]) -> dict[str, Any]:
        assert len(fields["passages"]) > 1
        return {"quote": "", "answered": fields["question"] in self.answered}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, embedder: FakeEmbedder) -> Iterator[Model]:
    with Model() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-nobody")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    for number in range(1, 9):
        path = tmp_path / "documents" / f"crane{number}.md"
        path.parent.mkdir(exist_ok=True)
        fact = f"The harbour crane K{number} lifts {10 + number} tonnes and belongs to Owner{number} since the spring."
        path.write_text(f"{fact} It stands at the quay, where ships wait for it.\n", encoding="utf-8")
    return "documents"


def test_questions_of_every_kind_are_written_and_read_by_eval_with_the_passages_that_they_rest_on(
    here: Run, model: Model, documents: str
) -> None:
    ended = here("questions", documents, "--count", "8", "--output", "set.jsonl")
    assert ended.code == 0, ended.err
    read = read_questions(Path("set.jsonl"))
    assert Counter(one.kind for one in read) == {**dict.fromkeys(KINDS, 2), "single_fact": 4}
    for one in read:
        assert one.answerable is (one.kind != "unanswerable")
        assert len(one.documents) == len(one.passages) == (one.kind != "unanswerable")
        assert all(answer in one.passages[0] for answer in one.facts or one.answers)
    followed = {one.id: one for one in read}
    assert [followed[one.after].kind for one in read if one.after] == ["single_fact"] * 2
    assert all(one.after for one in read if one.kind == "follow_up")
    assert len({document for one in read for document in one.documents}) == 6
    assert model.asked == {**dict.fromkeys(KINDS, 2), "AnswerCheck": 2}
    spent = re.search(r"selfrag: ([\d.]+) dollars are spent", ended.err)
    assert spent
    assert float(spent[1]) == pytest.approx(10 * CALL_USD, abs=0.0001)


def test_the_same_questions_are_not_paid_twice(here: Run, model: Model, documents: str) -> None:
    first = here("questions", documents, "--count", "4")
    paid = model.asked.total()
    again = here("questions", documents, "--count", "4")
    assert first.out == again.out != ""
    assert model.asked.total() == paid
    assert "dollars are spent" not in again.err


def test_a_question_that_the_documents_answer_is_not_taken_for_one_without_an_answer(
    here: Run, model: Model, documents: str
) -> None:
    model.answered = {f"What colour has crane K{number}?" for number in range(1, 9)}
    ended = here("questions", documents, "--count", "8")
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert not [row for row in rows if row["kind"] == "unanswerable"]
    assert "2 tries were dropped: a passage that the search finds may answer it" in ended.err


def test_an_answer_that_does_not_stand_in_its_passage_is_dropped(here: Run, model: Model, documents: str) -> None:
    model.invents = True
    ended = here("questions", documents, "--count", "3")
    assert all(json.loads(line)["kind"] == "unanswerable" for line in ended.out.splitlines())
    assert "tries were dropped: the answer does not stand in the passage" in ended.err


def test_the_most_that_may_be_spent_stops_in_time_and_what_was_made_is_kept(
    here: Run, model: Model, documents: str
) -> None:
    ended = here("questions", documents, "--count", "8", "--max-cost", "0.007")
    assert ended.code == 0
    assert 0 < len(ended.out.splitlines()) < 8
    assert model.asked.total() * CALL_USD <= 0.007
    assert "It ended early: " in ended.err


def test_without_a_key_it_is_said_that_a_model_writes_them(
    here: Run, documents: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    ended = here("questions", documents, "--output", "set.jsonl")
    assert (ended.code, "set ANTHROPIC_API_KEY" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["documents", "--max-cost", "0"], "--max-cost is a number of dollars above 0."),
        (["documents", "--output", "documents"], "documents is there already: name a new file."),
        (["documents", "--output", "/dev/null/set.jsonl"], "/dev/null/set.jsonl cannot be written"),
        (["nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_made_is_refused_before_anything_is_paid(
    here: Run, model: Model, documents: str, arguments: list[str], sentence: str
) -> None:
    ended = here("questions", *arguments)
    assert ended.code == 2
    assert sentence in ended.err
    assert not model.asked


@pytest.mark.long
def test_a_follow_up_of_a_set_is_asked_with_the_answer_before_it(fresh: Command, documents: str) -> None:
    rows = [
        {"id": "1", "question": "What can crane K1 lift?", "answer": "11 tonnes"},
        {"after": "1", "question": "And whose is it?", "answer": "Owner1"},
    ]
    Path("set.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with ModelServer() as server:
        service = {"ANTHROPIC_API_KEY": "sk-of-nobody", "ANTHROPIC_BASE_URL": server.url}
        command = Command(fresh.home, tuple(service.items()))
        patient = 'plain={"deadline_seconds": 240}'
        report = command("eval", "set.jsonl", "--docs", documents, "--variant", patient, "--json").response
        asked = [json.loads(body["messages"][0]["content"][-1]["text"]) for body in server.asked("decide_retrieval")]
    assert report["compared"] == 2
    (first, second) = asked
    assert "previous" not in first or not first["previous"]["question"]
    assert second["previous"]["question"] == "What can crane K1 lift?"
    assert "tonnes" in second["previous"]["answer"]
