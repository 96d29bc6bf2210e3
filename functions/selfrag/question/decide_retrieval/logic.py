"""Retrieve: the decision whether a question needs a search (Self-RAG, arXiv 2310.11511, table 1).

On request, also whether one search is enough (Adaptive-RAG, arXiv 2403.14403, section 3.2).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from selfrag.domain.decisions import CANNOT_TELL, NO, YES, most_probable_option
from selfrag.domain.fields import MAX_QUERY_CHARACTERS
from selfrag.domain.steps import DecideRetrievalResult, DecideRetrievalTask
from selfrag.domain.verdicts import Complexity, RetrievalVerdict
from selfrag.judging.graders import Grader


def require_all(schema: dict[str, Any]) -> None:
    """Make every field of a schema required, whatever its default."""
    schema["required"] = list(schema["properties"])


class Continuation(BaseModel):
    """The shape of the verdict on how an answer that grows by segments goes on (arXiv 2310.11511, algorithm 1)."""

    # The title names the step in requests.
    model_config = ConfigDict(title="Retrieval")

    reason: str
    decision: Literal["yes", "no", "continue", "complete"]


class Retrieval(Continuation):
    """The shape of the model's verdict."""

    # Required in the schema, but optional when stored verdicts are read.
    model_config = ConfigDict(json_schema_extra=require_all)

    decision: Literal["yes", "no", "continue"]
    aggregate: bool = False


class RetrievalAndComplexity(Retrieval):
    """The shape of the verdict where the complexity is asked for."""

    complexity: Complexity


class RetrievalOfFollowUp(Retrieval):
    """The shape of the verdict on a follow-up: `query` is what to search for, in words that stand alone."""

    query: str


class RetrievalOfFollowUpAndComplexity(RetrievalOfFollowUp, RetrievalAndComplexity):
    """The shape of the verdict on a follow-up where the complexity is asked for, too."""


_NO_EVIDENCE = "there is no earlier evidence to continue from"
_SHAPES: dict[tuple[bool, bool], type[Retrieval]] = {
    (False, False): Retrieval,
    (False, True): RetrievalAndComplexity,
    (True, False): RetrievalOfFollowUp,
    (True, True): RetrievalOfFollowUpAndComplexity,
}


def decide(task: DecideRetrievalTask, grader: Grader) -> DecideRetrievalResult:
    """Return the verdict; `continue` without an earlier turn becomes `yes`, ungraded stays ungraded.

    Complexity applies only to questions that need a search. A conclusive verdict of the decision model is final, except
    that Claude words the query of a follow-up and confirms a `no` if the thresholds were not measured.
    """
    follows, names = bool(task.previous.answer), ["decision", "aggregate", *(["complexity"] if task.complexity else [])]
    fields = {"question": task.question, "previous": task.previous.model_dump(), **task.date_fields}
    return _decide(grader, fields, names, _SHAPES[follows, task.complexity], follows=follows, words_query=follows)


def decide_continuation(task: DecideRetrievalTask, grader: Grader) -> DecideRetrievalResult:
    """Return the verdict; an ungraded one leads to a search."""
    fields = {
        "question": task.question,
        "previous": task.previous.model_dump(),
        "so_far": task.so_far,
        **task.date_fields,
    }
    return _decide(grader, fields, ["continuation"], Continuation, follows=True)


def _decide(
    grader: Grader,
    fields: Mapping[str, object],
    names: Sequence[str],
    shape: type[Continuation],
    *,
    follows: bool,
    words_query: bool = False,
) -> DecideRetrievalResult:
    decided = _ask_decider(fields, grader, names, follows=follows)
    needs_query = words_query and decided is not None and decided.verdict.decision == "yes"
    if decided and not needs_query and _is_conclusive(decided, grader):
        return decided
    grade = grader.grade(fields, shape)
    if grade.verdict is None:
        verdict = RetrievalVerdict(decision="ungraded", reason=f"the verdict was {grade.flaw}")
    elif grade.verdict.decision == "continue" and not follows:
        verdict = RetrievalVerdict(decision="yes", reason=_NO_EVIDENCE, **grader.judge_fields)
    else:
        # Complexity needs a search, and a query is kept for later.
        judged = grade.verdict.model_dump(exclude=None if grade.verdict.decision == "yes" else {"complexity"})
        if "query" in judged:
            judged["query"] = " ".join(judged["query"].split())[:MAX_QUERY_CHARACTERS]
        verdict = RetrievalVerdict(**judged, **grader.judge_fields)
    result = DecideRetrievalResult(verdict=verdict, **grade.usage)
    return result.add_cost_of(decided) if decided else result


def _ask_decider(
    fields: Mapping[str, object], grader: Grader, names: Sequence[str], *, follows: bool
) -> DecideRetrievalResult | None:
    """Return the decision model's verdict, or None.

    At equal probability, searching wins. r is the paper's ratio (A.3).
    """
    if grader.decider is None:
        return None
    questions = {name: grader.decider.questions[name] for name in names}
    decisions = grader.decider.ask(fields, questions)
    verdict = RetrievalVerdict(decision="ungraded", reason=f"the verdict was {decisions.flaw}")
    if decisions.answers is not None:
        probabilities = decisions.answers[names[0]]
        label = most_probable_option(probabilities, questions[names[0]].options)
        reason = f"`{label}` has the probability {probabilities[label]:.2f}"
        if label == "continue" and not follows:
            label, reason = "yes", _NO_EVIDENCE
        if label != CANNOT_TELL:
            either = probabilities[YES] + probabilities[NO]
            complexity = decisions.answers.get("complexity") if label == "yes" else None
            verdict = RetrievalVerdict.model_validate(
                {
                    "decision": label,
                    "reason": reason,
                    "aggregate": decisions.answers.get("aggregate", {}).get(YES, 0.0) >= 0.5,
                    "complexity": complexity and most_probable_option(complexity, ("complex", "simple")),
                    "ratio": probabilities[YES] / either if either else None,
                    "probability": max(probabilities.values()),
                    "probabilities": probabilities,
                    **grader.decider.judge_fields,
                }
            )
    return DecideRetrievalResult(verdict=verdict, **decisions.usage)


def _is_conclusive(decided: DecideRetrievalResult, grader: Grader) -> bool:
    """Return whether the decision model's verdict is final; answers without a search are never checked."""
    is_advice = decided.verdict.decision == NO and grader.judged_by != "rule"
    measured = grader.decider is not None and grader.decider.measured
    return (measured or not is_advice) and grader.is_conclusive(decided.verdict.probability, if_low=False)
