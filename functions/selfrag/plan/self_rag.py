"""self_rag and adaptive: search, answer, judge, then repair or search again (arXiv 2310.11511)."""

from collections.abc import Sequence

from selfrag.domain.answers import Draft
from selfrag.domain.fields import MAX_QUERY_CHARACTERS
from selfrag.domain.ledger import sort_by_path
from selfrag.domain.scores.critiqued import LEVELS, utility_score
from selfrag.domain.steps import GradeSupportParameters, GradeUtilityParameters, RewriteQuestionResult
from selfrag.domain.verdicts import SupportLevel
from selfrag.plan.limits import has_room, share_usd
from selfrag.plan.loop import (
    Cycle,
    CycleResult,
    Loop,
    LoopState,
    Mode,
    Next,
    PreparedQuery,
    Worth,
    draft_in_words,
)
from selfrag.plan.passes import PlannedStep, count, rewrite
from selfrag.plan.reports import (
    GenerateReport,
    Report,
    citation_repair,
    critique_of,
    entry_of,
)
from selfrag.plan.strategy import NO_TIME

# Number of useless answers after which the best one is returned.
MAX_USELESS = 2
MAX_MISSING = 3
# Tolerance for comparing weighted sums.
DIGITS = 9
# As a model judges it, and as a rule does.
SUPPORT: dict[SupportLevel, tuple[str, str]] = {
    "fully_supported": ("fully supported", "found word for word"),
    "partially_supported": ("partly supported", "partly found word for word"),
    "no_support": ("not supported", "not found word for word"),
    "ungraded": ("support not graded", "support not graded"),
}


