"""corrective: grade the passages, and correct them by the web and by strips (CRAG, arXiv 2401.15884, 4.3)."""

from selfrag.plan.limits import has_room
from selfrag.plan.loop.answers import Answering, Move
from selfrag.plan.loop.gathering import Traits
from selfrag.plan.loop.outcome import Taken
from selfrag.plan.loop.reasons import relevant
from selfrag.plan.loop.situation import Gathering, Loop
from selfrag.plan.passes import count


class Corrective(Answering):
    """The loop that grades passages and judges no answer."""

    traits = Traits(strips=True)

    def begin(self, known: Loop) -> Move:
        """Search for the question and grade the passages; the answer rests on those that are kept."""
        first = Gathering(queries=[known.brief.question])
        return self.gather(known.but(reflects=False), first, "Search for the question.")

    def found(self, known: Loop, taken: Taken) -> Move:
        """Answer from relevant passages; without any, search the web next to ambiguous ones, or alone."""
        if self.needs_web(known, taken):
            return self.gather(known, Gathering(web=known.brief.question), f"{relevant(taken)}: search the web.")
        if known.evidence:
            why = f"{relevant(taken)}: answer from {count(len(known.evidence), 'passage')}."
            return self.gather(known, Gathering(write=["grounded"]), why)
        return super().found(known, taken)

    def needs_web(self, known: Loop, taken: Taken) -> bool:
        """Return whether the documents fall short; if no passage could be graded, they do not."""
        wanting = not any(verdict.label == "relevant" for verdict in taken.verdicts)
        graded = taken.new == 0 or taken.ungraded < taken.new
        unused = self.policy.web_search and not known.ran("SearchWeb")
        return wanting and graded and unused and has_room(known, self.policy, self.policy.top_k + 1)
