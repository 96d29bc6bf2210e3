"""Each strategy through a deployment at the emulator, and the paper's own by the fine-tuned model."""

from dataclasses import replace
from typing import Any

import httpx2

from tests.support.doubles.vllm import Said, Scenario, VllmDouble
from tests.support.infra.asking import api_key, finished
from tests.support.infra.emulator import Stack

QUESTION = "How many weeks of parental leave does each parent receive?"
# What the fine-tuned model says of any passage, to its end.
_SAID = Said("Each parent receives 18 weeks.", (0.9, 0.05), (0.85, 0.1, 0.05), (0.0, 0.0, 0.05, 0.1, 0.85))
OF_LEAVE = Scenario(QUESTION, (0.9, 0.05, 0.0), {}, (), otherwise=_SAID)

_GRADED = ["DecideRetrieval", "Retrieve", "GradeRelevance", "Generate"]
_JUDGED = ["GradeSupport", "GradeUtility"]
# A level of a tree, whose sentence holds the whole answer.
_LEVEL = ["Retrieve", "GradeRelevance", "Generate", "DecideRetrieval", "GradeSupport", "RankPaths"]
_GROWN = ["DecideRetrieval", *_LEVEL, "RankPaths", "GradeUtility", "PickCandidate"]
# By strategy: status and path. What was not checked goes out as partial.
OUTCOMES = {
    "self_rag": ("answered", _GRADED + _JUDGED),
    "naive": ("partial", ["Retrieve", "Generate"]),
    "corrective": ("partial", ["Retrieve", "GradeRelevance", "Generate"]),
    "adaptive": ("partial", _GRADED),
    "candidates": ("answered", [*_GRADED, *_JUDGED, "PickCandidate"]),
    "segments": ("answered", _GROWN),
}


def a_strategy_answers(stack: Stack, strategy: str) -> None:
    """Ask for later by a strategy: status, citation and path."""
    answer = _answer(stack, strategy=strategy)
    assert (answer["status"], answer["path"]) == OUTCOMES[strategy], answer


def the_fine_tuned_model_answers(stack: Stack, model: VllmDouble, strategy: str) -> None:
    """Ask for later by the paper's strategy and model, whose tokens say what other steps say elsewhere."""
    model.scenario = replace(OF_LEAVE, segmented=strategy == "segments")
    answer = _answer(stack, strategy=strategy, generator="selfrag")
    assert (answer["status"], "PickCandidate" in answer["path"]) == ("answered", True), answer


def _answer(stack: Stack, **policy: Any) -> dict[str, Any]:
    asked = {"question": QUESTION, "policy": {"deadline_seconds": 180, "web_search": False, **policy}}
    with httpx2.Client(headers={"x-api-key": api_key(stack)}, timeout=60) as api:
        started = api.post(stack.url("/v1/questions"), json=asked)
        assert started.status_code == 202, started.text
        answer = finished(api, stack.url(started.headers["location"].removeprefix("/live")))
    assert "18 weeks" in answer["answer"], answer
    assert answer["citations"][0]["document"] == "documents/people/parental-leave.md"
    return answer


def segments_are_not_waited_for(stack: Stack) -> None:
    """A tree of sentences takes longer than a caller may wait."""
    with httpx2.Client(headers={"x-api-key": api_key(stack)}, timeout=60) as api:
        refused = api.post(stack.url("/v1/ask"), json={"question": QUESTION, "policy": {"strategy": "segments"}})
    assert (refused.status_code, "POST /v1/questions" in refused.json()["hint"]) == (400, True), refused.text
