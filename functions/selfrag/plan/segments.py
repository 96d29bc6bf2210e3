"""segments: beam search over a tree of sentences, each from its own passage.

This is the paper's beam over segments (arXiv 2310.11511, 3.3 and algorithm 1). `begin` decides whether to search. Each
level runs the passes it needs: `next` decides how each path continues, `search` finds passages, `read` grades them,
`write` writes a sentence from each, `judge` checks the sentences, and `rank` keeps the best paths. Finally `use` judges
complete paths and `pick` selects the answer.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Self

from selfrag.domain.answers import Draft
from selfrag.domain.base import Model
from selfrag.domain.ledger import sort_by_path
from selfrag.domain.policy import Policy
from selfrag.domain.scores.critiqued import CritiquedAnswer, Segment
from selfrag.domain.scores.shown import Stopped
from selfrag.domain.steps import (
    Beam,
    DecideRetrievalParameters,
    GenerateParameters,
    GradeRelevanceParameters,
    GradeSupportParameters,
    GradeUtilityParameters,
    PickCandidateParameters,
    RankPathsParameters,
    RetrieveParameters,
)
from selfrag.domain.verdicts import Decision
from selfrag.plan.limits import calls, share_usd, spent_usd
from selfrag.plan.passes import Plan, PlannedStep, count, decision, other_queries
from selfrag.plan.reports import (
    DecideRetrievalReport,
    GenerateReport,
    GradeRelevanceReport,
    GradeSupportReport,
    GradeUtilityReport,
    PickCandidateReport,
    RankPathsReport,
    Report,
    RetrieveReport,
    add_search_metadata,
    entry_of,
    hits_of,
    relevance_of,
    retrieval_of,
    select_reports,
    support_of,
    utility_of,
)
from selfrag.plan.state import State
from selfrag.plan.strategy import Strategy
from selfrag.text.state_budget import STATE_BUDGET_BYTES

Ahead = Literal["", "write", "decide"]
Stage = Literal["begin", "next", "search", "read", "write", "judge", "rank", "use", "pick"]
# Share of the state's budget for a level's passages.
LEVEL_BYTES = 104 * 1024
# Calls per sentence: IsRel, text and IsSup.
STEPS_PER_SENTENCE = ("GradeRelevance", "Generate", "GradeSupport")


class LivePath(Model):
    """A growing path: its text, the decision at its end, and passages for its next sentences.

    `query` found these passages. The root has no id; a null passage means a sentence without one.
    """

    id: str = ""
    so_far: str = ""
    last_answer: str = ""
    last_passage: str | None = None
    decision: Decision | None = None
    query: str = ""
    hits: list[str | None] = []


class Sentence(CritiquedAnswer):
    """A sentence in progress below the path `parent`; `out` if its passage is excluded."""

    id: str
    parent: str
    so_far: str = ""
    out: bool = False
    next: Decision | None = None

    def add_text(self, report: GenerateReport) -> Self:
        """Add the text of a report."""
        text = report.text
        return self.replace(answer=text.answer, citations=text.citations, cut=report.flaw == "cut")

    @property
    def segment(self) -> Segment:
        """Return the segment to compare, without text if its passage is excluded."""
        fields = {name: getattr(self, name) for name in Segment.model_fields}
        unwritten = {"answer": "", "citations": [], "cut": False} if self.out else {}
        return Segment.model_construct(**{**fields, **unwritten})


class SegmentsState(State):
    """The state between two passes of `segments`.

    `first` is the root's decision; `direct` means one answer without a tree. `live` are the growing paths of this
    level, `purse` the budget of each, and `ahead` the speculative work: sentences in parallel with IsRel, decisions in
    parallel with IsSup. `complete` are ids of complete answers, `ends` the last passages of other paths. Times are in
    milliseconds.
    """

    stage: Stage = "begin"
    query: str = ""
    first: Decision = "ungraded"
    direct: bool = False
    compared: Beam = Beam()
    level: int = 1
    live: list[LivePath] = []
    complete: list[str] = []
    sentences: list[Sentence] = []
    ends: list[str] = []
    ahead: Ahead = ""
    purse: float | None = None
    level_began_ms: float = 0.0
    longest_ms: float = 0.0
    stopped: Stopped = ""

    def share(self, part: float) -> float | None:
        """Return this share of a path's budget."""
        return None if self.purse is None else part * self.purse