class SelfRag(Loop):
    """The loop with its judges."""

    def begin(self, state: LoopState) -> Next:
        """Decide whether to search; with speculation, search and draft in parallel.

        A follow-up's search waits for the decision, which words its query.
        """
        ahead, question = self.policy.speculate, state.brief.question
        waits = ahead == "off" or bool(state.brief.previous.answer)
        drafts: list[Mode] = [] if waits else ["grounded"]
        first = Cycle(
            decide=True,
            queries=[] if waits else [question],
            write=[*drafts, "direct"] if ahead == "full" else drafts,
        )
        why = "Search ahead of the decision." if first.queries else "Decide whether a search is needed."
        return self.begin_cycle(state.replace(query=question), first, why)

    def go_on(self, state: LoopState, reports: Sequence[Report]) -> Next:
        """Process the reports and return the next pass."""
        if state.stage != "reflect":
            return super().go_on(state, reports)
        state = self.add_verdicts(state, reports)
        if self.is_late(state):
            return self.compose(state, NO_TIME)
        if state.check:
            return self.judge(state)
        return self.take_query(state, "A query was found")

    def accept_answer(self, state: LoopState, evidence: CycleResult, answer: GenerateReport) -> Next:
        """Judge the answer; a refused or empty reply is not the search's fault."""
        if not state.reflects:
            return super().accept_answer(state, evidence, answer)
        if answer.text.answered:
            state = state.replace(stage="reflect", check=True, turn=state.turn + 1)
            return self.run(state, self.reflections(state), f"{draft_in_words(state, evidence)}: judge it.")
        if answer.flaw:
            return self.compose(state, f"The writer gave no answer ({answer.flaw})")
        if state.direct:
            return self.first_search(state.replace(direct=False), "Without documents there is no answer")
        return self.next_try(state, "The passages do not hold the answer")

    def reflections(self, state: LoopState) -> list[PlannedStep]:
        """Return the IsSup and IsUse steps, with the next query in parallel if the policy prepares one."""
        planned = []
        # A direct answer has no passages to check against.
        if not state.direct:
            support = GradeSupportParameters(
                answer=state.draft.answer,
                citations=state.draft.citations,
                may_repair=state.repairs() < self.policy.max_regenerations,
                may_search=state.rewrites() < self.policy.max_rewrites or self.may_search_web(state),
                budget_usd=share_usd(state, self.policy, 0.8),
            )
            planned.append(PlannedStep(task=support, passage_ids=state.evidence))
        budget = share_usd(state, self.policy, 0.1)
        use = GradeUtilityParameters(answer=state.draft.answer, min_utility=self.policy.min_utility, budget_usd=budget)
        planned.append(PlannedStep(task=use))
        if self.prepares_query(state):
            planned.append(rewrite(state, self.policy, state.evidence))
        return planned

    def prepares_query(self, state: LoopState) -> bool:
        """Return whether to prepare the next query.

        The writer's search phrases take priority, and an unchanged answer is final.
        """
        if self.policy.speculate != "full" or state.direct or state.has_query or state.ran("SearchWeb"):
            return False
        left = state.rewrites() < self.policy.max_rewrites and has_room(state, self.policy, self.policy.top_k + 10)
        changed = state.draft.answer != state.lacking
        return left and changed and not state.draft.missing

    def add_verdicts(self, state: LoopState, reports: Sequence[Report]) -> LoopState:
        """Add the verdicts, the next query and the best answer so far."""
        entries = []
        for report in reports:
            if report.step != "RewriteQuestion" or report.result is None:
                entries.append(entry_of(report, state.turn))
            else:
                entries.append(entry_of(report, state.turn, prepared=state.check, query=report.result.query))
            if report.step == "RewriteQuestion":
                rewritten = report.result or RewriteQuestionResult()
                prepared = PreparedQuery(query=rewritten.query, new=rewritten.new, after=len(state.queries))
                state = state.replace(prepared=prepared)
        state = state.add_entries(sort_by_path(entries))
        return self.update_best(self.add_critique(state, reports)) if state.check else state.replace(missing=[])

    def add_critique(self, state: LoopState, reports: Sequence[Report]) -> LoopState:
        """Add the verdicts and the answer's gaps."""
        critique, repair = critique_of(reports), citation_repair(reports)
        use = critique.utility
        useful = "ungraded" if use.score is None else "yes" if use.score >= self.policy.min_utility else "no"
        failed = [claim for claim in critique.support.claims if claim.support != "full"]
        phrases = dict.fromkeys([*(claim.missing for claim in failed), *state.draft.missing])
        # Decision models name no phrase; failed sentences become search phrases.
        own = [claim.missing for claim in failed if " ".join(claim.claim.split()).startswith(claim.missing or "\n")]
        draft = state.draft.replace(**dict(critique))
        if repair:
            draft = draft.replace(answer=repair.answer, citations=repair.citations, repaired=repair.repaired)
        return state.replace(
            draft=draft,
            useful=useful,
            useless=state.useless + (useful == "no"),
            failed_claims=[claim.claim for claim in failed],
            statements=list(dict.fromkeys([*state.statements, *own])),
            missing=[phrase for phrase in phrases if phrase and phrase not in state.queries][:MAX_MISSING],
        )

    def update_best(self, state: LoopState) -> LoopState:
        """Update the best answer and the best useless one; a later answer wins ties.

        An unsupported answer is never the best.
        """
        worth = self.worth(state)
        if state.draft.support.level == "no_support" or (state.draft.direct and state.useful != "yes"):
            return state
        if state.useful == "no":
            return state.replace(little=state.draft, little_score=worth) if worth >= state.little_score else state
        return state.replace(best=state.draft, best_score=worth) if worth >= state.best_score else state

    def worth(self, state: LoopState) -> Worth:
        """Return the last answer's weighted verdicts (arXiv 2310.11511, 4.3) and tie-breakers.

        IsRel is that of the best passage: a mean would penalize additional passages.
        """
        draft, weights = state.draft, self.policy.weights
        scores = [verdict.score or 0.0 for verdict in state.relevance if verdict.relevant]
        support = LEVELS[draft.support.level or "ungraded"]
        total = (
            weights.rel * max(scores, default=0.0) + weights.sup * support + weights.use * utility_score(draft.utility)
        )
        full = sum(claim.support == "full" for claim in draft.support.claims)
        return round(total, DIGITS), -len(draft.not_said), full

    def judge(self, state: LoopState) -> Next:
        """Accept the answer, search for gaps, repair it, or try another search.

        A missing verdict ends the question, since retrying would not produce a pass. An unsupported answer continues
        while a search is left, but two from the same evidence end the search.
        """
        level, verdicts, useful = state.draft.support.level, verdicts_in_words(state, state.draft), state.useful
        if (useful == "ungraded" and level != "no_support") or (level == "ungraded" and not state.direct):
            return self.finish(state, ", and asking again would not make it a pass")
        lacks = self.may_search_missing(state)
        if useful == "yes" and (state.direct or (level == "fully_supported" and not lacks)):
            return self.finish(state)
        if state.direct:
            return self.first_search(state.replace(direct=False), verdicts)
        if level == "no_support":
            if state.unsupported == state.evidence:
                state = state.replace(stalled=True, failed_claims=[])
                return self.next_try(state, f"{verdicts}, twice from the same evidence")
            state = state.replace(unsupported=state.evidence)
        if lacks:
            return self.search_missing(state, verdicts)
        if state.useless >= MAX_USELESS and level != "no_support":
            return self.finish(state, ", little use again")
        if self.may_repair(state):
            return self.repair(state, verdicts)
        if useful == "yes" and level != "no_support":
            return self.finish(state, ", and nothing is left to mend it")
        return self.next_try(state, verdicts)

    def finish(self, state: LoopState, why: str = "") -> Next:
        """End with the verdicts as the reason."""
        best = _accept_little(state).best
        it_is = "" if best.answer and best != state.draft else ": it is returned"
        return self.compose(state, f"{verdicts_in_words(state, state.draft)}{why}{it_is}")

    def compose(self, state: LoopState, why: str) -> Next:
        """End with a reason that describes the returned answer.

        Without a better one, a supported but less useful answer is returned with its verdicts.
        """
        state = _accept_little(state)
        verdicts = verdicts_in_words(state, state.best)
        if state.best.answer and verdicts not in why:
            why = f"{why}; the best answer so far is returned: {verdicts}"
        return super().compose(state, why)

    def next_try(self, state: LoopState, why: str) -> Next:
        """Try another query, then the web once, then a repair, then return the best answer.

        After insufficient earlier evidence, the query is the decision's.
        """
        if self.is_late(state) or not state.reflects:
            return self.compose(state, why)
        if not state.queries:
            return self.first_search(state.replace(check=False, failed_claims=[]), why)
        if self.may_rewrite(state):
            left = f"{self.policy.max_rewrites - state.rewrites()} of {self.policy.max_rewrites} rewrites left"
            return self.find_query(state.replace(seeks="rewritten"), why, f"{left}: find another query")
        if self.may_search_web(state):
            web = Cycle(web=state.query)
            return self.begin_cycle(state.replace(failed_claims=[]), web, f"{why}: search the web.")
        return self.repair(state, why) if self.may_repair(state) else self.compose(state, f"{why}, and no try is left")

    def find_query(self, state: LoopState, why: str, aim: str) -> Next:
        """Search for the prepared query, or find one first."""
        state = state.replace(check=False)
        if state.has_query:
            return self.take_query(state, why)
        state = state.replace(stage="reflect", turn=state.turn + 1)
        return self.run(state, [rewrite(state, self.policy, state.evidence)], f"{why}, {aim}.")

    def may_rewrite(self, state: LoopState) -> bool:
        """Return whether another query may help: the last was new, and one of the last two found evidence.

        The web is the last resort: no query is tried after it.
        """
        searches = [entry for entry in state.ledger if entry.step == "Retrieve"]
        helps = sum(entry.useful == 0 for entry in searches[-2:]) < 2 and not state.stalled
        left = state.rewrites() < self.policy.max_rewrites and has_room(state, self.policy, self.policy.top_k + 7)
        return helps and left and not state.ran("SearchWeb")

    def take_query(self, state: LoopState, why: str) -> Next:
        """Search for the new query; a repeated one is no progress."""
        if not state.prepared.new:
            state = state.replace(stalled=True)
            if state.seeks == "missing":
                # The same verdict twice is not a second failure.
                return self.judge(state.replace(unsupported=[]))
            return self.next_try(state, "There is no query that was not tried")
        if state.seeks == "missing":
            return self.search_for(state, [state.prepared.query], why)
        search = self.search(state, [state.prepared.query]).replace(aim="rewritten")
        return self.begin_cycle(state.replace(failed_claims=[]), search, f"{why}: search for it.")

    def may_search_web(self, state: LoopState) -> bool:
        """Return whether the web may be searched, once per question."""
        unused = self.policy.web_search and not state.ran("SearchWeb")
        return unused and has_room(state, self.policy, self.policy.top_k + 6)

    def may_search_missing(self, state: LoopState) -> bool:
        """Return whether to search for missing facts, which counts as a rewrite.

        If the last search changed nothing, neither would another.
        """
        helps = not state.stalled and state.draft.answer != state.lacking
        lacks = bool(state.missing or state.draft.not_said) and helps
        sources = 1 if state.ran("SearchWeb") or not self.policy.web_search else 2
        left = state.rewrites() < self.policy.max_rewrites
        return lacks and left and has_room(state, self.policy, sources * self.policy.top_k + 7)

    def search_missing(self, state: LoopState, why: str) -> Next:
        """Search for gaps by the phrases of writer and grader, or find a query."""
        if state.missing:
            return self.search_for(state, state.missing, f"{why}: search for what is missing")
        if not state.queries:
            return self.first_search(state.replace(failed_claims=[]), why)
        return self.find_query(state.replace(seeks="missing"), why, "a part is not said: find a query for it")

    def search_for(self, state: LoopState, phrases: list[str], why: str) -> Next:
        """Search documents for missing facts, and the web unless already searched."""
        web = self.policy.web_search and not state.ran("SearchWeb")
        phrase = "; ".join(phrases)[:MAX_QUERY_CHARACTERS] if web else ""
        missing = self.search(state, phrases).replace(aim="missing", web=phrase)
        state = state.replace(lacking=state.draft.answer)
        return self.begin_cycle(state, missing, f"{why}, {count(len(phrases), 'phrase')}.")

    def may_repair(self, state: LoopState) -> bool:
        """Return whether to regenerate the answer without its failed claims."""
        unused = state.repairs() < self.policy.max_regenerations
        return state.useful == "yes" and bool(state.failed_claims) and unused and has_room(state, self.policy, 5)

    def repair(self, state: LoopState, why: str) -> Next:
        """Regenerate the answer without unsupported claims."""
        failed = count(len(state.failed_claims), "claim")
        return self.begin_cycle(state, Cycle(write=["grounded"], repair=True), f"{why}: repair {failed}.")


