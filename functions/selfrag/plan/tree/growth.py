"""A level of the tree: search, grade, write and check the sentences that begin where its paths end."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from selfrag.domain.answers import Draft
from selfrag.domain.ledger import in_order
from selfrag.domain.scores.critiqued import Segment
from selfrag.domain.verdicts import RelevanceVerdict
from selfrag.plan import steps
from selfrag.plan.passes import Plan, PlannedStep, count
from selfrag.plan.reports import Report, entry_of, of_step, relevance_of, retrieval_of, support_of
from selfrag.plan.strategy import Strategy
from selfrag.plan.tree.searches import is_searched, rested, search_of, with_found
from selfrag.plan.tree.situation import Sentence, Tree, sentences_of

Move = tuple[Tree, Plan]


class Growing(Strategy[Tree]):
    """The sentences of a level; the strategy decides what follows from them."""

    Known = Tree

    @property
    def by_selfrag(self) -> bool:
        """Return whether the fine-tuned model writes and judges all sentences of a level in one request."""
        return self.policy.generator == "selfrag"

    def search(self, known: Tree) -> Move:
        """Search the passages that the paths rest on, where that takes a search."""
        complete = [path.id for path in known.live if path.decision == "complete"]
        going = [path for path in known.live if path.decision != "complete"]
        searching = [path for path in going if is_searched(known, self.policy, path)]
        live = [path if path in searching else rested(known, path) for path in going]
        known = known.but(live=live, complete=complete)
        if not searching:
            return self.read(known)
        planned = [search_of(known, self.policy, path) for path in searching]
        return self.run(known, "search", planned, f"Level {known.level}: search for {count(len(planned), 'path')}.")

    def searched(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the passages of each path."""
        return self.read(with_found(known, reports))

    def read(self, known: Tree) -> Move:
        """Grade the passages and write from each: in parallel if there is room for that."""
        known = known.but(sentences=sentences_of(known.live))
        if self.by_selfrag:
            return self.request(known)
        grades = [self.grade_of(known, one) for one in known.sentences if one.passage_id is not None]
        if not grades:
            return self.write(known)
        texts = [self.text_of(known, one) for one in known.sentences] if known.ahead else []
        does = "grade them and write a sentence from each" if texts else "grade them"
        return self.run(known, "read", [*texts, *grades], f"{count(len(grades), 'passage')}: {does}.")

    def grade_of(self, known: Tree, one: Sentence) -> PlannedStep:
        """Return IsRel of a sentence's passage."""
        return steps.grade(self.policy, one.id, one.passage_id or "", self.purse(known, 0.1 / self.policy.top_k))

    def text_of(self, known: Tree, one: Sentence) -> PlannedStep:
        """Return the step that writes a sentence, or the whole of a direct answer."""
        mode, ids = "direct" if known.direct else "segment", [one.passage_id] if one.passage_id else []
        return steps.write(one.id, mode, ids, self.purse(known, 0.5 / self.policy.top_k), so_far=one.so_far)

    def readings(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the grades, and the sentences that were written in parallel."""
        graded = {report.id: report for report in of_step(reports, "GradeRelevance")}
        written = {report.id: report for report in of_step(reports, "Generate")}
        sentences = []
        for one in known.sentences:
            if one.passage_id is not None:
                verdict = relevance_of(graded[one.id], one.passage_id, known.documents.get(one.passage_id, ""))
                # The state of a large tree has no room for reasons; they are in the trace.
                verdict = verdict.model_copy(update={"reason": ""})
                irrelevant = self.policy.constraints == "hard" and not verdict.relevant
                out = verdict.label == "ungraded" or irrelevant
                one = one.model_copy(update={"relevance": verdict, "out": out})
            sentences.append(one.texted(written[one.id]) if one.id in written and not one.out else one)
        unused = {one.id for one in sentences if one.out}
        entries = [
            entry_of(report, known.turn, waste=report.step == "Generate" and report.id in unused) for report in reports
        ]
        known = known.noted(in_order(entries)).but(sentences=sentences)
        known = known.but(relevance=_latest([*known.relevance, *(one.relevance for one in sentences if one.relevance)]))
        return self.judge(known) if written else self.write(known)

    def write(self, known: Tree) -> Move:
        """Write the sentences that waited for their grades."""
        texts = [self.text_of(known, one) for one in known.sentences if not one.out]
        found = f"{len(texts)} of {count(len(known.sentences), 'passage')} may be used: write a sentence from each."
        why = "Answer without documents." if known.direct else found
        return self.run(known, "write", texts, why) if texts else self.judge(known)

    def texts(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the sentences."""
        written = {report.id: report for report in reports}
        sentences = [one.texted(written[one.id]) if one.id in written else one for one in known.sentences]
        return self.judge(known.noted([entry_of(report, known.turn) for report in reports]).but(sentences=sentences))

    def judge(self, known: Tree) -> Move:
        """Check each sentence against its passage, and make its path's next decision ahead if there is room."""
        checked = [one for one in known.sentences if one.stands]
        if not checked or known.direct:
            return self.grown(known)
        budget, ask = self.purse(known, 0.3 / self.policy.top_k), self.purse(known, 0.1 / self.policy.top_k)
        planned = [steps.check_support(one.id, one.answer, [one.passage_id or ""], budget) for one in checked]
        if known.ahead == "decide":
            said = {one.id: " ".join(filter(None, [one.so_far, one.answer])) for one in checked}
            planned += [
                PlannedStep(step="DecideRetrieval", id=one.id, task={"so_far": said[one.id], "budget_usd": ask})
                for one in checked
            ]
        why = f"{count(len(checked), 'sentence')} of {len(known.sentences)} written: check each."
        return self.run(known, "judge", planned, why)

    def judged(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the support of each sentence; a decision ahead is waste until its path goes on."""
        supports = {report.id: support_of(report) for report in of_step(reports, "GradeSupport")}
        # Decisions beyond the budget are made later.
        asked = [one for one in of_step(reports, "DecideRetrieval") if one.error != "BudgetExceeded"]
        following = {report.id: retrieval_of(report).decision for report in asked}
        sentences = [
            one.model_copy(
                update={"support": supports.get(one.id, one.support), "next": following.get(one.id, one.next)}
            )
            for one in known.sentences
        ]
        entries = [entry_of(report, known.turn) for report in of_step(reports, "GradeSupport")]
        held = of_step(reports, "DecideRetrieval")
        entries += [entry_of(report, known.turn, of=report.id, waste=True) for report in held]
        return self.grown(known.noted(entries).but(sentences=sentences))

    def request(self, known: Tree) -> Move:
        """Let the fine-tuned model write and judge all sentences of the level."""
        if not known.sentences:
            return self.grown(known)
        parents = {path.id: path for path in known.live}
        branches = [
            {
                "id": one.id,
                "parent": one.parent,
                "told": parents[one.parent].told,
                "bare": one.so_far,
                "passage_id": one.passage_id,
                "continues": parents[one.parent].decision == "continue",
            }
            for one in known.sentences
        ]
        task: dict[str, Any] = {
            "generator": "selfrag",
            "mode": "direct" if known.direct else "segments",
            "threshold": self.policy.threshold,
            "branches": [] if known.direct else branches,
        }
        ids = list(dict.fromkeys(one.passage_id for one in known.sentences if one.passage_id))
        why = f"Level {known.level}: write and judge {count(len(branches), 'sentence')}."
        return self.run(known, "request", [PlannedStep(step="Generate", task=task, passage_ids=ids)], why)

    def requested(self, known: Tree, reports: Sequence[Report]) -> Move:
        """Take in the sentences of the fine-tuned model."""
        (report,) = reports
        known = known.noted([entry_of(report, known.turn)])
        written = report.get("written", [])
        if known.direct:
            return self.answered(known, Draft.model_validate(written[0]) if written else Draft())
        children = [Segment.model_validate(one) for one in written]
        relevance = [*known.relevance, *(one.relevance for one in children if one.relevance)]
        return self.rank(known.but(relevance=_latest(relevance)), children)

    @abstractmethod
    def grown(self, known: Tree) -> Move:
        """Go on from the sentences of a level."""

    @abstractmethod
    def answered(self, known: Tree, draft: Draft) -> Move:
        """Go on from a direct answer."""

    @abstractmethod
    def rank(self, known: Tree, children: list[Segment]) -> Move:
        """Go on from sentences that the fine-tuned model judged."""

    def purse(self, known: Tree, part: float) -> float | None:
        """Return this part of a path's budget."""
        return None if known.purse is None else part * known.purse

    def run(self, known: Tree, stage: str, planned: list[PlannedStep], why: str) -> Move:
        """Return the pass that runs these steps."""
        known = known.but(stage=stage, turn=known.turn + 1)
        at_work = [one for path in known.live for one in path.found if one]
        keep = list(dict.fromkeys([*known.ends, *at_work]))
        return known, Plan(why=why, turn=known.turn, steps=planned, keep=keep)


def _latest(verdicts: Sequence[RelevanceVerdict]) -> list[RelevanceVerdict]:
    """Return the last verdict on each passage, in the order in which the passages came."""
    return list({verdict.passage_id: verdict for verdict in verdicts}.values())
