"""The paper's strategies through a deployment at the emulator, each by both generators."""

from dataclasses import replace

import httpx2

from tests.support.doubles.vllm import Node, Said, Scenario, VllmDouble
from tests.support.infra.asking import api_key, finished
from tests.support.infra.emulator import Stack

QUESTION = "How many weeks of parental leave does each parent receive?"
# What the fine-tuned model says of any passage, to its end; and of the doctor's question, without a search.
_SAID = Said("Each parent receives 18 weeks.", (0.9, 0.05), (0.85, 0.1, 0.05), (0.0, 0.0, 0.05, 0.1, 0.85))
OF_LEAVE = Scenario(QUESTION, (0.9, 0.05, 0.0), {}, (), otherwise=_SAID)
OF_THE_DOCTOR = Scenario(
    "What is 2 + 2?", (0.05, 0.9, 0.0), {}, (Node("d", None, Said("It is 4.", use=(0.0, 0.0, 0.05, 0.1, 0.85))),)
)


PATHS: dict[tuple[str, str], list[str]] = {}
# Each strategy, by the generators that it may have.
STRATEGIES = [
    *((strategy, "claude") for strategy in ("self_rag", "naive", "corrective", "adaptive", "candidates", "segments")),
    *((strategy, "selfrag") for strategy in ("candidates", "segments")),
]


def a_strategy_ends_and_is_read_back(stack: Stack, model: VllmDouble, strategy: str, generator: str) -> None:
    """Ask for later by a strategy and a generator: status, citation and path."""
    model.scenario = replace(OF_LEAVE, segmented=strategy == "segments")
    policy = {"deadline_seconds": 240, "web_search": False, "strategy": strategy, "generator": generator}
    with httpx2.Client(headers={"x-api-key": api_key(stack)}, timeout=60) as api:
        started = api.post(stack.url("/v1/questions"), json={"question": QUESTION, "policy": policy})
        assert started.status_code == 202, started.text
        answer = finished(api, stack.url(started.headers["location"].removeprefix("/live")))
    model.scenario = OF_THE_DOCTOR
    assert (answer["status"], "18 weeks" in answer["answer"]) == ("answered", True), answer
    assert answer["citations"][0]["document"] == "documents/people/parental-leave.md"
    assert answer["path"] == PATHS.get((strategy, generator))


def segments_are_not_waited_for(stack: Stack) -> None:
    """A tree of sentences takes longer than a caller may wait."""
    with httpx2.Client(headers={"x-api-key": api_key(stack)}, timeout=60) as api:
        refused = api.post(stack.url("/v1/ask"), json={"question": QUESTION, "policy": {"strategy": "segments"}})
    assert (refused.status_code, "POST /v1/questions" in refused.json()["hint"]) == (400, True), refused.text
