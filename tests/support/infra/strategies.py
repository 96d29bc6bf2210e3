"""A question to the fine-tuned model through a deployment at the emulator."""

from typing import Any

import httpx2

from tests.support.doubles.vllm import Said, Scenario
from tests.support.infra.asking import api_key, finished
from tests.support.infra.emulator import Stack

QUESTION = "How many weeks of parental leave does each parent receive?"
# The fine-tuned model's answer from any passage, to its end.
_SAID = Said("Each parent receives 18 weeks.", (0.9, 0.05), (0.85, 0.1, 0.05), (0.0, 0.0, 0.05, 0.1, 0.85))
OF_LEAVE = Scenario(QUESTION, (0.9, 0.05, 0.0), {}, (), otherwise=_SAID)


def the_fine_tuned_model_answers(stack: Stack) -> None:
    """Ask for later by the paper's tree and model, whose tokens hold the verdicts of other steps."""
    answer = _answer(stack, strategy="segments", generator="selfrag")
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
