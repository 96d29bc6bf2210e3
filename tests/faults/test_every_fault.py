"""Every step fed with every fault, at its first call or always: it ends, within four calls, with a stated outcome."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from tests.support.aws.stack import LocalStack
from tests.support.doubles.model_server import Fault, ModelServer
from tests.support.grids import some_of
from tests.support.local import QUESTION, forget_verdicts, local_stack

FAULTS: list[Fault] = [429, 529, 500, "malformed", "refusal", "cut"]
NO_REPLY: tuple[Fault, ...] = (429, 529, 500, "timeout")
MODEL_STEPS = ["decide_retrieval", "grade_relevance", "generate", "grade_support", "grade_utility", "rewrite_question"]


class Asked:
    """A stack and its model, for one question after another: nothing is remembered of the one before."""

    def __init__(self, model: ModelServer, stack: LocalStack) -> None:
        self.model, self._stack = model, stack

    def ask(self, step: str, fault: Callable[[int], Fault]) -> dict[str, Any]:
        """Ask while a step's nth call has a fault; no passage is relevant if it is the step that looks for others."""
        self.model.begin_anew(lambda asked, n: fault(n) if asked == step else None)
        forget_verdicts()
        if step == "rewrite_question":
            self.model.answers["grade_relevance"] = lambda body: {"reason": "r", "score": 0.0}
        # The longest deadline, so that retries end before it.
        policy = {"web_search": False, "deadline_seconds": 240, "top_k": 1, "max_rewrites": 1}
        execution = self._stack.execute({**QUESTION, "policy": policy})
        assert execution.output is not None, execution.error
        return execution.output


@contextmanager
def asking(patience: str) -> Iterator[Asked]:
    """Ask with a timeout of so many seconds: short where replies never come, long elsewhere, for machines are busy."""
    with ModelServer() as model, local_stack(model, SELFRAG_MODEL_TIMEOUT_SECONDS=patience) as stack:
        yield Asked(model, stack)


@pytest.fixture(scope="module")
def patient() -> Iterator[Asked]:
    with asking("20") as asked:
        yield asked


@pytest.mark.parametrize(
    ("fault", "always"),
    some_of(
        [*((fault, True) for fault in FAULTS), (429, False), ("malformed", False)],
        *[(429, True), ("malformed", True), ("malformed", False)],
    ),
)
@pytest.mark.parametrize("step", MODEL_STEPS)
def test_a_fault_ends_in_a_stated_outcome_within_four_calls(
    patient: Asked, step: str, fault: Fault, always: bool
) -> None:
    ends_as_stated(patient, step, fault, always)


def ends_as_stated(asked: Asked, step: str, fault: Fault, always: bool) -> None:
    response = asked.ask(step, lambda n: fault if always or n == 1 else None)
    calls = asked.model.counts[step]
    # IsRel judges one passage a call and there is one passage a search.
    searches = len(response["queries"]) if step == "grade_relevance" else 1
    assert calls <= 4 * searches
    assert response["status"] == expected_status(step, fault, always), response
    if response["status"] == "failed":
        assert "could not be answered because a step failed" in response["answer"]
    if fault in NO_REPLY and always:
        assert calls == 4
        assert any("TemporarilyUnavailable" in warning for warning in response["usage"]["warnings"])
    assert response["usage"]["model_calls"] == sum(asked.model.counts.values())


def expected_status(step: str, fault: Fault, always: bool) -> str:
    """The stated outcome: what can be retried is, a missing verdict is never a pass, and no fault is 'not found'."""
    if fault in NO_REPLY and not always:
        return "abstained" if step == "rewrite_question" else "answered"
    if step == "grade_support" and not always:
        return "answered"  # the second judge of support is asked where the first gives no verdict
    return {
        "decide_retrieval": "answered",  # without a verdict the documents are searched
        "grade_relevance": "failed",  # nothing graded, so nothing is evidence
        "generate": "failed",  # of a cut answer the whole sentences would stay, and here there are none
        "grade_support": "partial",  # the answer goes out as not checked
        "grade_utility": "partial",
        "rewrite_question": "abstained",  # nothing else to search for
    }[step]


@pytest.mark.parametrize("step", MODEL_STEPS)
def test_retry_after_beyond_the_deadline_ends_the_step_at_once(patient: Asked, step: str) -> None:
    with patch.dict(patient.model.headers, {429: {"retry-after": "120"}}):
        response = patient.ask(step, lambda n: 429)
    # Support has two judges: where the first gives no verdict the other is asked.
    judgements = {"grade_relevance": len(response["queries"]), "grade_support": 2}.get(step, 1)
    assert 1 <= patient.model.counts[step] <= judgements
    assert response["status"] == expected_status(step, 429, always=True), response
