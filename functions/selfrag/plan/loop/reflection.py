"""The pass that judges an answer: its steps, its verdicts, and the answer's score."""

from collections.abc import Sequence

from selfrag.domain.ledger import in_order
from selfrag.domain.policy import Policy
from selfrag.plan import steps
from selfrag.plan.limits import has_room, share_usd
from selfrag.plan.loop.situation import Loop, Prepared, Worth
from selfrag.plan.passes import PlannedStep
from selfrag.plan.reports import Report, citation_repair, critique_of, entry_of, of_step

MOST_MISSING = 3
# Sums of weights that differ by less are equal.
DIGITS = 9
_WORTH = {"fully_supported": 1.0, "partially_supported": 0.5}


def reflections_of(known: Loop, policy: Policy) -> list[PlannedStep]:
    """Return IsSup and IsUse of the last answer, in parallel with the next query if the policy prepares one."""
    planned = []
    # A direct answer rests on no passages, so there is nothing to check it against.
    if not known.direct:
        more = {
            "may_repair": known.repairs() < policy.max_regenerations,
            "citations": [citation.model_dump(mode="json") for citation in known.draft.citations],
        }
        budget = share_usd(known, policy, 0.8)
        planned.append(steps.check_support("", known.draft.answer, known.evidence, budget, **more))
    planned.append(steps.judge("GradeUtility", "", known.draft.answer, share_usd(known, policy, 0.1)))
    return [*planned, steps.rewrite(known, policy, known.evidence)] if _prepares(known, policy) else planned


def _prepares(known: Loop, policy: Policy) -> bool:
    """Return whether to find the next query ahead.

    The writer's own phrases for what is missing come first, and an answer that they did not change is the last.
    """
    if policy.speculate != "full" or known.direct or known.has_query or known.ran("SearchWeb"):
        return False
    left = known.rewrites() < policy.max_rewrites and has_room(known, policy, policy.top_k + 10)
    changed = known.draft.answer != known.lacking
    return left and changed and not known.draft.missing


def with_verdicts(known: Loop, policy: Policy, reports: Sequence[Report]) -> Loop:
    """Return the state with the verdicts on the answer, the next query, and the best answer so far."""
    entries = [entry_of(one, known.turn) for one in reports if one.step != "RewriteQuestion"]
    for report in of_step(reports, "RewriteQuestion"):
        query = report.get("query", "")
        found = {} if report.result is None else {"prepared": known.check, "query": query}
        entries.append(entry_of(report, known.turn, **found))
        prepared = Prepared(query=query, new=report.get("new", False), after=len(known.queries))
        known = known.but(prepared=prepared)
    known = known.noted(in_order(entries))
    return _with_best(_judged(known, policy, reports), policy) if known.check else known.but(missing=[])


def _judged(known: Loop, policy: Policy, reports: Sequence[Report]) -> Loop:
    critique = critique_of(reports)
    use = critique.utility
    useful = "ungraded" if use.score is None else "yes" if use.score >= policy.min_utility else "no"
    failed = [claim for claim in critique.support.claims if claim.support != "full"]
    phrases = dict.fromkeys([*(claim.missing for claim in failed), *known.draft.missing])
    repair = next((citation_repair(report) for report in of_step(reports, "GradeSupport")), {})
    return known.but(
        draft=known.draft.model_copy(update={**dict(critique), **repair}),
        useful=useful,
        useless=known.useless + (useful == "no"),
        failed_claims=[claim.claim for claim in failed],
        missing=[phrase for phrase in phrases if phrase and phrase not in known.queries][:MOST_MISSING],
    )


def _with_best(known: Loop, policy: Policy) -> Loop:
    """Return the state with the best answer so far, and the best of little use; of equal ones the later is better.

    An answer without support is never the best.
    """
    worth = _worth(known, policy)
    if known.draft.support.level == "no_support" or (known.draft.direct and known.useful != "yes"):
        return known
    if known.useful == "no":
        return known.but(little=known.draft, little_score=worth) if worth >= known.little_score else known
    return known.but(best=known.draft, best_score=worth) if worth >= known.best_score else known


def _worth(known: Loop, policy: Policy) -> Worth:
    """Return the weighted sum of the last answer's verdicts (arXiv 2310.11511, 4.3), and what breaks ties.

    IsRel is that of the most relevant passage: with a mean, an answer would lose by resting on one passage more.
    """
    draft, weights = known.draft, policy.weights
    scores = [verdict.score or 0.0 for verdict in known.relevance if verdict.relevant]
    use = -1.0 if draft.utility.score is None else (draft.utility.score - 3) / 2
    support = _WORTH.get(draft.support.level, 0.0)
    total = weights.rel * max(scores, default=0.0) + weights.sup * support + weights.use * use
    full = sum(claim.support == "full" for claim in draft.support.claims)
    return round(total, DIGITS), -len(draft.not_said), full
