"""The paper's strategies through a deployment at the emulator, each by both generators."""

from dataclasses import replace
from typing import Any

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


def each_strategy_ends_and_is_read_back(stack: Stack, model: VllmDouble) -> str:
    """Ask for later by each strategy and generator; returns how many. What cannot be waited for is refused at once."""
    told: list[str] = []
    with httpx2.Client(headers={"x-api-key": api_key(stack)}, timeout=60) as api:
        for strategy in ("candidates", "segments"):
            model.scenario = replace(OF_LEAVE, segmented=strategy == "segments")
            for generator in ("claude", "selfrag"):
                answer = _answer(stack, api, strategy=strategy, generator=generator)
                assert (answer["status"], "18 weeks" in answer["answer"]) == ("answered", True), answer
                assert answer["citations"][0]["document"] == "documents/people/parental-leave.md"
                assert "PickCandidate" in answer["path"]
                told.append(f"{strategy} by {generator} {answer['status']}")
        refused = api.post(stack.url("/v1/ask"), json={"question": QUESTION, "policy": {"strategy": "segments"}})
        assert (refused.status_code, "POST /v1/questions" in refused.json()["hint"]) == (400, True), refused.text
    model.scenario = OF_THE_DOCTOR
    return ", ".join(told)


def _answer(stack: Stack, api: httpx2.Client, **policy: Any) -> dict[str, Any]:
    """The response, with its scores; a cold function on a busy machine may be slower than its step may take."""
    asked = {"question": QUESTION, "policy": {"deadline_seconds": 180, "web_search": False, **policy}}
    for _ in range(3):
        started = api.post(stack.url("/v1/questions"), json=asked)
        assert started.status_code == 202, started.text
        answer = finished(api, stack.url(started.headers["location"].removeprefix("/live")))
        if answer["status"] == "answered":
            break
    return answer
