"""The largest tree that a policy allows: what Step Functions limits is far from its limits."""

import hashlib
import json
from typing import Any

from selfrag.domain.passages import Passage
from selfrag.domain.steps import RetrievedPassages
from selfrag.text.state_budget import STATE_BUDGET_BYTES, cut_to_budget
from tests.support import steps
from tests.workflow.asking import ASKED, POLICY, executed

LARGEST = {"strategy": "segments", "beam": 3, "top_k": 8, "max_segments": 6, "deadline_seconds": 100_000}
# Letters of a passage: in the state it has 4 KB.
LETTERS = 3_800
MAX_EVENTS = 5_000
SENTENCE = "Whoever has worked for a whole year may keep ten of the days that are left until the end of March, said {}."


def found(event: dict[str, Any]) -> dict[str, Any]:
    """As many passages as were asked for, each of 4 KB, other ones for every query."""
    tag = hashlib.sha256(event["queries"][0].encode()).hexdigest()[:16]
    ids = [f"people/leave.md#{tag}-{number}" for number in range(event["top_k"])]
    brought = [Passage.model_validate(steps.passage(name, "x" * LETTERS)) for name in ids]
    return RetrievedPassages.create(*cut_to_budget(brought, event["bytes_used"])).model_dump()


def cached(result: dict[str, Any]) -> dict[str, Any]:
    """Return the same from the cache, which takes no call, so that no cap ends the search."""
    told = {**result, "cached": True, "calls": [], "attempts": 0}
    if "verdict" in result and "decision" not in result["verdict"]:
        told["verdict"] = {**result["verdict"], "cached": True}
    return told


def written(event: dict[str, Any]) -> dict[str, Any]:
    name = event["passages"][0]["passage_id"]
    text = SENTENCE.format(f"{name} {event['so_far'].count('.')}")
    result = steps.answer(text, cites=name)
    around = {"quote": "x" * 150, "before": "x" * 200, "after": "x" * 200, "heading": "x" * 60, "locator": "page 4"}
    return {**result, "citations": [{**result["citations"][0], **around}]}


def supported(event: dict[str, Any]) -> dict[str, Any]:
    claims = [
        {"claim": event["answer"][:60], "support": "full", "passage_ids": [event["passages"][0]["passage_id"]]}
        for _ in range(2)
    ]
    return steps.asked("grade_support", verdict={"level": "fully_supported", "claims": claims, "cached": False})


def by_claude() -> dict[str, list[Any]]:
    relevant = lambda event: steps.relevance(event["passage"]["passage_id"], "relevant")  # noqa: E731
    return {
        "decide_retrieval": [lambda event: cached(steps.retrieval("yes"))],
        "retrieve": [found],
        "grade_relevance": [lambda event: cached(relevant(event))],
        "generate": [lambda event: cached(written(event))],
        "grade_support": [lambda event: cached(supported(event))],
        "grade_utility": [lambda event: cached(steps.utility(5))],
    }


def weigh(history: list[dict[str, Any]]) -> tuple[int, str]:
    """Return the largest state that a transition had, in bytes, and where."""
    sizes = [
        (len(details[key].encode()), details.get("name", event["type"]))
        for event in history
        for name, details in event.items()
        if name.endswith("EventDetails")
        for key in ("input", "output", "parameters")
        if isinstance(details.get(key), str)
    ]
    return max(sizes)


def test_largest_allowed_tree_fits_in_state_and_history(record_property: Any) -> None:
    execution, _ = executed({**ASKED, "policy": {**POLICY, **LARGEST}}, **by_claude())
    assert execution.output is not None, execution.error
    size, where = weigh(execution.history)
    nodes, stopped = len(execution.output["scores"]["nodes"]), execution.output["scores"]["stopped"]
    figures = (
        f"{nodes} sentences, ended by {stopped}; the largest state {size:,} bytes at {where}; "
        f"{len(execution.history):,} events"
    )
    record_property("figures", figures)
    assert size < STATE_BUDGET_BYTES
    assert len(execution.history) < MAX_EVENTS
    assert len(json.dumps(execution.output).encode()) < STATE_BUDGET_BYTES
    assert not [warning for warning in execution.output["usage"]["warnings"] if "left out" in warning]
    assert stopped == "depth"
