"""What is stored is read by the releases before and after the one that wrote it.

stored.json holds each kind of thing as it has been stored: a change that cannot read it needs more than a new release.
Each is read as it is, and with a field that a release to come has added.
"""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from selfrag import bootstrap
from selfrag.adapters.executions import Machines, StatesExecutions
from selfrag.adapters.feedback import feedback_of
from selfrag.adapters.manifest import DynamoManifest
from selfrag.api.logic import unfinished
from selfrag.domain.history import Step
from selfrag.domain.passages import Bounds, CitedWhole, Passage
from selfrag.ingestion.embed_passages.logic import Task as ToEmbed
from selfrag.ingestion.embed_passages.logic import embed
from selfrag.ingestion.index_passages.logic import Task as ToIndex
from selfrag.ingestion.index_passages.logic import index
from selfrag.ports.cache import Remembering
from selfrag.ports.index import Added, Entry
from selfrag.ports.model import Segment
from selfrag.question.generate.logic import Task as Writing
from selfrag.question.generate.logic import generate
from selfrag.question.grade_utility.logic import Utility
from tests.support.doubles.opensearch_double import ACCESS_KEY, REGION, SECRET_KEY, OpenSearchDouble
from tests.support.fakes import PROMPT, FakeClaude, FakeEmbedder, FakeWork, MemoryCache, grader
from tests.support.fakes import passage as a_passage
from tests.support.steps import found as found_passages
from tests.support.steps import retrieval
from tests.workflow.asking import ASKED, run

STORED = json.loads(Path(__file__).with_name("stored.json").read_text(encoding="utf-8"))
NEW = "of_a_release_to_come"


@pytest.fixture(params=["as it is", "with a new field"])
def stored(request: pytest.FixtureRequest) -> Any:
    """Everything that is stored."""
    values = deepcopy(STORED)
    if request.param == "with a new field":
        for batch in values["batch"]:
            batch[NEW] = batch["passage"][NEW] = 1
        for item in (values["document"], values["part"], values["answer"], values["feedback"]):
            item[NEW] = {"S": "x"}
        response = json.loads(values["answer"]["response"]["S"])
        values["answer"]["response"]["S"] = json.dumps({**response, NEW: 1})
        segment = values["draft"][0]
        cited = segment["citations"][0]
        for value in (
            values["index"],
            values["index_with_rows"],
            values["verdict"],
            values["relevance_in_a_history"],
            values["relevance_with_a_reason"],
            segment,
            cited,
        ):
            value[NEW] = 1
    return values


@pytest.fixture
def table() -> Any:
    client = boto3.client("dynamodb", region_name=REGION, aws_access_key_id="a", aws_secret_access_key="b")
    with Stubber(client) as stub:
        yield stub


class FakeWriter:
    """An index that remembers what is written."""

    def __init__(self) -> None:
        self.added: list[Entry] = []

    def add(self, entries: list[Entry]) -> Added:
        self.added += entries
        return Added(ids={entry.passage.passage_id: "id" for entry in entries})


class FakeManifest:
    """One that knows no batch."""

    def part(self, *of: Any) -> None:
        return None

    def put(self, part: Any) -> None:
        pass


def test_vectors_that_another_release_left_are_written_to_the_index(stored: Any) -> None:
    task = ToIndex(document_id="d", collection="handbook", generation="g", number=0, vectors_key="v")
    writer = FakeWriter()
    assert index(task, FakeWork(v=stored["batch"]), FakeManifest(), writer, 0).settled  # type: ignore[arg-type]
    [entry] = writer.added
    assert (entry.passage.text, entry.passage.tags, entry.vector) == ("# Leave\n\nLeave is 25 days.", ["hr"], [1.0])


def test_vectors_that_another_release_left_are_not_asked_for_again(stored: Any) -> None:
    passages = [{name: value for name, value in STORED["batch"][0]["passage"].items() if name != "score"}]
    for left in ({"d/vectors-0": stored["batch"]}, {"d/partial-0": stored["partial"]}):
        embedder = FakeEmbedder()
        embed(ToEmbed(passages_key="d/passages-0"), FakeWork(**{"d/passages-0": passages}, **left), embedder)  # type: ignore[arg-type]
        assert embedder.embedded == []


