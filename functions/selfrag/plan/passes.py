"""The next pass as data: the steps that run in parallel, their parameters, and the reason."""

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

# The most Lambdas of a question at once: a new account may have ten.
AT_ONCE = 10
# The most of those that ask the model, once it was throttled.
AT_ONCE_WHEN_THROTTLED = 2


class PlannedStep(Model):
    """One step of a pass: its parameters, and an id for its report.

    The machine adds the fields common to all steps, and the passages of these ids, which it holds.
    """

    task: Parameters
    id: str = ""
    passage_ids: list[str] = []

    @computed_field  # type: ignore[prop-decorator]
    @property
    def step(self) -> StepName:
        """Return the state that runs it."""
        return self.task.step

    @field_serializer("task")
    def parameters(self, task: Parameters) -> dict[str, Any]:
        """Return the parameters that were set; the step has the same defaults for the others."""
        return task.model_dump(mode="json", exclude_unset=True)


class Plan(Model):
    """The next pass; without steps the answer is composed from the state.

    `turn` numbers the passes as a path counts them: a search and the reading of its passages are one turn. `keep` are
    the passages that may still be read; the machine drops the others.
    """

    why: str
    turn: int = 0
    steps: list[PlannedStep] = []
    keep: list[str] = []
    at_once: int = AT_ONCE


def count(number: int, thing: str) -> str:
    """Return a number of things: "1 passage", "2 passages"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def decision(policy: Policy, *, complexity: bool = False) -> PlannedStep:
    """Return the decision whether to search; it may take a tenth of the question's dollars."""
    budget = None if policy.max_cost_usd is None else 0.1 * policy.max_cost_usd
    return PlannedStep(task=DecideRetrievalParameters(complexity=complexity, budget_usd=budget))


def other_queries(state: State, queries: Sequence[str]) -> str:
    """Return the queries of a search that are not the question, as one text for the grader of its passages."""
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
    """Return the search of the documents without the passages of earlier ones, or the fetch of passages by their ids.

    The best of the `refused` passages may come again. `shared` says that the web is searched at the same time.
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
    """Return a search of the web, which leaves out the results of earlier ones."""
    task = SearchWebParameters(query=query, top_k=top_k, seen=state.seen, bytes_used=state.bytes, shared=shared)
    return PlannedStep(task=task)


def rewrite(state: State, policy: Policy, evidence: Sequence[str]) -> PlannedStep:
    """Return the search for a query that was not tried, by what the evidence says and what the last answer lacks."""
    task = RewriteQuestionParameters(
        queries=state.queries, not_said=state.draft.not_said, budget_usd=share_usd(state, policy, 0.1)
    )
    return PlannedStep(task=task, passage_ids=list(evidence))
