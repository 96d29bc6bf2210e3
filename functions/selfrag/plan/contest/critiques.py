"""An answer from each passage: graded, written, checked and judged apart from the others."""

from abc import abstractmethod
from collections.abc import Sequence

from selfrag.domain.scores.critiqued import Critiqued
from selfrag.plan import steps
from selfrag.plan.contest.situation import Contest, weighed, with_critiques, with_entries, with_readings
from selfrag.plan.limits import was_throttled
from selfrag.plan.passes import AT_ONCE, Plan, PlannedStep, count
from selfrag.plan.reports import Report, entry_of, of_step
from selfrag.plan.strategy import Strategy

Move = tuple[Contest, Plan]
# Two answers at the same time, each with two steps, once the model was throttled.
AT_ONCE_WHEN_THROTTLED = 4
# The most calls to Claude for an answer: IsRel, the text, IsSup and IsUse; for a written one the last two.
FROM_A_PASSAGE, WITHOUT_ONE = 4, 2


class Critiquing(Strategy[Contest]):
    """The answers in progress; the strategy decides what follows from them."""

    Known = Contest

    @property
    def by_selfrag(self) -> bool:
        """Return whether the fine-tuned model writes all answers in one request, and judges them as it writes."""
        return self.policy.generator == "selfrag"

    def read(self, known: Contest, why: str) -> Move:
        """Grade the passages and write from each, in turn with `off`; no step starts without room."""
        each = WITHOUT_ONE if known.source == "direct" else FROM_A_PASSAGE
        known = weighed(known, self.policy, self.now_ms, each)
        if known.stopped:
            known = known.but(items=[])
        planned = self.answers_of(known) if known.items else []
        if known.decides:
            asked = {"generator": "selfrag", "threshold": self.policy.threshold} if self.by_selfrag else {}
            planned.append(steps.decide(self.policy, asked))
        return self.run(known.but(stage="read"), planned, why) if planned else self.gathered(known, [])

    def answers_of(self, known: Contest) -> list[PlannedStep]:
        """Return the steps that answer from the items: the texts, which take longest, and the grades."""
        if self.by_selfrag:
            mode = "direct" if known.source == "direct" else "candidates"
            asked = {"generator": "selfrag", "mode": mode, "choices": self.policy.choices or []}
            return [PlannedStep(step="Generate", task=asked, passage_ids=known.fresh)]
        ahead = known.source == "direct" or self.policy.speculate != "off"
        budget = None if known.share_usd is None else 0.1 * known.share_usd
        graded = [
            steps.grade(self.policy, str(place), item.passage_id, budget)
            for place, item in enumerate(known.items)
            if item.passage_id is not None
        ]
        return [*self.texts_of(known), *graded] if ahead else graded

    def texts_of(self, known: Contest) -> list[PlannedStep]:
        """Return the steps that write the pending texts."""
        budget = None if known.share_usd is None else 0.8 * known.share_usd
        choices = self.policy.choices or []
        return [
            steps.write(str(place), "grounded", [item.passage_id], budget, choices=choices)
            if item.passage_id
            else steps.write(str(place), "direct", [], budget, choices=choices)
            for place, item in enumerate(known.items)
            if item.waits
        ]

    def readings(self, known: Contest, reports: Sequence[Report]) -> Move:
        """Take in grades and texts."""
        known = with_readings(known, self.policy, reports)
        if of_step(reports, "DecideRetrieval"):
            return self.decided(known, reports)
        known = with_entries(known, reports, taken=True)
        if known.stopped:
            return self.gathered(known, [])
        return self.critiqued(known, reports) if self.by_selfrag else self.write(known)

    def critiqued(self, known: Contest, reports: Sequence[Report]) -> Move:
        """Take in the answers that the fine-tuned model judged as it wrote them."""
        told = [one for report in of_step(reports, "Generate") for one in report.get("written", [])]
        return self.gathered(known, [Critiqued.model_validate(one) for one in told])

    def write(self, known: Contest) -> Move:
        """Write the texts that waited for their grades, or go on to the judges."""
        texts = self.texts_of(known)
        if not texts:
            return self.reflect(known)
        why = f"{len(texts)} of {count(len(known.items), 'passage')} may be used: write from each."
        return self.run(known.but(stage="write", turn=known.turn + 1), texts, why)

    def texts(self, known: Contest, reports: Sequence[Report]) -> Move:
        """Take in the texts that were written after the grades."""
        entries = [entry_of(report, known.turn) for report in reports]
        return self.reflect(with_readings(known.noted(entries), self.policy, reports))

    def reflect(self, known: Contest) -> Move:
        """Check the support of each text against its passage, and judge its use."""
        planned: list[PlannedStep] = []
        for place, item in enumerate(known.items):
            if not item.judged:
                continue
            left = None if known.share_usd is None else known.share_usd - item.spent_usd
            if item.passage_id is not None:
                budget = None if left is None else 0.9 * left
                one_call = place >= known.second
                ids = [item.passage_id]
                planned.append(steps.check_support(str(place), item.answer, ids, budget, one_call=one_call))
            planned.append(steps.judge("GradeUtility", str(place), item.answer, None if left is None else 0.1 * left))
        if not planned:
            return self.gathered(known, [item.outcome for item in known.items])
        why = f"{count(sum(item.judged for item in known.items), 'text')} of {len(known.items)} written: judge each."
        return self.run(known.but(stage="reflect", turn=known.turn + 1), planned, why)

    def critiques(self, known: Contest, reports: Sequence[Report]) -> Move:
        """Take in the judges' verdicts."""
        known = with_critiques(known, reports)
        return self.gathered(known, [item.outcome for item in known.items])

    @abstractmethod
    def decided(self, known: Contest, reports: Sequence[Report]) -> Move:
        """Go on from a decision that was made in parallel with the answers."""

    @abstractmethod
    def gathered(self, known: Contest, done: list[Critiqued]) -> Move:
        """Go on from the answers of a source."""

    def run(self, known: Contest, planned: list[PlannedStep], why: str) -> Move:
        """Return the pass that runs these steps."""
        at_once = AT_ONCE_WHEN_THROTTLED if was_throttled(known) else AT_ONCE
        return known, Plan(why=why, turn=known.turn, steps=planned, keep=known.fresh, at_once=at_once)
