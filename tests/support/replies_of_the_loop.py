"""Possible replies of the loop's steps, as far as verdicts differ; a passage's id begins with its grade."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from selfrag.plan.loop import LoopState
from tests.support import steps
from tests.support.walk import Reply

# Grades of retrieved passages, best first; the last applies to all further passages.
GRADES = {
    "all": ("relevant",),
    "one": ("relevant", "ungraded", "irrelevant"),
    "none": ("irrelevant",),
    "ungraded": ("ungraded",),
}
AMBIGUOUS = {"ambiguous": ("ambiguous", "ungraded", "irrelevant"), "mixed": ("irrelevant", "ambiguous", "relevant")}
LEVELS = ("fully_supported", "partially_supported", "no_support", "ungraded")
USES = (5, 2, None)


class Replies:
    """The replies to one policy."""

    def __init__(self, strategy: str, speculate: str, **policy: Any) -> None:
        self.policy = {"strategy": strategy, "speculate": speculate, **policy}
        self._grades = GRADES | (AMBIGUOUS if strategy == "corrective" else {})
        self._top_k, self._rewrites = policy.get("top_k", 4), policy.get("max_rewrites", 2)

    def of(self, step: str, task: Mapping[str, Any], passage_ids: Sequence[str], seen: Sequence[str]) -> list[Reply]:
        """Return the labelled results that a step may have."""
        match step:
            case "RecallAnswer":
                return [("kept", {"Item": steps.earlier("relevant 0/0")}), ("gone", {})]
            case "DecideRetrieval":
                return decisions(complexity=bool(task.get("complexity")))
            case "Retrieve":
                return self._found(task, seen)
            case "SearchWeb":
                return [("results", steps.found("relevant w/0", "irrelevant w/1")), ("nothing", steps.found())]
            case "GradeRelevance":
                return [("", steps.relevance(passage_ids[0], passage_ids[0].split()[0]))]
            case "Generate":
                return answers(task["mode"], passage_ids)
            case "GradeSupport":
                return supports(passage_ids)
            case "GradeUtility":
                return [(f"of use {use}", steps.utility(use)) for use in USES]
            case _:
                assert step == "RewriteQuestion"
                query = f"query {len(task['queries'])}"
                return [("new", steps.rewrite(query)), ("tried", steps.rewrite("", new=False))]

    def _found(self, task: Mapping[str, Any], seen: Sequence[str]) -> list[Reply]:
        if task["passage_ids"]:
            return [("evidence", steps.found(*task["passage_ids"])), ("no evidence", steps.found())]
        query = task["queries"][0]
        grades = {
            name: [some[min(n, len(some) - 1)] for n in range(self._top_k)] for name, some in self._grades.items()
        }
        new = [
            (name, steps.found(*(f"{grade} {query}/{n}" for n, grade in enumerate(some))))
            for name, some in grades.items()
        ]
        return [*new, ("nothing new", steps.found(*seen[: self._top_k]))]

    def deciding(self, state: LoopState) -> Any:
        """Return what of a situation can still make a difference: of passages whether there are any, and verdicts.

        The last answer's gaps and use count while it is judged, the earlier question while it is read.
        """
        cycle, draft = state.cycle, state.draft
        judged = [state.check, len(state.missing), state.draft.answer == state.lacking]
        kept = [bool(draft.answer), draft.direct, state.useful == "no" or draft.support.level == "no_support"]
        # After a search for a query that was not new, the answer is judged again by its verdicts.
        again = [] if state.check else [draft.support.level, state.useful]
        earlier = [state.recall, bool(state.previous_relevance), bool(state.brief.previous.answer)]
        # An answer that a search for missing facts did not change has the same evidence, in these replies.
        changed = [state.lacking, len(state.evidence)] if state.lacking and state.rewrites() < self._rewrites else []
        # A refused passage of the first search may come again, and counts as new.
        returning = (
            {*state.seen[: self._top_k]} & {*state.refused_passages()} if state.rewrites() < self._rewrites else set()
        )
        searches = [entry for entry in state.ledger if entry.step == "Retrieve"]
        return [
            changed,
            [
                sorted({one.split()[0] for one in returning}),
                bool(state.unsupported) and state.unsupported == state.evidence,
            ],
            [state.stage, state.reflects, state.direct, state.useful, min(state.useless, 2)],
            [*judged, *kept, *again] if state.stage == "reflect" else [],
            earlier if state.stage == "read" else [],
            cycle.model_dump(exclude={"queries", "web", "new", "hits", "since", "bytes"}),
            [len(cycle.queries), bool(cycle.web), sorted(one.split()[0] for one in cycle.new)],
            [bool(state.evidence), bool(state.seen), bool(state.queries), bool(state.failed_claims)],
            [state.prepared.new, state.has_query, state.stalled],
            bool(draft.not_said) and state.stage == "reflect",
            [state.ran("SearchWeb"), state.rewrites(), state.seeks, state.repairs()],
            [sum(entry.useful == 0 for entry in searches[-2:]), len(searches[-2:])],
            any(entry.error for entry in state.ledger),
        ]


class CascadeReplies(Replies):
    """The replies where a decision model judges first: each verdict is its own, or Claude's after it."""

    def of(self, step: str, task: Mapping[str, Any], passage_ids: Sequence[str], seen: Sequence[str]) -> list[Reply]:
        """Return the labelled results that a step may have."""
        replies = super().of(step, task, passage_ids, seen)
        if not (step.startswith("Grade") or step == "DecideRetrieval"):
            return replies
        return [variant for reply in replies for variant in _by_cascade(*reply)]


