"""The same question twice: the second time the model is not called at all."""

import time
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.support.aws.resources import TABLES
from tests.support.command import Command
from tests.support.doubles.model_server import ModelServer
from tests.support.local import QUESTION, local_stack

GRADERS = ("grade_relevance", "grade_support", "grade_utility")


def graded(model: ModelServer) -> int:
    return sum(model.counts[step] for step in GRADERS)


def verdicts(response: dict[str, Any]) -> list[bool]:
    reflection = response["reflection"]
    return [v["cached"] for v in [*reflection["relevance"], reflection["support"], reflection["utility"]]]


@pytest.mark.long
def test_the_second_command_finds_all_that_was_said_and_the_model_is_not_asked(fresh: Command, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "fee.md").write_text("# Fees\n\nThe fee is 5 euros.\n\n## Time\n\nOpen at 9.\n", encoding="utf-8")
    with ModelServer() as model:
        real = Command(fresh.home, (("ANTHROPIC_BASE_URL", model.url),))
        first = real("ask", "--json", "--docs", str(documents), "--", "How much is the fee?").response
        before = graded(model)
        second = real("ask", "--json", "--docs", str(documents), "--", "How much is the fee?").response
    assert before == first["usage"]["model_calls"] - 2
    assert graded(model) == before
    assert not any(verdicts(first))
    assert all(verdicts(second))
    # The decision and the draft are remembered, too.
    assert second["usage"]["cached_verdicts"] == len(verdicts(second)) + 2
    assert second["answer"] == first["answer"]
    assert (second["usage"]["model_calls"], second["usage"]["cost_usd"]) == (0, 0)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path))
    return tmp_path


def test_a_thousand_expired_items_in_the_table_are_no_hit(home: Path) -> None:
    table = TABLES["verdicts_table"][0]
    with ModelServer() as model, local_stack(model) as stack:
        stack.execute(QUESTION)
        client = boto3.client("dynamodb")
        items = client.scan(TableName=table)["Items"]
        items = [item for item in items if "verdict" in item]
        assert len(items) == 8
        past = {"N": str(int(time.time()) - 1)}
        for item in [*items, *({**items[0], "key": {"S": f"old {n}"}} for n in range(1000))]:
            client.put_item(TableName=table, Item={**item, "expires_at": past})
        again = stack.execute(QUESTION)
    assert again.output is not None
    assert not any(verdicts(again.output))
    assert graded(model) == 12
    assert model.counts["decide_retrieval"] == model.counts["generate"] == 2


def test_a_table_that_always_fails_costs_a_warning_and_no_answer(home: Path) -> None:
    with ModelServer() as model, local_stack(model, SELFRAG_VERDICTS_TABLE="missing") as stack:
        execution = stack.execute(QUESTION)
    assert execution.output is not None
    assert execution.output["status"] == "answered"
    warning = "The verdict cache could not be used; the verdicts were made anew."
    assert execution.output["usage"]["warnings"] == [warning]
