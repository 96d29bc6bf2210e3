"""corrective: grade the passages and correct them by web search and strips (CRAG, arXiv 2401.15884, 4.3)."""

from selfrag.plan.limits import has_room
from selfrag.plan.loop import Cycle, CycleResult, Loop, LoopState, Next, relevant_in_words
from selfrag.plan.passes import count


class Corrective(Loop):
    """The loop with graded passages and unjudged answers."""

    strips = True

    def begin(self, state: LoopState) -> Next:
        """Search for the question and grade the passages."""
        first = Cycle(queries=[state.brief.question])
        return self.begin_cycle(state.replace(reflects=False), first, "Search for the question.")

    def try_evidence(self, state: LoopState, evidence: CycleResult) -> Next:
        """Answer from relevant passages; otherwise search the web, in addition to ambiguous passages or alone."""
        nothing_relevant = not any(verdict.label == "relevant" for verdict in evidence.verdicts)
        # Ungraded passages count as sufficient.
        graded = evidence.new == 0 or evidence.ungraded < evidence.new
        unused = self.policy.web_search and not state.ran("SearchWeb")
        if nothing_relevant and graded and unused and has_room(state, self.policy, self.policy.top_k + 1):
            web = Cycle(web=state.brief.question)
            return self.begin_cycle(state, web, f"{relevant_in_words(evidence)}: search the web.")
        if state.evidence:
            why = f"{relevant_in_words(evidence)}: answer from {count(len(state.evidence), 'passage')}."
            return self.begin_cycle(state, Cycle(write=["grounded"]), why)
        return super().try_evidence(state, evidence)
