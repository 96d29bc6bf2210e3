"""Possible replies of the steps of `candidates` and `segments`: a passage's id begins with its fate."""

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

from selfrag.domain.steps import PickCandidateTask, RankPathsTask
from selfrag.plan.candidates import CandidatesState
from selfrag.plan.limits import calls
from selfrag.plan.segments import SegmentsState
from selfrag.question.pick_candidate import logic as pick_candidate
from selfrag.question.rank_paths import logic as rank_paths
from tests.support import steps
from tests.support.replies_of_the_loop import decisions
from tests.support.walk import Reply

# A passage's grade and score, the text written from it, the text's IsSup, and its use if judged alone.
FATES: dict[str, tuple[str, float | None, str, str, int | None]] = {
    "best": ("relevant", 0.9, "text", "fully_supported", 5),
    "worse": ("relevant", 0.6, "text", "partially_supported", 5),
    "useless": ("relevant", 0.9, "text", "fully_supported", 1),
    "unjudged": ("relevant", 0.9, "text", "fully_supported", None),
    "unchecked": ("relevant", 0.8, "text", "ungraded", 5),
    "irrelevant": ("irrelevant", 0.1, "text", "fully_supported", 5),
    "ungraded": ("ungraded", None, "text", "fully_supported", 5),
    "unsupported": ("relevant", 0.9, "text", "no_support", 5),
    "empty": ("relevant", 0.9, "nothing", "", None),
    "repeated": ("relevant", 0.9, "repeated", "fully_supported", 5),
    "cut": ("relevant", 0.9, "cut", "fully_supported", 5),
}
OF_CANDIDATES = ("best", "worse", "useless", "unjudged", "unchecked", "irrelevant", "ungraded", "unsupported", "empty")
OF_SENTENCES = ("best", "worse", "unchecked", "irrelevant", "ungraded", "unsupported", "empty", "repeated", "cut")


class Replies:
    """The replies to one policy; which of the passages of a search has which fate makes no difference."""

    def __init__(self, fates: Sequence[str], *, uses: Sequence[int | None] = (), **policy: Any) -> None:
        self.policy = policy
        self._fates, self._uses, self._top_k = fates, uses, policy["top_k"]

    def of(self, step: str, task: Mapping[str, Any], passage_ids: Sequence[str], seen: Sequence[str]) -> list[Reply]:
        """Return the labelled results that a step may have."""
        fate = FATES[passage_ids[0].split()[0]] if passage_ids else FATES["best"]
        match step:
            case "RecallAnswer":
                return [("kept", {"Item": steps.earlier("best 0/0")}), ("gone", {})]
            case "DecideRetrieval":
                return [*decisions(), ("complete", steps.retrieval("complete"))] if "so_far" in task else decisions()
            case "Retrieve" | "SearchWeb":
                return self._found(step, task)
            case "GradeRelevance":
                return [("", graded(passage_ids[0], fate))]
            case "GradeSupport":
                return [("", steps.support(fate[3]))]
            case "GradeUtility" if self._uses:
                return [(f"of use {use}", steps.utility(use)) for use in self._uses]
            case "GradeUtility":
                return [("", steps.utility(FATES.get(task["answer"].split()[0], fate)[4]))]
            case "RankPaths":
                return [
                    ("", rank_paths.rank(RankPathsTask.model_validate(task, extra="ignore")).model_dump(mode="json"))
                ]
            case "PickCandidate":
                return [
                    (
                        "",
                        pick_candidate.pick(PickCandidateTask.model_validate(task, extra="ignore")).model_dump(
                            mode="json"
                        ),
                    )
                ]
            case _:
                assert step == "Generate"
                return self._written(task, passage_ids)

    def _found(self, step: str, task: Mapping[str, Any]) -> list[Reply]:
        if task.get("passage_ids"):
            return [("evidence", steps.found(*task["passage_ids"])), ("no evidence", steps.found())]
        name = f"{step}/{task.get('id', '')}"
        some = [one for size in range(self._top_k + 1) for one in combinations_with_replacement(self._fates, size)]
        each = [("+".join(one), steps.found(*(f"{fate} {name}/{n}" for n, fate in enumerate(one)))) for one in some]
        return [*each, ("failed", None)]

    def _written(self, task: Mapping[str, Any], passage_ids: Sequence[str]) -> list[Reply]:
        if task["mode"] == "direct":
            return directs()
        ends = [text(one, task["id"], task.get("so_far", "")) for one in passage_ids or ["best none"]]
        kind = FATES[passage_ids[0].split()[0]][2] if passage_ids else "text"
        reply = steps.answer(ends[0], is_found=kind != "nothing", cites=(*passage_ids, "")[0])
        cited = reply["citations"] if passage_ids else []
        return [("", {**reply, "citations": cited, "flaw": "cut" if kind == "cut" else None})]

    def deciding(self, state: Any) -> Any:
        """Return the relevant part of a situation; calls count, since they limit further work."""
        asked = [state.retrieval and state.retrieval.decision, bool(state.previous_relevance), bool(state.draft.answer)]
        more = of_a_contest(state) if isinstance(state, CandidatesState) else of_a_tree(state)
        return [asked, calls(state), any(entry.error for entry in state.ledger), state.stopped, state.stage, more]


def of_a_contest(state: CandidatesState) -> Any:
    """Return the relevant part of `candidates`: the fates of running answers, and whether a finished one may win."""
    fates = sorted((fate_of(item.passage_id), item.written, item.answered, item.aside) for item in state.items)
    done = sorted(fate_of(one.passage_id) for one in state.compared.candidates)
    texts = [bool(one.answer) for one in state.compared.candidates]
    return [state.source, state.decides, state.ungraded, state.second, fates, done, texts, len(state.new)]


def of_a_tree(state: SegmentsState) -> Any:
    """Return the relevant part of `segments`: the paths with the fates of their sentences, and the current level."""
    paths = [
        [path.finished, path.segments[-1].next, [fate_of(one.passage_id) for one in path.segments]]
        for path in state.compared.beam
    ]
    live = [[path.decision, [fate_of(one) for one in path.hits]] for path in state.live]
    at_work = [[one.parent, fate_of(one.passage_id), bool(one.answer), one.out, one.next] for one in state.sentences]
    parents = [path.id for path in state.live]
    places = [[parents.index(parent) if parent in parents else -1, *rest] for parent, *rest in at_work]
    level = [state.level, state.direct, state.first, state.ahead, len(state.complete), bool(state.ends)]
    return [level, paths, live, places]


def fate_of(passage_id: str | None) -> str:
    """Return the fate that a passage's id begins with."""
    return (passage_id or "none").split()[0]


def graded(passage_id: str, fate: tuple[str, float | None, str, str, int | None]) -> dict[str, Any]:
    """Return IsRel of a passage."""
    reply = steps.relevance(passage_id, fate[0])
    return {**reply, "verdict": {**reply["verdict"], "score": fate[1]}}


def text(passage_id: str, name: str, so_far: str) -> str:
    """Return a sentence that no path has had, or the one that its own path begins with."""
    if fate_of(passage_id) == "repeated" and so_far:
        return so_far.split(". ")[0].rstrip(".") + "."
    return f"{fate_of(passage_id)} of {passage_id.split()[-1]} {name}."


def directs() -> list[Reply]:
    """Return a whole answer without a search; none; or a refusal."""
    said = [("direct", steps.answer("best.")), ("nothing", steps.answer(is_found=False))]
    said.append(("refused", steps.answer(is_found=False, flaw="refused")))
    return [(label, {**reply, "citations": []}) for label, reply in said]