def _by_cascade(label: str, result: dict[str, Any] | None) -> list[Reply]:
    if result is None:
        return [(label, result)]
    decision = {**result["calls"][0], "model": "decider-1", "decision": True}
    passed_on = {**result, "calls": [decision, *result["calls"]]}
    # A missing verdict of a decision model is Claude's to give.
    if "ungraded" in json.dumps(result["verdict"]) or result["verdict"].get("score", 0) is None:
        return [(f"{label}, passed on", passed_on)]
    return [(f"{label}, decided", {**result, "calls": [decision], "attempts": 0}), (f"{label}, passed on", passed_on)]


def decisions(*, complexity: bool = False) -> list[Reply]:
    """Return every decision; of a question that needs a search, with its complexity where that is asked for."""
    said = [(one, steps.retrieval(one)) for one in ("no", "continue", "ungraded")]
    kinds = ("simple", "complex") if complexity else (None,)
    return [*((f"yes {kind or ''}".strip(), steps.retrieval("yes", kind)) for kind in kinds), *said]


def answers(mode: str, passage_ids: Sequence[str]) -> list[Reply]:
    """Return an answer that cites a good passage, a bad one, or lacks a part; none; and a refusal."""
    nothing = ("nothing", steps.answer(is_found=False))
    refused = ("refused", steps.answer(is_found=False, flaw="refused"))
    if mode == "direct":
        return [("direct", steps.answer()), nothing, refused]
    ends = {one.split()[0]: one for one in (*passage_ids[-1:], *passage_ids[:1])}
    text = f"{len(passage_ids)} facts."
    cited = [(f"cites {grade}", steps.answer(text, cites=one)) for grade, one in ends.items()]
    unsaid = [(f"{label}, not all", {**reply, "not_said": [f"part {len(passage_ids)}"]}) for label, reply in cited[:1]]
    return [*cited, *unsaid, nothing, refused]


def supports(passage_ids: Sequence[str]) -> list[Reply]:
    """Return every support of an answer, and a claim for which there may be evidence elsewhere."""
    levels = [(level, steps.support(level)) for level in LEVELS]
    return [*levels, ("missing", steps.missing(f"evidence {len(passage_ids)}"))]