class Adaptive(SelfRag):
    """self_rag that skips grading and judging for questions classified as simple.

    No search, one search or the full loop, by complexity (Adaptive-RAG, arXiv 2403.14403).
    """

    complexity = True


def _accept_little(state: LoopState) -> LoopState:
    """Use a supported but less useful answer as the best, if there is none.

    An answer left unjudged for lack of time comes first.
    """
    supported = state.little.support.level in ("fully_supported", "partially_supported")
    unjudged = bool(state.draft.answer) and state.draft.support.ungraded and state.draft.utility.ungraded
    return state.replace(best=state.little) if supported and not state.best.answer and not unjudged else state


def verdicts_in_words(state: LoopState, draft: Draft) -> str:
    """Describe the verdicts on an answer."""
    score = draft.utility.score
    if draft.utility.judged_by == "rule" and score is not None:
        use = "use not judged"
    else:
        use = "use not graded" if score is None else f"of use {score} of 5 ({state.min_utility} asked for)"
    if draft.direct:
        return f"Without documents, {use}"
    claims = draft.support.claims
    full = sum(claim.support == "full" for claim in claims)
    of_claims = f" ({full} of {count(len(claims), 'claim')})" if claims else ""
    support = SUPPORT[draft.support.level or "ungraded"][draft.support.judged_by == "rule"]
    gaps = f", {count(len(draft.not_said), 'part')} not said" if draft.not_said else ""
    return f"{support[0].upper()}{support[1:]}{of_claims}, {use}{gaps}"
