"""segments: a tree of sentences, each from a passage of its own; each level keeps the best paths.

The paper's beam over segments (arXiv 2310.11511, 3.3 and algorithm 1).
"""

from collections.abc import Sequence

from selfrag.domain.answers import Draft
from selfrag.domain.scores.critiqued import Segment
from selfrag.domain.scores.paths import Path
from selfrag.domain.scores.shown import Node, Scores, Stopped
from selfrag.plan import steps
from selfrag.plan.limits import share_usd
from selfrag.plan.passes import Plan, PlannedStep, count
from selfrag.plan.reports import (
    Report,
    entry_of,
    retrieval_of,
    utility_of,
)
from selfrag.plan.tree.growth import Growing
from selfrag.plan.tree.levels import ahead_of, stopped_by
from selfrag.plan.tree.situation import Beam, Tree, live_paths

Move = tuple[Tree, Plan]


class Segments(Growing):
    """The tree, level by level."""

    def begin(self, known: Tree) -> Move:
        """Decide whether a search is needed, unless the policy says so."""
        known = known.but(query=known.brief.question)
        if self.policy.retrieval == "adaptive":
            asked = {"generator": "selfrag", "threshold": self.policy.threshold} if self.by_selfrag else {}
            return self.run(known, "begin", [steps.decide(self.policy, asked)], "Decide whether a search is needed.")
        never = self.policy.retrieval == "never"
        return self.next_level(known.but(direct=never, first="no" if never else "ungraded"))

    def go_on(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the steps' reports, and return the next pass."""
        after = {
            "begin": self.begun,
            "next": self.decided,
            "search": self.searched,
            "read": self.readings,
            "write": self.texts,
            "judge": self.judged,
            "request": self.requested,
            "rank": self.ranked,
            "use": self.uses,
            "pick": self.picked,
        }
        return after[known.stage](known, reports)

    def failed(self, known: Tree, error: str) -> Move:
        """End with the best path so far after a lost pass."""
        if known.stage == "use":
            return self.pick(known)
        return self.compose(known, f"A pass failed ({error})") if known.stage == "pick" else self.end(known, "fault")

    def begun(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the decision on the question."""
        (report,) = reports
        verdict = retrieval_of(report)
        known = known.noted([entry_of(report, known.turn)]).but(retrieval=verdict, query=verdict.query or known.query)
        return self.next_level(known.but(first=verdict.decision, direct=verdict.decision == "no"))

    def next_level(self, known: Tree) -> Move:
        """Begin a level if a path is live and the limits leave room for all of the level."""
        live = live_paths(known)
        if not live:
            return self.end(known, "")
        if stopped := stopped_by(known, self.policy, live, self.now_ms):
            return self.end(known, stopped)
        purse = share_usd(known, self.policy, 1 / len(live))
        known = known.but(live=live, purse=purse, level_began_ms=self.now_ms, sentences=[])
        known = known.but(ahead=ahead_of(known, self.policy, live), complete=[])
        budget = self.purse(known, 0.1)
        asked = [
            PlannedStep(step="DecideRetrieval", id=path.id, task={"so_far": path.so_far, "budget_usd": budget})
            for path in live
            if path.decision is None
        ]
        if asked:
            return self.run(known, "next", asked, f"Level {known.level}: {count(len(asked), 'path')} to decide on.")
        return self.search(known)

    def decided(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the paths' decisions."""
        said = {report.id: retrieval_of(report).decision for report in reports}
        live = [path.model_copy(update={"decision": said.get(path.id, path.decision)}) for path in known.live]
        return self.search(known.noted([entry_of(report, known.turn) for report in reports]).but(live=live))

    def grown(self, known: Tree) -> Move:
        """Compare the paths with their new sentences; a direct answer goes out as it is."""
        if known.direct:
            one = known.sentences[0]
            return self.answered(known, Draft(answer=one.answer, citations=one.citations, cut=one.cut))
        return self.rank(known, [one.segment for one in known.sentences])

    def answered(self, known: Tree, draft: Draft) -> Move:
        """Judge a direct answer; if none can be given without a search, begin the tree after all."""
        if draft.answer:
            direct = {"direct": True, "citations": [], "support": Draft().support}
            return self.end(known.but(draft=draft.model_copy(update=direct)), "")
        return self.next_level(known.but(direct=False, first="yes"))

    def rank(self, known: Tree, children: list[Segment]) -> Move:
        """Keep the best paths, of the finished ones in the beam and all new ones."""
        used = {path.id for path in live_paths(known)}
        ledger = [one.model_copy(update={"waste": False}) if one.of and one.of in used else one for one in known.ledger]
        known = known.but(ledger=ledger, sentences=[])
        task = {
            "children": [one.model_dump(mode="json") for one in children],
            "complete": known.complete,
            "generator": self.policy.generator,
            "size": self.policy.beam,
            "constraints": self.policy.constraints,
            "weights": self.policy.weights.model_dump(),
        }
        why = f"{count(len(children), 'sentence')}: keep the best {count(self.policy.beam, 'path')}."
        return self.run(known, "rank", [PlannedStep(step="RankPaths", task=task)], why)

    def ranked(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the beam, and begin the next level."""
        (report,) = reports
        known = known.noted([entry_of(report, known.turn)])
        if report.result is None:
            return self.end(known, "fault")
        beam = [Path.model_validate(one) for one in report.result["beam"]]
        nodes = [Node.model_validate(one) for one in report.result["nodes"]]
        ends = [path.segments[-1].passage_id for path in beam if not path.finished]
        return self.next_level(
            known.but(
                compared=Beam(beam=beam, nodes=nodes),
                level=known.level + 1,
                ends=[one for one in ends if one],
                longest_ms=max(known.longest_ms, self.now_ms - known.level_began_ms),
            )
        )

    def end(self, known: Tree, stopped: Stopped) -> Move:
        """Judge the use of each path as a whole; the fine-tuned model has already told it."""
        known = known.but(stopped=stopped, live=[], sentences=[])
        texts = [known.draft.answer] if known.draft.answer else _texts(known)
        if self.by_selfrag or not texts:
            return self.compose(known, "An answer without documents") if known.draft.answer else self.pick(known)
        budget = share_usd(known, self.policy, 0.3)
        planned = [steps.judge("GradeUtility", str(place), text, budget) for place, text in enumerate(texts)]
        limit = f"The tree ends ({stopped}): judge " if stopped else "Judge "
        return self.run(known, "use", planned, f"{limit}{count(len(texts), 'answer')}.")

    def uses(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the use of each path."""
        known = known.noted([entry_of(report, known.turn) for report in reports])
        told = [utility_of(report) for report in reports]
        if known.draft.answer:
            draft = known.draft.model_copy(update={"utility": told[0]})
            return self.compose(known.but(draft=draft), "An answer without documents goes out")
        beam = [path.model_copy(update={"utility": use}) for path, use in zip(known.compared.beam, told, strict=True)]
        return self.pick(known.but(compared=known.compared.model_copy(update={"beam": beam})))

    def pick(self, known: Tree) -> Move:
        """Pick the path with the highest score."""
        task = {
            "tree": True,
            "generator": self.policy.generator,
            "stopped": known.stopped,
            "weights": self.policy.weights.model_dump(),
        }
        why = f"{count(len(known.compared.beam), 'path')}: the best is the answer."
        return self.run(known, "pick", [PlannedStep(step="PickCandidate", task=task)], why)

    def picked(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Let the winner go out."""
        (report,) = reports
        known = known.noted([entry_of(report, known.turn)])
        if report.result is None:
            return self.compose(known, f"The paths could not be compared ({report.error})")
        winner = report.result.get("winner")
        known = known.but(
            scores=Scores.model_validate(report.result["scores"]),
            best=Draft.model_validate(winner) if winner else known.best,
        )
        return self.compose(known, "The best path goes out" if winner else "No path is left")


def _texts(known: Tree) -> list[str]:
    return [" ".join(segment.answer for segment in path.segments) for path in known.compared.beam]
