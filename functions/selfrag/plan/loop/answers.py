"""The common part of the loop's strategies: search, read and answer."""

from collections.abc import Sequence
from typing import ClassVar

from selfrag.domain.answers import NEAREST
from selfrag.domain.verdicts import nearest
from selfrag.plan.loop.gathering import Traits, at_once, readings_of, searches_of, with_searches
from selfrag.plan.loop.outcome import Taken, take_in
from selfrag.plan.loop.reasons import drafted, relevant
from selfrag.plan.loop.situation import Gathering, Loop
from selfrag.plan.passes import Plan, PlannedStep, count
from selfrag.plan.reports import Report
from selfrag.plan.strategy import NO_TIME, Strategy

Move = tuple[Loop, Plan]


class Answering(Strategy[Loop]):
    """The loop without judges; a strategy overrides the decisions that differ."""

    Known = Loop
    traits: ClassVar[Traits] = Traits()

    def begin(self, known: Loop) -> Move:
        """Search for the question, and answer from all passages found."""
        first = Gathering(queries=[known.brief.question], grade=False, write=["grounded"])
        return self.gather(known.but(reflects=False), first, "Search for the question.")

    def go_on(self, known: Loop, reports: Sequence[Report]) -> Move:
        """Take in the steps' reports, and return the next pass."""
        if known.stage == "search":
            return self.read(with_searches(known, reports))
        return self.gathered(known, reports)

    def gather(self, known: Loop, gathering: Gathering, why: str) -> Move:
        """Begin a gathering: with its searches, or with the reading if it has none."""
        begun = gathering.model_copy(update={"since": len(known.ledger)})
        known = known.but(gathering=begun, turn=known.turn + 1)
        searches = searches_of(known, self.policy)
        return self.run(known.but(stage="search"), searches, why) if searches else self.read(known, why)

    def read(self, known: Loop, why: str = "") -> Move:
        """Read the passages, as far as the gathering says; go on at once if there is nothing to read."""
        readings = readings_of(known, self.policy, self.traits)
        if not readings:
            return self.gathered(known, [])
        return self.run(known.but(stage="read"), readings, why or _reading(known, readings))

    def gathered(self, known: Loop, reports: Sequence[Report]) -> Move:
        """Take in the results of a gathering, and decide what follows."""
        known, taken = take_in(known, self.policy, self.traits, reports)
        if self.is_late(known):
            return self.compose(known, NO_TIME)
        if taken.answer:
            return self.answered(known, taken, taken.answer)
        if known.direct:
            return self.gather(known, Gathering(write=["direct"]), "No search is needed: answer without documents.")
        if known.recall:
            ids = [verdict.passage_id for verdict in known.previous_relevance]
            why = f"The earlier evidence will do: fetch its {count(len(ids), 'passage')} again."
            return self.gather(known, Gathering(passage_ids=ids), why)
        if known.gathering.broken and not taken.new and not known.gathering.web:
            return self.compose(known, "The search failed")
        return self.found(known, taken)

    def found(self, known: Loop, taken: Taken) -> Move:
        """Answer from the evidence, or search: for the first time, or in another way.

        If no passage could be graded, the grader is down, and another search would not help.
        """
        if taken.found:
            drafted = "; the draft cites others" if known.gathering.write else ""
            why = f"{relevant(taken)}{drafted}: answer from the evidence."
            return self.gather(known, Gathering(write=["grounded"]), why)
        if not known.gathering.searches:
            return self.first_search(known, "A search is needed")
        if taken.new and taken.ungraded == taken.new:
            return self.compose(known, f"None of {count(taken.new, 'passage')} could be graded")
        return self.next_try(known, relevant(taken))

    def first_search(self, known: Loop, why: str) -> Move:
        """Search for the question; for a follow-up, in the words that stand alone."""
        worded = known.retrieval.query if known.retrieval else ""
        return self.gather(known, self.search(known, [worded or known.brief.question]), f"{why}: search the documents.")

    def search(self, known: Loop, queries: list[str]) -> Gathering:
        """Return a search; a draft is written in parallel with the grades, unless speculation is off."""
        waits = self.policy.speculate == "off" and known.reflects
        return Gathering(queries=queries, grade=known.reflects, write=[] if waits else ["grounded"])

    def answered(self, known: Loop, taken: Taken, text: Report) -> Move:
        """Let the answer go out unchecked."""
        if text.get("found"):
            return self.compose(known, f"{drafted(known, taken)}: it goes out, and nothing of it is checked")
        return self.compose(known, "The passages do not hold the answer")

    def next_try(self, known: Loop, why: str) -> Move:
        """End: there is no other try."""
        return self.compose(known, why)

    def run(self, known: Loop, planned: list[PlannedStep], why: str) -> Move:
        """Return the pass that runs these steps."""
        # An abstention shows what came nearest in the documents, though nothing is written from it.
        near = nearest(known.relevance)[:NEAREST]
        keep = list(dict.fromkeys([*known.evidence, *known.gathering.fresh, *near]))
        return known, Plan(why=why, turn=known.turn, steps=planned, keep=keep, at_once=at_once(known, planned))


def _reading(known: Loop, readings: Sequence[PlannedStep]) -> str:
    """Return the reason of these reading steps."""
    kinds = {step.step for step in readings}
    does = {"GradeRelevance": "grade them", "DecideRetrieval": "decide whether they are needed", "Generate": "draft"}
    words = ", ".join(word for step, word in does.items() if step in kinds)
    return f"{count(len(known.gathering.fresh), 'new passage')}: {words}."
