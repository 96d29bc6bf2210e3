"""The passes of a gathering: search, read the passages, and take in the results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from selfrag.domain.ledger import Entry
from selfrag.domain.policy import Policy
from selfrag.plan import steps
from selfrag.plan.limits import share_usd, was_throttled
from selfrag.plan.loop.situation import Loop, Mode
from selfrag.plan.passes import AT_ONCE, AT_ONCE_WHEN_THROTTLED, PlannedStep
from selfrag.plan.reports import Report, entry_of, most_text_hits


@dataclass(frozen=True)
class Traits:
    """The extras that a strategy asks of its readers: the question's complexity, and a passage's strips (CRAG)."""

    complexity: bool = False
    strips: bool = False


def searches_of(known: Loop, policy: Policy) -> list[PlannedStep]:
    """Return the searches of a gathering: of the documents, of the web, or of both."""
    gathering, found = known.gathering, []
    if gathering.queries or gathering.passage_ids:
        asked = {"queries": gathering.queries, "passage_ids": gathering.passage_ids, "shared": bool(gathering.web)}
        found.append(steps.retrieve(known, policy.top_k, asked))
    if gathering.web:
        found.append(steps.search_web(known, gathering.web, policy.top_k, shared=bool(gathering.queries)))
    return found


def with_searches(known: Loop, reports: Sequence[Report]) -> Loop:
    """Return the state with the passages of the searches; known passages are not read again."""
    found = [one for report in reports for one in report.get("found", [])]
    brought = [one["passage_id"] for one in found]
    gathering = known.gathering
    fresh = [] if gathering.passage_ids else [one for one in brought if one not in known.seen]
    entries = [_search_entry(known, report) for report in reports]
    return known.noted(entries).but(
        text_hits=most_text_hits(known, reports),
        documents={**known.documents, **{one["passage_id"]: one["document"] for one in found}},
        gathering=gathering.model_copy(
            update={
                "brought": brought,
                "fresh": list(dict.fromkeys(fresh)),
                "folded": [passage_id for report in reports for passage_id in report.get("folded", [])],
                "bytes": sum(report.get("bytes", 0) for report in reports),
                "broken": any(report.error for report in reports),
            }
        ),
    )


def _search_entry(known: Loop, report: Report) -> Entry:
    if report.error or report.step != "Retrieve":
        return entry_of(report, known.turn)
    return entry_of(report, known.turn, aim=known.gathering.aim, brought=len(report.get("found", [])))


def readings_of(known: Loop, policy: Policy, traits: Traits) -> list[PlannedStep]:
    """Return the reading steps: the texts to write, the decision, and the passages to grade."""
    gathering = known.gathering
    modes = [mode for mode in gathering.write if mode == "direct" or _has_something_to_say(known)]
    wanted: list[PlannedStep] = [_text(known, policy, mode) for mode in modes]
    if gathering.decide:
        wanted.append(steps.decide(policy, {"complexity": traits.complexity}))
    graded = gathering.fresh if gathering.grade else []
    lower = policy.lower_threshold if traits.strips else None
    budget = share_usd(known, policy, 0.3 / len(graded)) if graded else None
    return wanted + [steps.grade(policy, one, one, budget, lower_threshold=lower) for one in graded]


def at_once(known: Loop, planned: Sequence[PlannedStep]) -> int:
    """Return the number of steps that may run at once: two graders at a time once the model was throttled."""
    if not was_throttled(known):
        return AT_ONCE
    return AT_ONCE_WHEN_THROTTLED + sum(step.step != "GradeRelevance" for step in planned)


def _has_something_to_say(known: Loop) -> bool:
    """Return whether there is anything to write from; a search without new passages allows only a repair."""
    gathering = known.gathering
    return not gathering.searches or bool(gathering.fresh or known.failed_claims)


def _text(known: Loop, policy: Policy, mode: Mode) -> PlannedStep:
    gathering = known.gathering
    ids = [] if mode == "direct" else [*known.evidence, *gathering.fresh]
    task: dict[str, Any] = {"draft": known.draft.answer, "failed_claims": known.failed_claims}
    if kept := {one: strips for one, strips in known.strips.items() if one in ids and strips}:
        task["strips"] = kept
    return steps.write(mode, mode, ids, share_usd(known, policy, 0.6 / len(gathering.write)), **task)
