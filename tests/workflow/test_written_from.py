"""The trace of a question has exactly the writer's input, whatever the strategy."""

from typing import Any

import pytest

from selfrag.domain.passages import Passage
from selfrag_cli.lab.records import Trace, build_trace
from selfrag_cli.local.stores.histories import ExecutionHistory
from tests.support import steps
from tests.workflow.asking import ASKED, NONE, executed
from tests.workflow.paper.test_traced_comparisons import CASES

Script = dict[str, list[Any]]
ALL = ["p1-0", "p1-1", "p1-2", "p1-3"]
FIRST_ALONE = {
    "grade_relevance": [
        lambda e: steps.relevance(
            e["passage"]["passage_id"], "relevant" if e["passage"]["passage_id"] == "p1-0" else "irrelevant"
        )
    ]
}
SIMPLE = {"decide_retrieval": [steps.retrieval("yes", "simple")]}
EXPECTED: dict[str, tuple[dict[str, Any], Script, list[str]]] = {
    "naive": ({"strategy": "naive"}, {}, ALL),
    "the relevant ones": ({}, FIRST_ALONE, ["p1-0"]),
    "a draft that stands": ({"speculate": "draft"}, FIRST_ALONE, ALL),
    "a direct answer": ({}, {"decide_retrieval": [steps.retrieval("no")]}, []),
    "an abstention": ({"strategy": "naive"}, {"generate": [steps.answer(is_found=False)]}, ALL),
    "nothing found": ({"strategy": "corrective"}, {"grade_relevance": [NONE]}, []),
    "simple": ({"strategy": "adaptive"}, SIMPLE, ALL),
    "one of four answers": (*CASES["candidates"], ["p1-0"]),
    "sentences": (*CASES["segments"], ["days-0", "days-0-0"]),
    "sentences by a decision model": (*CASES["segments by a decision model"], ["d1", "e1"]),
}


def traced(policy: dict[str, Any], script: Script) -> Trace:
    unlimited = {**ASKED["policy"], "max_cost_usd": None}
    execution, _ = executed({**ASKED, "policy": {**unlimited, **policy}}, **script)
    return build_trace(ExecutionHistory("q", execution.history))


def written_from(trace: Trace) -> list[Passage]:
    assert trace.written_from is not None
    return trace.written_from


@pytest.mark.parametrize("name", EXPECTED)
def test_it_is_what_the_step_that_wrote_was_given(name: str) -> None:
    policy, script, expected = EXPECTED[name]
    assert [passage.passage_id for passage in written_from(traced(policy, script))] == expected


def test_passage_with_kept_strips_is_reduced_to_them() -> None:
    text = "Leave is paid. It is 25 days. Ask your manager."
    script: Script = {
        "retrieve": [{**steps.found("p1-0"), "passages": [steps.passage("p1-0", text)]}],
        "grade_relevance": [steps.relevance("p1-0", "relevant", strips=[(15, 30)])],
    }
    assert [one.text for one in written_from(traced({"strategy": "corrective"}, script))] == ["It is 25 days. "]
