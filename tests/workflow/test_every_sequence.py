"""The bound on every path, found by walking all of them (DESIGN: "It ends")."""

import json
import random
import re
from typing import Any

import boto3
import pytest

from cli.local.aws.resources import TABLES
from cli.local.aws.stack import definition_text, running_stack
from question.compose_answer.logic import Task, compose
from tests.support import steps
from tests.support.steps import Scripted
from tests.support.walker import LOGS, Walker

MAX_MODEL_CALLS = 40
DEFINITION = json.loads(definition_text())
FOLLOW_UP = {
    "question": "How many days?",
    "collections": ["c"],
    "policy": {"deadline_seconds": 240},
    "previous": "earlier",
}

EARLIER = {
    "id": {"S": "earlier"},
    "question": {"S": "How many days?"},
    "answer": {"S": "25 days."},
    "collections": {"L": [{"S": "c"}]},
    "evidence": {"L": [{"M": {"passage_id": {"S": "p0-0"}, "score": {"N": "0.9"}}}]},
    "expires_at": {"N": "99999999999"},
}


def graded(items: list[dict[str, Any]], *labels: str) -> list[dict[str, Any]]:
    """One verdict per passage; the last label stands for all further ones."""
    ids = [item["passage_id"] for item in items]
    return [steps.relevance(i, labels[min(n, len(labels) - 1)]) for n, i in enumerate(ids)]


def alternatives(name: str, given: dict[str, Any], variables: dict[str, Any]) -> list[tuple[str, Any]]:
    """Everything that a Task, the Map or the Parallel may come back with, as far as verdicts go."""
    searches = len(variables["queries"])
    match name:
        case "RecallAnswer":
            return [("kept", {"Item": EARLIER}), ("gone", {})]
        case "DecideRetrieval":
            return [(d, steps.retrieval(d)) for d in ("yes", "no", "continue", "ungraded")]
        case "Retrieve":
            if given["Payload"]["passage_ids"]:
                return [("evidence", steps.found("p0-0")), ("none", steps.found())]
            return [
                ("new", steps.found(*(f"p{searches}-{n}" for n in range(4)))),
                ("seen", steps.found(*variables["seen"][:4])),
            ]
        case "GradePassages":
            items = given["items"]
            return [
                ("all", graded(items, "relevant")),
                ("one", graded(items, "relevant", "irrelevant")),
                ("one-and-ungraded", graded(items, "relevant", "ungraded")),
                ("none", graded(items, "irrelevant")),
                ("none-and-ungraded", graded(items, "ungraded", "irrelevant")),
                ("ungraded", graded(items, "ungraded")),
            ]
        case "Generate":
            refused = steps.answer(is_found=False, flaw="refused")
            return [("answer", steps.answer()), ("nothing", steps.answer(is_found=False)), ("refused", refused)]
        case "Reflect":
            if variables["direct"]:  # nothing to check a direct answer against, so GradeSupport does not run
                return [(f"direct,{score}", [None, steps.utility(score)]) for score in (5, 2, None)]
            return [
                (f"{level},{score}", [steps.support(level), steps.utility(score)])
                for level in ("fully_supported", "partially_supported", "no_support", "ungraded")
                for score in (5, 2, None)
            ]
        case "RewriteQuestion":
            return [("new", steps.rewrite(f"query {searches}")), ("tried", steps.rewrite("", new=False))]
        case "SearchWeb":
            return [("results", steps.found("w0", "w1", "w2", "w3")), ("nothing", steps.found())]
        case _:
            raise AssertionError(f"the walk knows no results of {name}")


def composed(payload: dict[str, Any]) -> dict[str, Any]:
    return compose(Task.model_validate(payload), {}, False).model_dump(mode="json")


@pytest.fixture(scope="module")
def walker() -> Walker:
    return Walker(DEFINITION, alternatives, "ComposeAnswer", composed)


def test_every_sequence_of_verdicts_ends_within_the_bounds(walker: Walker, record_property: Any) -> None:
    reach = walker.walk(FOLLOW_UP)
    figures = (
        f"{reach.sequences:,} sequences of verdicts in {walker.situations:,} situations; "
        f"longest path {len(reach.longest)} steps; at most {reach.most_calls} model calls"
    )
    record_property("figures", figures)
    record_property("figures", "the longest: " + " ".join(reach.longest))
    assert reach.sequences > 1_000_000
    assert reach.most_calls <= MAX_MODEL_CALLS
    assert len(reach.longest) <= 30
    assert reach.ends == {"answered", "partial", "abstained", "failed"}


@pytest.mark.parametrize("seed", range(8))
def test_the_interpreter_takes_the_same_path_as_the_walk(walker: Walker, seed: int) -> None:
    pick = random.Random(seed)
    taken, expected = walker.one(FOLLOW_UP, lambda name, results: pick.choice(favoured(name, results)))
    with running_stack({}, {}, handlers=Scripted(**script_of(taken)).handlers()) as stack:
        if "kept" in [label for _, label, _ in taken]:
            boto3.client("dynamodb").put_item(TableName=TABLES["answers_table"][0], Item=EARLIER)
        execution = stack.execute(FOLLOW_UP)
    assert execution.output is not None, execution.error
    for part in ("status", "path", "queries", "citations"):
        assert execution.output[part] == expected[part]
    assert execution.output["usage"]["model_calls"] == expected["usage"]["model_calls"]


def favoured(name: str, results: list[tuple[str, Any, Any]]) -> list[tuple[str, Any, Any]]:
    """Results that do not end the sequence at once, so that samples are long."""
    short = {"DecideRetrieval": ("no",), "Reflect": ("fully_supported,5",), "GradePassages": ("ungraded",)}
    ended = {*short.get(name, ()), *(label for label, _, _ in results if label.endswith("None"))}
    return [result for result in results if result[0] not in ended] or results


def script_of(taken: list[tuple[str, str, Any]]) -> dict[str, list[Any]]:
    """What each Lambda gives back, in order; verdicts on passages by the passage's id."""
    script: dict[str, list[Any]] = {}
    verdicts: dict[str, Any] = {}
    for name, _, payload in taken:
        if name == "GradePassages":
            verdicts |= {one["verdict"]["passage_id"]: one for one in payload}
        elif name == "Reflect":
            script.setdefault("grade_support", []).extend(filter(None, payload[:1]))
            script.setdefault("grade_utility", []).append(payload[1])
        elif name != "RecallAnswer":
            script.setdefault(re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(), []).append(payload)
    return {**script, "grade_relevance": [lambda event: verdicts[event["passage"]["passage_id"]]]}


def test_what_the_walk_takes_for_undecisive_is_in_no_condition() -> None:
    deciding = [rule["Condition"] for state in DEFINITION["States"].values() for rule in state.get("Choices", [])]
    named = {name for condition in deciding for name in re.findall(r"\$(\w+)", condition)}
    assert not named & (LOGS - {"previous_id"})