def test_a_document_and_its_batches_are_known(stored: Any, table: Stubber) -> None:
    manifest = DynamoManifest(table.client, "documents")
    table.add_response("get_item", {"Item": stored["document"]}, {"TableName": ANY, "Key": ANY, "ConsistentRead": True})
    record = manifest.read("fcaba22647cc0ec6923ff5593eb10ef5")
    assert record is not None
    assert (record.status, record.passages, record.tags, record.generation) == ("ready", 1, ["hr"], "34717038deb21b78")
    table.add_response("query", {"Items": [stored["document"], stored["part"]]})
    [part] = manifest.parts("fcaba22647cc0ec6923ff5593eb10ef5")
    assert (part.number, list(part.ids.values())) == (0, ["1%3A0%3A00000000000000000001"])
    assert part.writing_since == 1795309386.478


def test_a_passage_in_the_index_is_found(stored: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenSearchDouble() as collection:
        environment = {"SELFRAG_COLLECTION_ENDPOINT": collection.url, "SELFRAG_VECTOR_DIMENSIONS": "1"}
        keys = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_DEFAULT_REGION": REGION}
        for name, value in {**environment, **keys}.items():
            monkeypatch.setenv(name, value)
        found = bootstrap.index()
        found.add([Entry(Passage.model_validate(STORED["batch"][0]["passage"]), [1.0])])
        [document] = collection.indices["passages"].documents
        document.source.clear()
        document.source.update({**stored["index"], "vector": [1.0]})
        [passage] = found.fetch([stored["index"]["passage_id"]], Bounds(["handbook"]))
        document.source.clear()
        document.source.update({**stored["index_with_rows"], "vector": [1.0]})
        [row] = found.fetch([stored["index_with_rows"]["passage_id"]], Bounds(["handbook"]))
    assert (passage.title, passage.date, passage.page) == ("Leave", "2026-01-31", None)
    assert (passage.locator, passage.rows) == ("", [])
    assert (row.locator, row.rows) == ("sheet Prices", [CitedWhole(start=0, end=33, name="row 14")])


def test_a_remembered_answer_is_shown_and_followed_up_on(stored: Any, table: Stubber) -> None:
    table.add_response("get_item", {"Item": stored["answer"]}, {"TableName": ANY, "Key": ANY, "ConsistentRead": True})
    known = StatesExecutions(None, table.client, Machines("", "", "answers")).known("earlier", ["c"])
    assert known is not None
    assert known.response == json.loads(stored["answer"]["response"]["S"])
    follow_up, scripted = run(
        {**ASKED, "previous": "earlier"},
        stored["answer"],
        decide_retrieval=[retrieval("continue")],
        retrieve=[found_passages("e1")],
    )
    assert follow_up["status"] == "answered"
    assert scripted.events_of("retrieve")[0]["passage_ids"] == ["e1"]
    assert scripted.events_of("generate")[0]["previous"] == {"question": "How many days?", "answer": "25 days."}


def test_feedback_that_was_kept_can_be_read(stored: Any) -> None:
    feedback = feedback_of(stored["feedback"])
    assert (feedback.question, feedback.wrong, feedback.answer) == ("How many days?", ["incomplete"], "25 or 30 days.")


def test_a_kept_verdict_counts(stored: Any) -> None:
    cache = MemoryCache()
    judge = grader({"reason": "another", "score": 1}, cache=cache)
    judge.grade({"question": "?"}, Utility)
    cache.kept = dict.fromkeys(cache.kept, json.dumps(stored["verdict"]))
    grade = judge.grade({"question": "?"}, Utility)
    assert (grade.cached, grade.verdict) == (True, Utility(reason="because", score=4))


def test_a_kept_draft_counts(stored: Any) -> None:
    cache = MemoryCache()
    task = Writing(question="?", passages=[a_passage()])
    model = Remembering(FakeClaude([Segment("another")]), cache)
    generate(task, model, PROMPT)
    cache.kept = dict.fromkeys(cache.kept, json.dumps(stored["draft"]))
    result = generate(task, model, PROMPT)
    assert (result.cached, result.answer) == (True, "You get 25 days. ")
    assert [citation.quote for citation in result.citations] == ["Leave is 25 days a year."]


def test_a_question_at_work_of_another_release_is_shown(stored: Any) -> None:
    for name, reason in (("relevance_in_a_history", ""), ("relevance_with_a_reason", "It states the days.")):
        step = Step("GradeRelevance", 0.1, 0.2, attempts=1, given={}, result={"verdict": stored[name]}, error="")
        so_far = unfinished("abc", "running", [step]).reflection
        assert so_far is not None
        [shown] = so_far.relevance
        assert (shown.passage_id, shown.score, shown.reason) == ("e1", 0.9, reason)
