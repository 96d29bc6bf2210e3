"""candidates: an answer from each passage with a critique of its own; the best one wins (arXiv 2310.11511, 3.3)."""

from collections.abc import Sequence

from selfrag.domain.answers import Draft
from selfrag.domain.scores.critiqued import Critiqued
from selfrag.domain.scores.shown import Scores
from selfrag.plan import steps
from selfrag.plan.contest.critiques import WITHOUT_ONE, Critiquing
from selfrag.plan.contest.situation import Candidate, Compared, Contest, Source, weighed, with_entries
from selfrag.plan.passes import Plan, PlannedStep, count
from selfrag.plan.reports import Report, entry_of, most_text_hits, of_step, retrieval_of
from selfrag.plan.strategy import NO_TIME

Move = tuple[Contest, Plan]
SOURCES = {
    "documents": "search the documents",
    "previous": "fetch the earlier evidence",
    "web": "search the web",
    "direct": "answer without documents",
}


class Candidates(Critiquing):
    """The answers, passage by passage, and the best of them."""

    def begin(self, known: Contest) -> Move:
        """Decide whether to search, unless the policy says so; with `full`, answer from the documents meanwhile."""
        known = known.but(query=known.brief.question)
        if self.policy.retrieval != "adaptive":
            source: Source = "direct" if self.policy.retrieval == "never" else "documents"
            return self.gather(known, source, f"The policy says {self.policy.retrieval}")
        # Claude words the query of a follow-up as it decides.
        if self.policy.speculate == "full" and (self.by_selfrag or not known.brief.previous.answer):
            return self.gather(known, "documents", "Ahead of the decision", decides=True)
        return self.gather(known, "", "", decides=True)

    def gather(self, known: Contest, source: Source, why: str, *, decides: bool = False) -> Move:
        """Begin to answer from a source: search it, where it has passages."""
        fresh = {"brought": [], "fresh": [], "new_bytes": 0, "items": [], "stopped": ""}
        known = known.but(source=source, decides=decides, since=len(known.ledger), turn=known.turn + 1, **fresh)
        if source == "":
            return self.read(known, "Decide whether a search is needed.")
        if source == "direct":
            return self.read(known.but(items=[Candidate(passage_id=None)]), f"{why}: {SOURCES[source]}.")
        ids = [one.passage_id for one in known.previous_relevance] if source == "previous" else []
        asked = {"queries": [known.query], "passage_ids": ids}
        planned = steps.retrieve(known, self.policy.top_k, asked)
        if source == "web":
            planned = steps.search_web(known, known.query, self.policy.top_k)
        return self.run(known.but(stage="search"), [planned], f"{why}: {SOURCES[source]}.")

    def go_on(self, known: Contest, reports: Sequence[Report]) -> Move:
        """Take in the steps' reports, and return the next pass."""
        after = {
            "search": self.searched,
            "read": self.readings,
            "write": self.texts,
            "reflect": self.critiques,
            "pick": self.picked,
        }
        return after[known.stage](known, reports)

    def searched(self, known: Contest, reports: Sequence[Report]) -> Move:
        """Take in the passages of the search; only new ones are answered from."""
        (report,) = reports
        found = report.get("found", [])
        brought = [one["passage_id"] for one in found]
        more = {"brought": len(found)} if report.step == "Retrieve" and report.result is not None else {}
        fresh = [one for one in brought if one not in known.seen]
        known = known.noted([entry_of(report, known.turn, **more)]).but(
            documents={**known.documents, **{one["passage_id"]: one["document"] for one in found}},
            text_hits=most_text_hits(known, reports),
            brought=[*brought, *report.get("folded", [])],
            fresh=fresh,
            new_bytes=report.get("bytes", 0),
            items=[Candidate(passage_id=one) for one in fresh],
        )
        return self.read(known, f"{count(len(fresh), 'new passage')}: an answer from each.")

    def decided(self, known: Contest, reports: Sequence[Report]) -> Move:
        """Take in the decision; speculative work is kept only if the decision calls for it."""
        verdict = next(retrieval_of(report) for report in of_step(reports, "DecideRetrieval"))
        wanted = self.wanted(known, verdict.decision)
        known = with_entries(known, reports, taken=wanted == known.source)
        known = known.but(retrieval=verdict, query=verdict.query or known.query, decides=False)
        if wanted != known.source:
            why = "No search is needed" if wanted == "direct" else "A search is needed"
            return self.compose(known, NO_TIME) if self.is_late(known) else self.gather(known, wanted, why)
        if self.by_selfrag:
            return self.critiqued(known, reports)
        if known.stopped or not known.items:
            return self.gathered(known, [])
        if self.is_late(known):
            return self.compose(known.but(queries=self.queries_of(known)), NO_TIME)
        # Speculative answers wait for their judges, if there is room for them.
        unpaid = [item.model_copy(update={"spent_usd": 0.0}) for item in known.items]
        known = weighed(known.but(items=unpaid), self.policy, self.now_ms, WITHOUT_ONE)
        return self.gathered(known, []) if known.stopped else self.write(known)

    def wanted(self, known: Contest, decision: str) -> Source:
        """Return the source that a decision calls for."""
        if decision == "no":
            return "direct"
        return "previous" if decision == "continue" and known.previous_relevance else "documents"

    def gathered(self, known: Contest, done: list[Critiqued]) -> Move:
        """Take in the answers from a source; a direct answer goes out as it was judged, others are compared."""
        known = known.but(
            items=[],
            seen=[*known.seen, *known.brought],
            bytes=known.bytes + known.new_bytes,
            relevance=[*known.relevance, *(one.relevance for one in done if one.relevance)],
        )
        known = known.but(queries=self.queries_of(known))
        if known.source == "direct" and not known.stopped:
            return self.answered(known, done)
        failed = [one.step for one in known.ledger[known.since :] if one.error and one.step in ("Retrieve", "Generate")]
        if failed and not done:
            return self.compose(known, f"{failed[0]} failed")
        compared = Compared(candidates=[*known.compared.candidates, *done])
        ungraded = all(one.relevance is None or one.relevance.label == "ungraded" for one in done)
        known = known.but(compared=compared, stage="pick", ungraded=bool(done) and ungraded)
        task = {
            "constraints": self.policy.constraints,
            "weights": self.policy.weights.model_dump(),
            "generator": self.policy.generator,
            "choices": self.policy.choices or [],
            "documents": known.documents,
            "stopped": known.stopped,
        }
        why = f"{count(len(compared.candidates), 'answer')}: compare them."
        return self.run(known.but(turn=known.turn + 1), [PlannedStep(step="PickCandidate", task=task)], why)

    def queries_of(self, known: Contest) -> list[str]:
        """Return the queries that were searched; all sources are searched for the same one."""
        searched = known.source in ("documents", "web")
        return [known.query] if searched and not known.queries else known.queries

    def answered(self, known: Contest, done: Sequence[Critiqued]) -> Move:
        """Let a direct answer go out; without one, search the documents."""
        written = [one for one in done if one.answer]
        if written:
            draft = {**written[0].model_dump(include=set(Draft.model_fields)), "direct": True}
            return self.compose(known.but(draft=Draft.model_validate(draft)), "An answer without documents goes out")
        failed = any(entry.error for entry in known.ledger if not entry.waste)
        if self.policy.retrieval == "adaptive" and not failed:
            return self.gather(known, "documents", "Without documents there is no answer")
        return self.compose(known, "Without documents there is no answer")

    def picked(self, known: Contest, reports: Sequence[Report]) -> Move:
        """Let the winner go out; without one, try the documents after earlier evidence, then the web, once.

        If no verdict could be had at all, another search would not help.
        """
        (report,) = reports
        known = known.noted([entry_of(report, known.turn)])
        if report.result is None:
            return self.compose(known, f"The answers could not be compared ({report.error})")
        winner = report.result.get("winner")
        known = known.but(
            scores=Scores.model_validate(report.result["scores"]),
            best=Draft.model_validate(winner) if winner else known.best,
        )
        if known.best.answer or known.stopped:
            return self.compose(known, "The best answer goes out" if winner else f"No room is left ({known.stopped})")
        if self.is_late(known) or known.ungraded:
            return self.compose(known, "No passage could be graded" if known.ungraded else NO_TIME)
        if known.source == "previous":
            return self.gather(known, "documents", "The earlier evidence holds no answer")
        if self.policy.web_search and known.source != "web":
            return self.gather(known, "web", "No answer is left")
        return self.compose(known, "No answer is left, and no try")
