"""The steps of a pass with their tasks; the machine adds the brief and the passages."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfrag.domain.policy import Policy
from selfrag.plan.limits import share_usd
from selfrag.plan.passes import PlannedStep
from selfrag.plan.situation import Situation


def decide(policy: Policy, asked: Mapping[str, Any]) -> PlannedStep:
    """Return the decision whether to search; it may take a tenth of the question's dollars."""
    budget = None if policy.max_cost_usd is None else 0.1 * policy.max_cost_usd
    return PlannedStep(step="DecideRetrieval", task={"budget_usd": budget, **asked})


def retrieve(known: Situation, top_k: int, asked: Mapping[str, Any], step_id: str = "") -> PlannedStep:
    """Return a search of the documents for `queries`, or a fetch of `passage_ids`, under the caller's filters.

    A search leaves out the passages of earlier searches.
    """
    task = {"top_k": top_k, "seen": known.seen, "bytes_used": known.bytes, **asked}
    return PlannedStep(step="Retrieve", id=step_id, task=task)


def search_web(known: Situation, query: str, top_k: int, *, shared: bool = False) -> PlannedStep:
    """Return a search of the web, which leaves out the results of earlier ones."""
    task = {"query": query, "top_k": top_k, "seen": known.seen, "bytes_used": known.bytes, "shared": shared}
    return PlannedStep(step="SearchWeb", task=task)


def grade(policy: Policy, step_id: str, passage_id: str, budget: float | None, **more: Any) -> PlannedStep:
    """Return IsRel of one passage."""
    task = {"relevance_threshold": policy.relevance_threshold, "budget_usd": budget, **more}
    return PlannedStep(step="GradeRelevance", id=step_id, task=task, passage_ids=[passage_id])


def write(step_id: str, mode: str, passage_ids: Sequence[str], budget: float | None, **more: Any) -> PlannedStep:
    """Return a text from these passages."""
    task = {"mode": mode, "budget_usd": budget, **more}
    return PlannedStep(step="Generate", id=step_id, task=task, passage_ids=list(passage_ids))


def check_support(
    step_id: str, answer: str, passage_ids: Sequence[str], budget: float | None, **more: Any
) -> PlannedStep:
    """Return IsSup of an answer against these passages."""
    task = {"answer": answer, "budget_usd": budget, **more}
    return PlannedStep(step="GradeSupport", id=step_id, task=task, passage_ids=list(passage_ids))


def judge(state: str, step_id: str, answer: str, budget: float | None) -> PlannedStep:
    """Return a grader of an answer alone, as GradeUtility is."""
    return PlannedStep(step=state, id=step_id, task={"answer": answer, "budget_usd": budget})


def rewrite(known: Situation, policy: Policy, evidence: Sequence[str]) -> PlannedStep:
    """Return the search for a query that was not tried, by what the evidence says and what the last answer lacks."""
    task = {"queries": known.queries, "not_said": known.draft.not_said, "budget_usd": share_usd(known, policy, 0.1)}
    return PlannedStep(step="RewriteQuestion", task=task, passage_ids=list(evidence))
