"""Answers are written as other tools take them: each variant's in a file of its own, with what its writer was given."""

import json
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag.domain.passages import Passage
from selfrag_cli.lab.commands.options import Tool
from selfrag_cli.lab.exports import NO_ANSWER, write_exports
from selfrag_cli.lab.report import Findings
from selfrag_cli.lab.runs.results import Result
from selfrag_cli.lab.runs.variants import read_variants
from tests.unit.cli.lab.conftest import gold, response

QUESTIONS = [
    gold("How long?", answers=("18 weeks", "eighteen weeks"), passages=("It is 18 weeks.",), answerable=True, kind="a"),
    gold("Who pays?", answerable=False),
    gold("Where?"),
]
WRITTEN_FROM = {
    "q": [Passage(passage_id=name, document="d", text=text) for name, text in (("p2", "Another."), ("p1", "18 weeks."))]
}


class Found:
    """Every variant has answered, and cites two passages, of which the first is of the web."""

    def find(self, variant: str, question_id: str) -> Result:
        said = response(f"{variant}: 18 weeks.")
        quotes = [{"document": "https://a.example/", "passage_id": "w", "quote": f"Quote {n}."} for n in (1, 2, 1)]
        said["citations"] = [*quotes, {"document": "leave.md", "passage_id": "p1", "quote": "It is 18 weeks."}]
        return Result(
            variant=variant, policy={}, question_id=question_id, question=question_id, seconds=1.0, response=said
        )


@pytest.fixture
def findings() -> Findings:
    return Findings(QUESTIONS, read_variants(["small={}", "large={}"]), Found())


def exported(findings: Findings, tool: str, directory: Path) -> list[Any]:
    paths = write_exports(findings, [Tool(tool)], directory / "set.results.jsonl", WRITTEN_FROM)
    ending = "json" if tool == "deepeval" else "jsonl"
    assert [path.name for path in paths] == [f"set.{variant}.{tool}.{ending}" for variant in ("small", "large")]
    text = paths[0].read_text(encoding="utf-8")
    return json.loads(text) if ending == "json" else [json.loads(line) for line in text.splitlines()]


CONTEXTS = ["Another.", "18 weeks."]


def test_ragas_gets_question_answer_contexts_and_reference(findings: Findings, tmp_path: Path) -> None:
    first, none, unknown = exported(findings, "ragas", tmp_path)
    metadata = first.pop("metadata")
    assert first == {
        "user_input": "How long?",
        "response": "small: 18 weeks.",
        "retrieved_contexts": CONTEXTS,
        "reference_contexts": ["It is 18 weeks."],
        "reference": "18 weeks",
    }
    assert metadata["answers"] == ["18 weeks", "eighteen weeks"]
    assert metadata["measures"]["match"] == 1
    assert (metadata["variant"], metadata["kind"], metadata["status"]) == ("small", "a", "answered")
    assert none["reference"] == NO_ANSWER
    assert "reference" not in unknown


def test_deepeval_gets_what_a_test_case_and_a_golden_take(findings: Findings, tmp_path: Path) -> None:
    first = exported(findings, "deepeval", tmp_path)[0]
    assert first.pop("additional_metadata")["question_id"] == "How long?"
    assert first == {
        "name": "How long?",
        "input": "How long?",
        "actual_output": "small: 18 weeks.",
        "expected_output": "18 weeks",
        "context": ["It is 18 weeks."],
        "retrieval_context": CONTEXTS,
    }


def test_langfuse_gets_items_whose_metadata_have_the_answer_and_the_measures(
    findings: Findings, tmp_path: Path
) -> None:
    first = exported(findings, "langfuse", tmp_path)[0]
    metadata = first.pop("metadata")
    assert first == {"input": "How long?", "expected_output": "18 weeks"}
    assert (metadata["answer"], metadata["retrieved_contexts"]) == ("small: 18 weeks.", CONTEXTS)
    assert metadata["measures"]["f1"] > 0


def test_without_a_trace_as_of_a_deployment_the_quotes_are_the_contexts(findings: Findings, tmp_path: Path) -> None:
    (path, _) = write_exports(findings, [Tool.RAGAS], tmp_path / "set.jsonl", {})
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert first["retrieved_contexts"] == ["Quote 1.\nQuote 2.", "It is 18 weeks."]


def test_a_directory_that_is_not_there_is_named(findings: Findings, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"set\.small\.ragas\.jsonl cannot be written: No such file"):
        write_exports(findings, [Tool.RAGAS], tmp_path / "nowhere" / "set.jsonl", {})