Next = tuple[SegmentsState, Plan]


class Segments(Strategy[SegmentsState]):
    """The tree, level by level."""

    state_type = SegmentsState

    def begin(self, state: SegmentsState) -> Next:
        """Decide whether to search, unless the policy does."""
        state = state.replace(query=state.brief.question)
        if self.policy.retrieval == "adaptive":
            return self.run(state, "begin", [decision(self.policy)], "Decide whether a search is needed.")
        never = self.policy.retrieval == "never"
        return self.next_level(state.replace(direct=never, first="no" if never else "ungraded"))

    def go_on(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Process the reports of the current stage and return the next pass."""
        handlers: dict[Stage, Callable[[SegmentsState, Sequence[Report]], Next]] = {
            "begin": self.begun,
            "next": self.take_decisions,
            "search": self.take_passages,
            "read": self.read,
            "write": self.take_sentences,
            "judge": self.take_verdicts,
            "rank": self.take_beam,
            "use": self.take_uses,
            "pick": self.take_choice,
        }
        return handlers[state.stage](state, reports)

    def end_failed(self, state: SegmentsState, error: str) -> Next:
        """End with the best path so far."""
        if state.stage == "use":
            return self.pick(state)
        return self.compose(state, f"A pass failed ({error})") if state.stage == "pick" else self.end(state, "fault")

    def begun(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Process the decision on the question."""
        (report,) = select_reports(reports, DecideRetrievalReport)
        verdict = retrieval_of(report)
        state = state.add_entries([entry_of(report, state.turn)])
        state = state.replace(retrieval=verdict, query=verdict.query or state.query)
        return self.next_level(state.replace(first=verdict.decision, direct=verdict.decision == "no"))

    def next_level(self, state: SegmentsState) -> Next:
        """Start a level if paths are live and the limits allow all of it."""
        live = _live_paths(state)
        if not live:
            return self.end(state, "")
        if stopped := _stopped_by(state, self.policy, live, self.now_ms):
            return self.end(state, stopped)
        state = state.replace(
            live=live,
            purse=share_usd(state, self.policy, 1 / len(live)),
            level_began_ms=self.now_ms,
            sentences=[],
            ahead=_speculation_for(state, self.policy, live),
            complete=[],
        )
        undecided = [
            PlannedStep(task=DecideRetrievalParameters(so_far=path.so_far, budget_usd=state.share(0.1)), id=path.id)
            for path in live
            if path.decision is None
        ]
        if undecided:
            why = f"Level {state.level}: {count(len(undecided), 'path')} to decide on."
            return self.run(state, "next", undecided, why)
        return self.search(state)

    def take_decisions(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Process the paths' decisions."""
        decisions = {
            report.id: retrieval_of(report).decision for report in select_reports(reports, DecideRetrievalReport)
        }
        live = [path.replace(decision=decisions.get(path.id, path.decision)) for path in state.live]
        state = state.add_entries([entry_of(report, state.turn) for report in reports])
        return self.search(state.replace(live=live))

    def search(self, state: SegmentsState) -> Next:
        """Search for the paths that need passages."""
        going = [path for path in state.live if path.decision != "complete"]
        searching = [path for path in going if self.is_searched(state, path)]
        live = []
        for path in going:
            # A path that needs no search continues from its passage, or from none.
            same = path.decision == "continue" and not state.direct
            live.append(path if path in searching else path.replace(hits=[path.last_passage if same else None]))
        state = state.replace(live=live, complete=[path.id for path in state.live if path.decision == "complete"])
        if not searching:
            return self.begin_reading(state)
        planned = [self.search_of(state, path) for path in searching]
        return self.run(state, "search", planned, f"Level {state.level}: search for {count(len(planned), 'path')}.")

    def is_searched(self, state: SegmentsState, path: LivePath) -> bool:
        """Return whether a path searches: if every sentence must rest on a passage, or without passages."""
        if state.direct:
            return False
        if self.policy.retrieval == "always":
            return True
        at_hand = path.decision == "continue" and path.last_passage in state.ends
        return not at_hand and path.decision != "no"

    def search_of(self, state: SegmentsState, path: LivePath) -> PlannedStep:
        """Return the search for question and last sentence, or the fetch of earlier evidence.

        Known passages are included: they may also hold the next sentence.
        """
        task = RetrieveParameters(
            queries=[_query(state, path)],
            passage_ids=_earlier_passages(state, path)[: self.policy.top_k],
            top_k=self.policy.top_k,
            seen=state.seen,
            bytes_used=STATE_BUDGET_BYTES - LEVEL_BYTES // len(state.live),
        )
        return PlannedStep(task=task, id=path.id)

    def take_passages(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Process the passages of each path."""
        searches = {report.id: report for report in select_reports(reports, RetrieveReport)}
        succeeded = {name for name, report in searches.items() if report.result}
        queries = [
            _query(state, path) for path in state.live if path.id in succeeded and not _earlier_passages(state, path)
        ]
        hits = {name: [hit.passage_id for hit in hits_of(report)] for name, report in searches.items()}
        live = [
            path.replace(hits=hits[path.id], query=other_queries(state, [_query(state, path)]))
            if path.id in hits
            else path
            for path in state.live
        ]
        state = add_search_metadata(state, reports)
        state = state.add_entries([entry_of(report, state.turn) for report in searches.values()])
        return self.begin_reading(state.replace(live=live, queries=list(dict.fromkeys([*state.queries, *queries]))))

    def begin_reading(self, state: SegmentsState) -> Next:
        """Grade passages and write from them, in parallel if the limits allow."""
        state = state.replace(sentences=_sentences_of(state.live))
        threshold, budget = self.policy.relevance_threshold, state.share(0.1 / self.policy.top_k)
        grades = {
            path.id: GradeRelevanceParameters(query=path.query, relevance_threshold=threshold, budget_usd=budget)
            for path in state.live
        }
        planned = [
            PlannedStep(task=grades[sentence.parent], id=sentence.id, passage_ids=[sentence.passage_id])
            for sentence in state.sentences
            if sentence.passage_id is not None
        ]
        if not planned:
            return self.write(state)
        texts = [self.text_of(state, sentence) for sentence in state.sentences] if state.ahead else []
        does = "grade them and write a sentence from each" if texts else "grade them"
        return self.run(state, "read", [*texts, *planned], f"{count(len(planned), 'passage')}: {does}.")

    def text_of(self, state: SegmentsState, sentence: Sentence) -> PlannedStep:
        """Return the step that writes a sentence or a direct answer."""
        task = GenerateParameters(
            mode="direct" if state.direct else "segment",
            so_far=sentence.so_far,
            budget_usd=state.share(0.5 / self.policy.top_k),
        )
        passage_ids = state.newest_ids(sentence.passage_id) if sentence.passage_id else []
        return PlannedStep(task=task, id=sentence.id, passage_ids=passage_ids)

    def read(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Process the grades and parallel sentences."""
        grades = {report.id: report for report in select_reports(reports, GradeRelevanceReport)}
        texts = {report.id: report for report in select_reports(reports, GenerateReport)}
        sentences = []
        for sentence in state.sentences:
            if sentence.passage_id is not None:
                document = state.documents.get(sentence.passage_id, "")
                verdict = relevance_of(grades[sentence.id], sentence.passage_id, document)
                # Reasons stay in the trace: a large tree leaves no room in the state.
                verdict = verdict.replace(reason="")
                irrelevant = self.policy.constraints == "hard" and not verdict.relevant
                sentence = sentence.replace(relevance=verdict, out=verdict.label == "ungraded" or irrelevant)
            in_time = sentence.id in texts and not sentence.out
            sentences.append(sentence.add_text(texts[sentence.id]) if in_time else sentence)
        unused = {sentence.id for sentence in sentences if sentence.out}
        entries = [
            entry_of(report, state.turn, waste=report.step == "Generate" and report.id in unused) for report in reports
        ]
        state = state.add_entries(sort_by_path(entries)).replace(sentences=sentences)
        state = state.merge_relevance([sentence.relevance for sentence in sentences])
        return self.judge(state) if texts else self.write(state)

    def write(self, state: SegmentsState) -> Next:
        """Write the pending sentences."""
        texts = [self.text_of(state, sentence) for sentence in state.sentences if not sentence.out]
        why = f"{len(texts)} of {count(len(state.sentences), 'passage')} may be used: write a sentence from each."
        if state.direct:
            why = "Answer without documents."
        return self.run(state, "write", texts, why) if texts else self.judge(state)

    def take_sentences(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Process the sentences."""
        texts = {report.id: report for report in select_reports(reports, GenerateReport)}
        sentences = [
            sentence.add_text(texts[sentence.id]) if sentence.id in texts else sentence for sentence in state.sentences
        ]
        state = state.add_entries([entry_of(report, state.turn) for report in reports])
        return self.judge(state.replace(sentences=sentences))

    def judge(self, state: SegmentsState) -> Next:
        """Check each sentence, and decide ahead if the limits allow."""
        checkable = [sentence for sentence in state.sentences if sentence.answer and sentence.passage_id is not None]
        if not checkable or state.direct:
            return self.rank_or_judge(state)
        planned = [
            PlannedStep(
                task=GradeSupportParameters(answer=sentence.answer, budget_usd=state.share(0.3 / self.policy.top_k)),
                id=sentence.id,
                passage_ids=state.newest_ids(sentence.passage_id or ""),
            )
            for sentence in checkable
        ]
        for sentence in checkable if state.ahead == "decide" else []:
            so_far = " ".join(filter(None, [sentence.so_far, sentence.answer]))
            task = DecideRetrievalParameters(so_far=so_far, budget_usd=state.share(0.1 / self.policy.top_k))
            planned.append(PlannedStep(task=task, id=sentence.id))
        why = f"{count(len(checkable), 'sentence')} of {len(state.sentences)} written: check each."
        return self.run(state, "judge", planned, why)

    def take_verdicts(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Process the support verdicts; a decision ahead is waste until its path continues."""
        supports = {report.id: support_of(report) for report in select_reports(reports, GradeSupportReport)}
        ahead = select_reports(reports, DecideRetrievalReport)
        # Decisions beyond the budget are postponed.
        decisions = {report.id: retrieval_of(report).decision for report in ahead if report.error != "BudgetExceeded"}
        sentences = [
            sentence.replace(
                support=supports.get(sentence.id, sentence.support), next=decisions.get(sentence.id, sentence.next)
            )
            for sentence in state.sentences
        ]
        entries = [entry_of(report, state.turn) for report in select_reports(reports, GradeSupportReport)]
        entries += [entry_of(report, state.turn, of=report.id, waste=True) for report in ahead]
        return self.rank_or_judge(state.add_entries(entries).replace(sentences=sentences))

    def rank_or_judge(self, state: SegmentsState) -> Next:
        """Rank the extended paths, or judge a direct answer; without one, start the tree."""
        if not state.direct:
            return self.rank(state, [sentence.segment for sentence in state.sentences])
        (sentence,) = state.sentences
        if not sentence.answer:
            return self.next_level(state.replace(direct=False, first="yes"))
        return self.end(state.replace(draft=Draft(answer=sentence.answer, cut=sentence.cut, direct=True)), "")

    def rank(self, state: SegmentsState, children: list[Segment]) -> Next:
        """Keep the best new and finished paths."""
        used = {path.id for path in _live_paths(state)}
        ledger = [
            entry.model_copy(update={"waste": False}) if entry.of and entry.of in used else entry
            for entry in state.ledger
        ]
        task = RankPathsParameters(
            dates=state.dates,
            children=children,
            complete=state.complete,
            size=self.policy.beam,
            constraints=self.policy.constraints,
            weights=self.policy.weights,
        )
        why = f"{count(len(children), 'sentence')}: keep the best {count(self.policy.beam, 'path')}."
        return self.run(state.replace(ledger=ledger, sentences=[]), "rank", [PlannedStep(task=task)], why)

    def take_beam(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Process the beam and start the next level."""
        (report,) = select_reports(reports, RankPathsReport)
        state = state.add_entries([entry_of(report, state.turn)])
        if report.result is None:
            return self.end(state, "fault")
        ends = [path.segments[-1].passage_id for path in report.result.beam if not path.finished]
        return self.next_level(
            state.replace(
                compared=Beam(beam=report.result.beam, nodes=report.result.nodes),
                level=state.level + 1,
                ends=[passage_id for passage_id in ends if passage_id],
                longest_ms=max(state.longest_ms, self.now_ms - state.level_began_ms),
            )
        )

    def end(self, state: SegmentsState, stopped: Stopped) -> Next:
        """Judge the usefulness of each complete path."""
        state = state.replace(stopped=stopped, live=[], sentences=[])
        paths = [" ".join(segment.answer for segment in path.segments) for path in state.compared.beam]
        texts = [state.draft.answer] if state.draft.answer else paths
        if not texts:
            return self.pick(state)
        budget = share_usd(state, self.policy, 0.3)
        planned = [
            PlannedStep(
                task=GradeUtilityParameters(answer=text, min_utility=self.policy.min_utility, budget_usd=budget),
                id=str(place),
            )
            for place, text in enumerate(texts)
        ]
        limit = f"The tree ends ({stopped}): judge " if stopped else "Judge "
        return self.run(state, "use", planned, f"{limit}{count(len(texts), 'answer')}.")

    def take_uses(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Process the utility verdicts."""
        state = state.add_entries([entry_of(report, state.turn) for report in reports])
        uses = [utility_of(report) for report in select_reports(reports, GradeUtilityReport)]
        if state.draft.answer:
            return self.compose(
                state.replace(draft=state.draft.replace(utility=uses[0])), "An answer without documents goes out"
            )
        beam = [path.replace(utility=use) for path, use in zip(state.compared.beam, uses, strict=True)]
        return self.pick(state.replace(compared=state.compared.replace(beam=beam)))

    def pick(self, state: SegmentsState) -> Next:
        """Pick the best path."""
        task = PickCandidateParameters(tree=True, stopped=state.stopped, weights=self.policy.weights, dates=state.dates)
        why = f"{count(len(state.compared.beam), 'path')}: the best is the answer."
        return self.run(state, "pick", [PlannedStep(task=task)], why)

    def take_choice(self, state: SegmentsState, reports: Sequence[Report]) -> Next:
        """Return the winner."""
        (report,) = select_reports(reports, PickCandidateReport)
        state = state.add_entries([entry_of(report, state.turn)])
        if report.result is None:
            return self.compose(state, f"The paths could not be compared ({report.error})")
        winner = report.result.winner
        state = state.replace(scores=report.result.scores, best=winner or state.best)
        return self.compose(state, "The best path goes out" if winner else "No path is left")

    def run(self, state: SegmentsState, stage: Stage, planned: list[PlannedStep], why: str) -> Next:
        """Return a pass with these steps."""
        state = state.replace(stage=stage, turn=state.turn + 1)
        at_work = [passage_id for path in state.live for passage_id in path.hits if passage_id]
        keep = list(
            dict.fromkeys(kin for passage_id in (*state.ends, *at_work) for kin in state.newest_ids(passage_id))
        )
        return state, Plan(why=why, turn=state.turn, steps=planned, keep=keep)


def _live_paths(state: SegmentsState) -> list[LivePath]:
    """Return the growing paths with their decisions, if any; the root is the first."""
    if state.level == 1:
        return [LivePath(decision=state.first)]
    return [
        LivePath(
            id=path.id,
            so_far=" ".join(segment.answer for segment in path.segments),
            last_answer=path.segments[-1].answer,
            last_passage=path.segments[-1].passage_id,
            decision=path.segments[-1].next,
        )
        for path in state.compared.beam
        if not path.finished
    ]


def _sentences_of(live: Sequence[LivePath]) -> list[Sentence]:
    return [
        Sentence(
            id=".".join(filter(None, [path.id, str(number)])),
            parent=path.id,
            so_far=path.so_far,
            passage_id=passage_id,
        )
        for path in live
        for number, passage_id in enumerate(path.hits, start=1)
    ]


def _query(state: SegmentsState, path: LivePath) -> str:
    return " ".join(filter(None, [state.query, path.last_answer]))


def _earlier_passages(state: SegmentsState, path: LivePath) -> list[str]:
    """Return the earlier answer's passages, if the root continues from them."""
    goes_on = state.level == 1 and path.decision == "continue"
    return [verdict.passage_id for verdict in state.previous_relevance] if goes_on else []


def _stopped_by(state: SegmentsState, policy: Policy, live: Sequence[LivePath], now_ms: float) -> Stopped:
    """Return the limit that prevents another level, or "".

    Estimates use the most expensive calls and the longest level so far.
    """
    width = len(live) * policy.top_k
    undecided = sum(path.decision is None for path in live)
    if state.level > policy.max_segments:
        return "depth"
    if calls(state) + 3 * width + undecided + policy.beam > policy.max_model_calls:
        return "calls"
    if policy.max_cost_usd is not None and _max_level_cost(state, policy, live) > policy.max_cost_usd:
        return "cost"
    return "deadline" if now_ms + state.longest_ms >= state.brief.deadline_ms else ""


def _max_level_cost(state: SegmentsState, policy: Policy, live: Sequence[LivePath]) -> float:
    # The root has decided by now but counts as undecided.
    undecided = sum(path.decision is None or state.level == 1 for path in live)
    sentence = sum(max(_costs(state, step), default=0.0) for step in STEPS_PER_SENTENCE)
    decision, grade = (max(_costs(state, step), default=0.0) for step in ("DecideRetrieval", "GradeRelevance"))
    return spent_usd(state) + undecided * decision + len(live) * policy.top_k * sentence + policy.beam * grade


def _speculation_for(state: SegmentsState, policy: Policy, live: Sequence[LivePath]) -> Ahead:
    """Return a level's speculative work, limited by the needs of the sequential path."""
    if policy.speculate == "off":
        return ""
    after = (policy.max_segments - state.level) * policy.beam
    if not _fits(state, policy, live, after, 0):
        return ""
    more = max(0, len(live) * policy.top_k - policy.beam)
    return "decide" if after and _fits(state, policy, live, after, more) else "write"


def _fits(state: SegmentsState, policy: Policy, live: Sequence[LivePath], after: int, more: int) -> bool:
    asks = after + sum(path.decision is None for path in live) + more
    sentences = (len(live) + after) * policy.top_k
    if calls(state) + asks + 3 * sentences + policy.beam > policy.max_model_calls:
        return False
    if policy.max_cost_usd is None:
        return True
    dollars = asks * _price(state, "DecideRetrieval") + policy.beam * _price(state, "GradeUtility")
    dollars += sentences * sum(_price(state, step) for step in STEPS_PER_SENTENCE)
    return spent_usd(state) + dollars <= policy.max_cost_usd


def _price(state: SegmentsState, step: str) -> float:
    """Return the highest cost of a step's calls, or of all calls if it made none."""
    return max(_costs(state, step) or _costs(state), default=0.0)


def _costs(state: SegmentsState, step: str = "") -> list[float]:
    entries = [entry for entry in state.ledger if step in ("", entry.step)]
    return [call.cost_usd for entry in entries for call in entry.calls if call.cost_usd is not None]
