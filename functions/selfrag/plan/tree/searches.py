"""The basis of a path's next sentences: passages of a search, the passage before, or none."""

from collections.abc import Sequence

from selfrag.domain.policy import Policy
from selfrag.plan import steps
from selfrag.plan.passes import PlannedStep
from selfrag.plan.reports import Report, entry_of, most_text_hits
from selfrag.plan.tree.situation import Live, Tree
from selfrag.text.state_budget import STATE_BUDGET_BYTES

# The share of the state's budget for a level's passages.
LEVEL_BYTES = 104 * 1024


def is_searched(known: Tree, policy: Policy, path: Live) -> bool:
    """Return whether a path searches: always, if every sentence must rest on one, or without a passage at hand."""
    if known.direct:
        return False
    if policy.retrieval == "always":
        return True
    at_hand = path.decision == "continue" and path.last_passage in known.ends
    return not at_hand and path.decision != "no"


def rested(known: Tree, path: Live) -> Live:
    """Return a path without a search, with the basis of its next sentence."""
    same = path.decision == "continue" and not known.direct
    return path.model_copy(update={"found": [path.last_passage if same else None]})


def search_of(known: Tree, policy: Policy, path: Live) -> PlannedStep:
    """Return the search for the question and the last sentence, or the fetch of the earlier answer's evidence.

    It leaves out no passage: the next sentence may stand in one that an earlier sentence or another path rests on.
    """
    asked = {
        "queries": [_query(known, path)],
        "passage_ids": _fetched(known, path)[: policy.top_k],
        "bytes_used": STATE_BUDGET_BYTES - LEVEL_BYTES // len(known.live),
    }
    return steps.retrieve(known, policy.top_k, asked, path.id)


def with_found(known: Tree, reports: Sequence[Report]) -> Tree:
    """Return the state with the passages of each path."""
    found = {report.id: report.get("found", []) for report in reports}
    answered = {report.id for report in reports if report.result is not None}
    searched = [path for path in known.live if path.id in answered and not _fetched(known, path)]
    entries = [
        entry_of(report, known.turn, **({"brought": len(found[report.id])} if report.id in answered else {}))
        for report in reports
    ]
    return known.noted(entries).but(
        text_hits=most_text_hits(known, reports),
        live=[
            path.model_copy(update={"found": [one["passage_id"] for one in found[path.id]]})
            if path.id in found
            else path
            for path in known.live
        ],
        documents={
            **known.documents,
            **{one["passage_id"]: one["document"] for some in found.values() for one in some},
        },
        queries=list(dict.fromkeys([*known.queries, *(_query(known, path) for path in searched)])),
    )


def _query(known: Tree, path: Live) -> str:
    return " ".join(filter(None, [known.query, path.last_answer]))


def _fetched(known: Tree, path: Live) -> list[str]:
    """Return the passages of the earlier answer, if the root continues from them."""
    goes_on = known.level == 1 and path.decision == "continue"
    return [one.passage_id for one in known.previous_relevance] if goes_on else []
