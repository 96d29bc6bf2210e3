"""The next pass as data: parallel steps, parameters and reason."""

from collections.abc import Sequence
from typing import Any

from pydantic import computed_field, field_serializer

from selfrag.domain.base import Model
from selfrag.domain.fields import MAX_QUERY_CHARACTERS
from selfrag.domain.policy import Policy
from selfrag.domain.steps import (
    DecideRetrievalParameters,
    Parameters,
    RetrieveParameters,
    RewriteQuestionParameters,
    SearchWebParameters,
    StepName,
)
from selfrag.plan.limits import share_usd
from selfrag.plan.state import State

# Maximum parallel Lambdas of a question: a new account may have ten.
AT_ONCE = 10
# Maximum parallel model steps after a throttle.
AT_ONCE_WHEN_THROTTLED = 2


class PlannedStep(Model):
    """A step of a pass: its parameters and report id.

    The state machine adds the common fields and the passages of these ids.
    """

    task: Parameters
    id: str = ""
    passage_ids: list[str] = []

    @computed_field  # type: ignore[prop-decorator]
    @property
    def step(self) -> StepName:
        """Return the step's state name."""
        return self.task.step

    @field_serializer("task")
    def parameters(self, task: Parameters) -> dict[str, Any]:
        """Return the non-default parameters."""
        return task.model_dump(mode="json", exclude_unset=True)


class Plan(Model):
    """The next pass; without steps, the answer is composed from the state.

    `turn` counts passes, with a search and its reading as one. `keep` are passages that may still be read; the state
    machine drops the others.
    """

    why: str
    turn: int = 0
    steps: list[PlannedStep] = []
    keep: list[str] = []
    at_once: int = AT_ONCE


def count(number: int, thing: str) -> str:
    """Format a count: "1 passage", "2 passages"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def decision(policy: Policy, *, complexity: bool = False) -> PlannedStep:
    """Return the retrieval decision step, with a tenth of the question's dollars."""
    budget = None if policy.max_cost_usd is None else 0.1 * policy.max_cost_usd
    return PlannedStep(task=DecideRetrievalParameters(complexity=complexity, budget_usd=budget))


def other_queries(state: State, queries: Sequence[str]) -> str:
    """Return a search's queries other than the question as one text for the passage grader."""
    return "; ".join(query for query in queries if query != state.brief.question)[:MAX_QUERY_CHARACTERS]


def document_search(
    state: State,
    top_k: int,
    queries: Sequence[str],
    passage_ids: Sequence[str] = (),
    *,
    refused: Sequence[str] = (),
    shared: bool = False,
) -> PlannedStep:
    """Return the document search without earlier passages, or the fetch of passages by id.

    The best `refused` passages may reappear. `shared` means that the web is searched in parallel.
    """
    task = RetrieveParameters(
        queries=list(queries),
        passage_ids=list(passage_ids),
        refused=list(refused),
        top_k=top_k,
        seen=[passage_id for passage_id in state.seen if passage_id not in refused],
        bytes_used=state.bytes,
        shared=shared,
    )
    return PlannedStep(task=task)


def web_search(state: State, query: str, top_k: int, *, shared: bool = False) -> PlannedStep:
    """Return a web search that excludes earlier results."""
    task = SearchWebParameters(query=query, top_k=top_k, seen=state.seen, bytes_used=state.bytes, shared=shared)
    return PlannedStep(task=task)


def rewrite(state: State, policy: Policy, evidence: Sequence[str]) -> PlannedStep:
    """Return the step that finds an untried query from the evidence and the last answer's gaps."""
    task = RewriteQuestionParameters(
        queries=state.queries, not_said=state.draft.not_said, budget_usd=share_usd(state, policy, 0.1)
    )
    return PlannedStep(task=task, passage_ids=list(evidence))
