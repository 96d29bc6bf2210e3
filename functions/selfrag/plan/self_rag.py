"""self_rag: search, answer, judge the answer, and repair it or search again (arXiv 2310.11511)."""

from collections.abc import Sequence

from selfrag.domain.fields import MAX_QUERY_CHARACTERS
from selfrag.plan import steps
from selfrag.plan.limits import has_room
from selfrag.plan.loop.answers import Answering, Move
from selfrag.plan.loop.outcome import Taken
from selfrag.plan.loop.reasons import drafted, judged
from selfrag.plan.loop.reflection import reflections_of, with_verdicts
from selfrag.plan.loop.situation import Gathering, Loop, Mode
from selfrag.plan.passes import count
from selfrag.plan.reports import Report
from selfrag.plan.strategy import NO_TIME

# The number of answers of little use after which the best one goes out.
MOST_USELESS = 2


class SelfRag(Answering):
    """The loop with its judges."""

    def begin(self, known: Loop) -> Move:
        """Decide whether to search; with speculation, search and draft ahead of the decision.

        The decision words the search of a follow-up, so that search waits.
        """
        ahead, question = self.policy.speculate, known.brief.question
        waits = ahead == "off" or bool(known.brief.previous.answer)
        drafts: list[Mode] = [] if waits else ["grounded"]
        first = Gathering(
            decide=True,
            queries=[] if waits else [question],
            write=[*drafts, "direct"] if ahead == "full" else drafts,
        )
        why = "Search ahead of the decision." if first.queries else "Decide whether a search is needed."
        return self.gather(known.but(query=question), first, why)

    def go_on(self, known: Loop, reports: Sequence[Report]) -> Move:
        """Take in the steps' reports, and return the next pass."""
        if known.stage != "reflect":
            return super().go_on(known, reports)
        known = with_verdicts(known, self.policy, reports)
        if self.is_late(known):
            return self.compose(known, NO_TIME)
        if known.check:
            return self.judge(known)
        return self.take_query(known, "A query was found")

    def answered(self, known: Loop, taken: Taken, text: Report) -> Move:
        """Judge an answer before it goes out; a refused or empty reply is no fault of the search."""
        if not known.reflects:
            return super().answered(known, taken, text)
        if text.get("found"):
            known = known.but(stage="reflect", check=True, turn=known.turn + 1)
            return self.run(known, reflections_of(known, self.policy), f"{drafted(known, taken)}: judge it.")
        if text.flaw:
            return self.compose(known, f"The writer gave no answer ({text.flaw})")
        if known.direct:
            return self.first_search(known.but(direct=False), "Without documents there is no answer")
        return self.next_try(known, "The passages do not hold the answer")

    def judge(self, known: Loop) -> Move:
        """Accept the answer; search for what it lacks; repair it; or try another search.

        Without a verdict the question ends, since a repeated request would not make it a pass. An answer without
        support never ends a question while a search is left.
        """
        level, verdicts, useful = known.draft.support.level, judged(known, known.draft), known.useful
        if (useful == "ungraded" and level != "no_support") or (level == "ungraded" and not known.direct):
            return self.finish(known, ", and asking again would not make it a pass")
        lacks = self.may_search_missing(known)
        if useful == "yes" and (known.direct or (level == "fully_supported" and not lacks)):
            return self.finish(known)
        if known.direct:
            return self.first_search(known.but(direct=False), verdicts)
        if lacks:
            return self.search_missing(known, verdicts)
        if known.useless >= MOST_USELESS and level != "no_support":
            return self.finish(known, ", little use again")
        if self.may_repair(known):
            return self.repair(known, verdicts)
        if useful == "yes" and level != "no_support":
            return self.finish(known, ", and nothing is left to mend it")
        return self.next_try(known, verdicts)

    def finish(self, known: Loop, why: str = "") -> Move:
        """Return the end after the verdicts on an answer."""
        best = _with_little(known).best
        it_is = "" if best.answer and best != known.draft else ": it is returned"
        return self.compose(known, f"{judged(known, known.draft)}{why}{it_is}")

    def compose(self, known: Loop, why: str) -> Move:
        """Return the end, whose reason describes the answer that is returned.

        Without a better answer, a supported one of little use is returned with its verdicts.
        """
        known = _with_little(known)
        verdicts = judged(known, known.best)
        if known.best.answer and verdicts not in why:
            why = f"{why}; the best answer so far is returned: {verdicts}"
        return super().compose(known, why)

    def next_try(self, known: Loop, why: str) -> Move:
        """Try another query while one may help; then the web, once; then a repair; then the best answer so far.

        After earlier evidence that was not enough, that is the query which the decision worded.
        """
        if self.is_late(known) or not known.reflects:
            return self.compose(known, why)
        if not known.queries:
            return self.first_search(known.but(check=False, failed_claims=[]), why)
        if self.may_rewrite(known):
            left = f"{self.policy.max_rewrites - known.rewrites()} of {self.policy.max_rewrites} rewrites left"
            return self.find_query(known.but(seeks="rewritten"), why, f"{left}: find another query")
        if self.may_search_web(known):
            web = Gathering(web=known.query)
            return self.gather(known.but(failed_claims=[]), web, f"{why}: search the web.")
        return self.repair(known, why) if self.may_repair(known) else self.compose(known, f"{why}, and no try is left")

    def find_query(self, known: Loop, why: str, aim: str) -> Move:
        """Search for the next query, which may be prepared; else find it first."""
        known = known.but(check=False)
        if known.has_query:
            return self.take_query(known, why)
        known = known.but(stage="reflect", turn=known.turn + 1)
        return self.run(known, [steps.rewrite(known, self.policy, known.evidence)], f"{why}, {aim}.")

    def may_rewrite(self, known: Loop) -> bool:
        """Return whether another query may help: the last search was new, and one of the last two found evidence.

        The web is the last resort: after it no other query is tried.
        """
        helps = known.fruitless() < 2 and not known.stalled
        left = known.rewrites() < self.policy.max_rewrites and has_room(known, self.policy, self.policy.top_k + 7)
        return helps and left and not known.ran("SearchWeb")

    def take_query(self, known: Loop, why: str) -> Move:
        """Search for the new query; one that was tried before is no progress."""
        if not known.prepared.new:
            known = known.but(stalled=True)
            if known.seeks == "missing":
                return self.judge(known)
            return self.next_try(known, "There is no query that was not tried")
        if known.seeks == "missing":
            return self.search_for(known, [known.prepared.query], why)
        search = self.search(known, [known.prepared.query]).model_copy(update={"aim": "rewritten"})
        return self.gather(known.but(failed_claims=[]), search, f"{why}: search for it.")

    def may_search_web(self, known: Loop) -> bool:
        """Return whether the web may be searched, once per question."""
        unused = self.policy.web_search and not known.ran("SearchWeb")
        return unused and has_room(known, self.policy, self.policy.top_k + 6)

    def may_search_missing(self, known: Loop) -> bool:
        """Return whether to search for missing facts: a search counts as a rewrite.

        Once the last search brought nothing new, or changed nothing of the answer, another one would not either.
        """
        helps = not known.stalled and known.draft.answer != known.lacking
        lacks = bool(known.missing or known.draft.not_said) and helps
        sources = 1 if known.ran("SearchWeb") or not self.policy.web_search else 2
        left = known.rewrites() < self.policy.max_rewrites
        return lacks and left and has_room(known, self.policy, sources * self.policy.top_k + 7)

    def search_missing(self, known: Loop, why: str) -> Move:
        """Search for the facts that the answer lacks: by the phrases of writer and grader, else by a query to find."""
        if known.missing:
            return self.search_for(known, known.missing, f"{why}: search for what is missing")
        if not known.queries:
            return self.first_search(known.but(failed_claims=[]), why)
        return self.find_query(known.but(seeks="missing"), why, "a part is not said: find a query for it")

    def search_for(self, known: Loop, phrases: list[str], why: str) -> Move:
        """Search for missing facts in the documents, and in the web unless that was searched."""
        web = self.policy.web_search and not known.ran("SearchWeb")
        phrase = "; ".join(phrases)[:MAX_QUERY_CHARACTERS] if web else ""
        missing = self.search(known, phrases).model_copy(update={"aim": "missing", "web": phrase})
        known = known.but(lacking=known.draft.answer)
        return self.gather(known, missing, f"{why}, {count(len(phrases), 'phrase')}.")

    def may_repair(self, known: Loop) -> bool:
        """Return whether to write the answer again, told which claims failed."""
        unused = known.repairs() < self.policy.max_regenerations
        return known.useful == "yes" and bool(known.failed_claims) and unused and has_room(known, self.policy, 5)

    def repair(self, known: Loop, why: str) -> Move:
        """Write the answer again without the claims that the passages do not support."""
        failed = count(len(known.failed_claims), "claim")
        return self.gather(known, Gathering(write=["grounded"], repair=True), f"{why}: repair {failed}.")


def _with_little(known: Loop) -> Loop:
    """Return the state with a supported answer of little use as the best, if there is no other.

    An answer that time left unjudged is returned before one of little use.
    """
    supported = known.little.support.level in ("fully_supported", "partially_supported")
    unjudged = bool(known.draft.answer) and known.draft.support.ungraded and known.draft.utility.ungraded
    return known.but(best=known.little) if supported and not known.best.answer and not unjudged else known
