"""The loop of `naive`, `corrective`, `self_rag` and `adaptive`: search, read, answer, and try again.

A cycle is a search with the reading of its passages. It takes up to two passes, `search` and `read`; then the
strategy decides what follows.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from selfrag.domain.answers import NEAREST, Draft
from selfrag.domain.base import Model
from selfrag.domain.ledger import Entry, in_order
from selfrag.domain.passages import Strip
from selfrag.domain.steps import GenerateParameters, GradeRelevanceParameters
from selfrag.domain.verdicts import RelevanceVerdict, nearest
from selfrag.plan.limits import share_usd, was_throttled
from selfrag.plan.passes import (
    AT_ONCE,
    AT_ONCE_WHEN_THROTTLED,
    Plan,
    PlannedStep,
    count,
    decision,
    document_search,
    other_queries,
    web_search,
)
from selfrag.plan.reports import (
    DecideRetrievalReport,
    GenerateReport,
    GradeRelevanceReport,
    Report,
    RetrieveReport,
    SearchReport,
    entry_of,
    hits_of,
    of_type,
    relevance_of,
    retrieval_of,
    searches_in,
    with_searches,
)
from selfrag.plan.state import State
from selfrag.plan.strategy import NO_TIME, Strategy

Mode = Literal["grounded", "direct"]
# The order of answers: the weighted sum of their verdicts; at a tie, fewer parts not said, then more full claims.
Worth = tuple[float, int, int]
# The score of a passage on the same subject without any part of the asked fact, by the rubric of IsRel.
SAME_SUBJECT = 0.3
# No answer is worth so little.
NEVER: Worth = (-10.0, 0, 0)


class Cycle(Model):
    """A search with the reading of its passages, or a part of that.

    It may `decide` whether a search is needed, search for `queries` or fetch `passage_ids`, search the `web`, `grade`
    new passages and `write` answers in these modes. `aim` is the aim of a search, and a `repair` is written from the
    evidence at hand. `hits` are the passages of the searches, `new` the ones that are not known yet, `folded`
    are their near-duplicates; `since` is the index of its first entry in the ledger.
    """

    decide: bool = False
    queries: list[str] = []
    passage_ids: list[str] = []
    web: str = ""
    grade: bool = True
    write: list[Mode] = []
    aim: Literal["question", "missing", "rewritten"] = "question"
    repair: bool = False
    hits: list[str] = []
    new: list[str] = []
    folded: list[str] = []
    bytes: int = 0
    broken: bool = False
    since: int = 0

    @property
    def searches(self) -> bool:
        """Return whether it searches for passages; fetching those of an earlier answer is no search."""
        return bool(self.queries or self.web)


class PreparedQuery(Model):
    """A query prepared `after` so many were searched; `new` is false if it was tried before."""

    query: str = ""
    new: bool = False
    after: int = -1


class LoopState(State):
    """The state between two passes of the loop.

    `stage` is the current pass. `direct` answers rest on no passage. `strips` are the parts of passages that CRAG
    keeps, and `useful` is IsUse of the last answer against the policy's minimum; `useless` counts the answers below it,
    `little` is the best of them. `missing` are phrases to search for, `seeks` is the aim of the next query,
    `lacking` is the answer that missing facts were last searched for, `unsupported` the evidence of the last answer
    without support, and `failed_claims` are the claims that a repair leaves out. `doubtful` says that a search for
    another query brought a passage on the subject that was refused, `statements` are the phrases that are sentences of
    a draft.
    """

    stage: Literal["search", "read", "reflect"] = "search"
    cycle: Cycle = Cycle()
    direct: bool = False
    recall: bool = False
    query: str = ""
    evidence: list[str] = []
    strips: dict[str, list[Strip]] = {}
    check: bool = False
    useful: Literal["yes", "no", "ungraded"] = "ungraded"
    useless: int = 0
    best_score: Worth = NEVER
    little: Draft = Draft()
    little_score: Worth = NEVER
    failed_claims: list[str] = []
    missing: list[str] = []
    statements: list[str] = []
    lacking: str = ""
    unsupported: list[str] = []
    doubtful: bool = False
    seeks: Literal["rewritten", "missing"] = "rewritten"
    prepared: PreparedQuery = PreparedQuery()
    stalled: bool = False

    @property
    def has_query(self) -> bool:
        """Return whether the next query was prepared since the last search."""
        return self.prepared.after == len(self.queries)

    def ran(self, step: str) -> bool:
        """Return whether a step ran, with or without a result."""
        return any(entry.step == step for entry in self.ledger)

    def rewrites(self) -> int:
        """Return the number of searches for another query or for missing evidence."""
        return sum(entry.aim in ("rewritten", "missing") for entry in self.ledger)

    def repairs(self) -> int:
        """Return the number of answers that were written again without the claims that failed."""
        return sum(entry.repair for entry in self.ledger)

    def fruitless(self) -> int:
        """Return the number of the last two searches of the documents that brought no evidence."""
        searches = [entry for entry in self.ledger if entry.step == "Retrieve"]
        return sum(entry.useful == 0 for entry in searches[-2:])

    def refused(self) -> list[str]:
        """Return the passages that may come again: once a part is known, another query may name what they state."""
        seen = [verdict.passage_id for verdict in self.relevance if verdict.passage_id not in self.evidence]
        return seen if self.evidence else []

    def with_entries_of_cycle(self, entries: list[Entry]) -> Self:
        """Return the same with these entries in place of the cycle's, in a path's order."""
        return self.replace(ledger=[*self.ledger[: self.cycle.since], *in_order(entries)])


@dataclass(frozen=True)
class CycleResult:
    """What a cycle brought: the numbers of new, useful and ungraded passages, and the current answer.

    `verdicts` are those that count, `answer` is the report of the text that is the answer now.
    """

    new: int
    useful: int
    ungraded: int
    verdicts: list[RelevanceVerdict]
    answer: GenerateReport | None


Next = tuple[LoopState, Plan]


class Loop(Strategy[LoopState]):
    """The loop without judges; a strategy overrides the decisions that differ.

    With `complexity` the decision also judges the question's complexity, with `strips` a passage's strips are graded
    (CRAG).
    """

    state_type = LoopState
    complexity: ClassVar[bool] = False
    strips: ClassVar[bool] = False

    @abstractmethod
    def begin(self, state: LoopState) -> Next:
        """Return the first cycle."""

    def go_on(self, state: LoopState, reports: Sequence[Report]) -> Next:
        """Read what the searches brought; after the reading, decide what follows."""
        if state.stage == "search":
            return self.read(_with_hits(state, searches_in(reports)))
        return self.end_cycle(state, reports)

    def begin_cycle(self, state: LoopState, cycle: Cycle, why: str) -> Next:
        """Begin a cycle: with its searches, or with the reading if it has none."""
        cycle = cycle.model_copy(update={"since": len(state.ledger)})
        state = state.replace(cycle=cycle, turn=state.turn + 1)
        top_k, queries, web = self.policy.top_k, cycle.queries, cycle.web
        searches = []
        if queries or cycle.passage_ids:
            refused = state.refused()
            searches.append(
                document_search(state, top_k, queries, cycle.passage_ids, refused=refused, shared=bool(web))
            )
        if web:
            searches.append(web_search(state, web, top_k, shared=bool(queries)))
        return self.run(state.replace(stage="search"), searches, why) if searches else self.read(state, why)

    def read(self, state: LoopState, why: str = "") -> Next:
        """Write, decide and grade, as far as the cycle says; go on at once if there is nothing to do."""
        cycle = state.cycle
        # A search without new passages allows only a repair.
        may_write = not cycle.searches or bool(cycle.new or state.failed_claims)
        planned = [self._text(state, mode) for mode in cycle.write if mode == "direct" or may_write]
        if cycle.decide:
            planned.append(decision(self.policy, complexity=self.complexity))
        planned += self._grades(state, cycle.new if cycle.grade else [])
        if not planned:
            return self.end_cycle(state, [])
        return self.run(state.replace(stage="read"), planned, why or _reading_in_words(state, planned))

    def _text(self, state: LoopState, mode: Mode) -> PlannedStep:
        ids = [] if mode == "direct" else [*state.evidence, *state.cycle.new]
        task = GenerateParameters(
            mode=mode,
            draft=state.draft.answer,
            failed_claims=state.failed_claims,
            strips={passage_id: strips for passage_id, strips in state.strips.items() if passage_id in ids and strips},
            budget_usd=share_usd(state, self.policy, 0.6 / len(state.cycle.write)),
        )
        return PlannedStep(task=task, id=mode, passage_ids=ids)

    def _grades(self, state: LoopState, passage_ids: Sequence[str]) -> list[PlannedStep]:
        if not passage_ids:
            return []
        task = GradeRelevanceParameters(
            query=other_queries(state, state.cycle.queries or [state.cycle.web]),
            relevance_threshold=self.policy.relevance_threshold,
            lower_threshold=self.policy.lower_threshold if self.strips else None,
            budget_usd=share_usd(state, self.policy, 0.3 / len(passage_ids)),
        )
        return [PlannedStep(task=task, id=passage_id, passage_ids=[passage_id]) for passage_id in passage_ids]

    def end_cycle(self, state: LoopState, reports: Sequence[Report]) -> Next:
        """Take in the reading of a cycle, and decide what follows."""
        state, evidence = self.take_in(_with_decision(state, reports, complexity=self.complexity), reports)
        if self.is_late(state):
            return self.compose(state, NO_TIME)
        if evidence.answer:
            return self.answered(state, evidence, evidence.answer)
        if state.direct:
            return self.begin_cycle(state, Cycle(write=["direct"]), "No search is needed: answer without documents.")
        if state.recall:
            ids = [verdict.passage_id for verdict in state.previous_relevance]
            why = f"The earlier evidence will do: fetch its {count(len(ids), 'passage')} again."
            return self.begin_cycle(state, Cycle(passage_ids=ids), why)
        if state.cycle.broken and not evidence.new and not state.cycle.web:
            return self.compose(state, "The search failed")
        return self.unanswered(state, evidence)

    def take_in(self, state: LoopState, reports: Sequence[Report]) -> tuple[LoopState, CycleResult]:
        """Return the state with the evidence and the answer of a cycle.

        Speculative work is kept only if the sequential path would have produced it: the search if one is needed, and
        the draft if all that it cites is evidence. The rest is waste.
        """
        cycle = state.cycle
        counts, grades = not (state.recall or state.direct), state.reflects or self.strips
        graded = of_type(reports, GradeRelevanceReport) if grades else []
        verdicts = [relevance_of(report, report.id, state.documents.get(report.id, "")) for report in graded]
        useful = _useful(cycle, verdicts, grades=grades)
        answer = self._answer(state, of_type(reports, GenerateReport), useful, counts=counts)
        state = _with_entries(state, reports, useful, answer, counts=counts, grades=grades)
        if counts:
            state = _with_evidence(state, useful, verdicts)
            if self.strips:
                strips = {verdict.passage_id: verdict.strips for verdict in verdicts if verdict.passage_id in useful}
                state = state.replace(strips={**state.strips, **strips})
        if answer:
            state = state.replace(draft=_draft(answer, direct=state.direct))
        ungraded = sum(verdict.label == "ungraded" for verdict in verdicts)
        if not counts:
            return state, CycleResult(0, 0, ungraded, [], answer)
        return state, CycleResult(len(cycle.new), len(useful), ungraded, verdicts, answer)

    def _answer(
        self, state: LoopState, texts: Sequence[GenerateReport], useful: Sequence[str], *, counts: bool
    ) -> GenerateReport | None:
        """Return the text that is the answer: one that the sequential path would have produced, too."""
        mode = "direct" if state.direct else "grounded"
        text = next((report for report in texts if report.id == mode), None)
        if text is None or state.direct:
            return text
        may_repair = bool(state.failed_claims) and state.repairs() < self.policy.max_regenerations
        needed = not state.cycle.searches or useful or may_repair
        return text if counts and needed and _is_sound(state, text, useful) else None

    def unanswered(self, state: LoopState, evidence: CycleResult) -> Next:
        """Answer from the evidence, or search: for the first time, or in another way.

        If no passage could be graded, the grader is down, and another search would not help.
        """
        if evidence.useful:
            draft = "; the draft cites others" if state.cycle.write else ""
            why = f"{relevant_in_words(evidence)}{draft}: answer from the evidence."
            return self.begin_cycle(state, Cycle(write=["grounded"]), why)
        if not state.cycle.searches:
            return self.first_search(state, "A search is needed")
        if evidence.new and evidence.ungraded == evidence.new:
            return self.compose(state, f"None of {count(evidence.new, 'passage')} could be graded")
        return self.next_try(state, relevant_in_words(evidence))

    def first_search(self, state: LoopState, why: str) -> Next:
        """Search for the question; for a follow-up, in the words that stand alone."""
        worded = state.retrieval.query if state.retrieval else ""
        return self.begin_cycle(
            state, self.search(state, [worded or state.brief.question]), f"{why}: search the documents."
        )

    def search(self, state: LoopState, queries: list[str]) -> Cycle:
        """Return a search; a draft is written in parallel with the grades, unless speculation is off."""
        waits = self.policy.speculate == "off" and state.reflects
        return Cycle(queries=queries, grade=state.reflects, write=[] if waits else ["grounded"])

    def answered(self, state: LoopState, evidence: CycleResult, answer: GenerateReport) -> Next:
        """Let the answer go out unchecked."""
        if answer.text.answered:
            return self.compose(state, f"{draft_in_words(state, evidence)}: it goes out, and nothing of it is checked")
        return self.compose(state, "The passages do not hold the answer")

    def next_try(self, state: LoopState, why: str) -> Next:
        """End: there is no other try."""
        return self.compose(state, why)

    def run(self, state: LoopState, planned: list[PlannedStep], why: str) -> Next:
        """Return the pass that runs these steps; two graders at a time once the model was throttled."""
        at_once = AT_ONCE
        if was_throttled(state):
            at_once = AT_ONCE_WHEN_THROTTLED + sum(step.step != "GradeRelevance" for step in planned)
        # An abstention shows what came nearest in the documents, though nothing is written from it.
        near = nearest(state.relevance)[:NEAREST]
        keep = list(dict.fromkeys([*state.evidence, *state.cycle.new, *near]))
        return state, Plan(why=why, turn=state.turn, steps=planned, keep=keep, at_once=at_once)


class Naive(Loop):
    """Plain RAG: the loop without a decision, a grade or a judge."""

    def begin(self, state: LoopState) -> Next:
        """Search for the question, and answer from all passages."""
        first = Cycle(queries=[state.brief.question], grade=False, write=["grounded"])
        return self.begin_cycle(state.replace(reflects=False), first, "Search for the question.")


def _with_hits(state: LoopState, reports: Sequence[SearchReport]) -> LoopState:
    """Return the state with the passages of the searches; those of earlier searches are not read again."""
    hits = [hit.passage_id for report in reports for hit in hits_of(report)]
    cycle = state.cycle
    seen = {*state.seen}.difference(state.refused())
    new = [] if cycle.passage_ids else [passage_id for passage_id in hits if passage_id not in seen]
    results = [report.result for report in reports if report.result]
    return with_searches(state, reports).replace(
        ledger=[*state.ledger, *(_search_entry(state, report) for report in reports)],
        cycle=cycle.model_copy(
            update={
                "hits": hits,
                "new": list(dict.fromkeys(new)),
                "folded": [passage_id for result in results for passage_id in result.folded],
                "bytes": sum(result.bytes for result in results),
                "broken": any(report.error for report in reports),
            }
        ),
    )


def _search_entry(state: LoopState, report: SearchReport) -> Entry:
    if report.error or not isinstance(report, RetrieveReport):
        return entry_of(report, state.turn)
    return entry_of(report, state.turn, aim=state.cycle.aim, hits=len(hits_of(report)))


def _with_decision(state: LoopState, reports: Sequence[Report], *, complexity: bool) -> LoopState:
    """Return the state with the decision, if one was made; a simple question is not reflected on."""
    decisions = of_type(reports, DecideRetrievalReport)
    if not decisions:
        return state.replace(recall=False)
    verdict = retrieval_of(decisions[0])
    simple = complexity and verdict.complexity == "simple"
    return state.replace(
        retrieval=verdict,
        recall=verdict.decision == "continue" and bool(state.previous_relevance),
        direct=verdict.decision == "no" or state.direct,
        reflects=state.reflects and not simple,
    )


def _useful(cycle: Cycle, verdicts: Sequence[RelevanceVerdict], *, grades: bool) -> list[str]:
    """Return the passages that are evidence: the relevant ones, else the ambiguous, or all if nothing is graded."""
    if cycle.passage_ids:
        return cycle.hits
    if not grades:
        return cycle.new
    kind = "relevant" if any(verdict.label == "relevant" for verdict in verdicts) else "ambiguous"
    return [verdict.passage_id for verdict in verdicts if verdict.label == kind]


def _is_sound(state: LoopState, text: GenerateReport, useful: Sequence[str]) -> bool:
    """Return whether a draft from all passages is the answer that the evidence alone would have given."""
    if not state.cycle.searches or len(useful) == len(state.cycle.new):
        return True
    sources = {*state.evidence, *useful}
    cited = [citation.passage_id for citation in text.text.citations]
    # The writer saw the rejected passages: a word that only they hold may be theirs.
    words_hold = all(sources.intersection(holders) for holders in text.text.word_sources)
    return bool(text.text.answered and text.flaw is None and cited) and sources.issuperset(cited) and words_hold


def _draft(answer: GenerateReport, *, direct: bool) -> Draft:
    return Draft(
        answer=answer.text.answer,
        citations=answer.text.citations,
        not_said=answer.text.not_said,
        missing=answer.text.missing,
        direct=direct,
        cut=answer.flaw == "cut",
    )


def _with_entries(
    state: LoopState,
    reports: Sequence[Report],
    useful: Sequence[str],
    answer: GenerateReport | None,
    *,
    counts: bool,
    grades: bool,
) -> LoopState:
    """Return the state with the cycle in its ledger, waste marked."""
    cycle = state.cycle
    of_search = {"useful": len(useful)} if cycle.searches else {}
    entries = [
        entry.model_copy(update=of_search if counts else {"waste": True}) for entry in state.ledger[cycle.since :]
    ]
    repair = cycle.repair or (cycle.searches and bool(state.failed_claims) and not useful)
    for report in reports:
        if isinstance(report, GenerateReport):
            entries.append(entry_of(report, state.turn, waste=report is not answer, repair=repair and report is answer))
        else:
            waste = isinstance(report, GradeRelevanceReport) and not (counts and grades)
            entries.append(entry_of(report, state.turn, waste=waste))
    return state.with_entries_of_cycle(entries)


def _with_evidence(state: LoopState, useful: Sequence[str], verdicts: Sequence[RelevanceVerdict]) -> LoopState:
    """Return the state with the passages of a needed search, and its queries."""
    cycle = state.cycle
    state = state.replace(evidence=[*state.evidence, *useful], bytes=state.bytes + cycle.bytes)
    if cycle.passage_ids:
        fetched = [verdict for verdict in state.previous_relevance if verdict.passage_id in cycle.hits]
        return state.replace(relevance=fetched, seen=[*state.seen, *cycle.hits])
    graded = {verdict.passage_id for verdict in state.relevance}
    state = state.with_relevance(verdicts)
    if not cycle.searches:
        return state
    queries = cycle.queries or [cycle.web]
    return state.replace(
        seen=[*state.seen, *cycle.hits, *cycle.folded],
        query=cycle.queries[-1] if cycle.queries else state.query,
        queries=[*state.queries, *dict.fromkeys(query for query in queries if query not in state.queries)],
        stalled=not useful and graded.issuperset(cycle.new),
        doubtful=state.doubtful or bool(other_queries(state, queries) and _are_near(verdicts)),
    )


def _are_near(verdicts: Sequence[RelevanceVerdict]) -> bool:
    return any(not verdict.relevant and (verdict.score or 0.0) >= SAME_SUBJECT for verdict in verdicts)


def _reading_in_words(state: LoopState, planned: Sequence[PlannedStep]) -> str:
    kinds = {step.step for step in planned}
    does = {"GradeRelevance": "grade them", "DecideRetrieval": "decide whether they are needed", "Generate": "draft"}
    words = ", ".join(word for step, word in does.items() if step in kinds)
    return f"{count(len(state.cycle.new), 'new passage')}: {words}."


def relevant_in_words(evidence: CycleResult) -> str:
    """Return the number of new passages that are evidence, in words."""
    labels = [verdict.label for verdict in evidence.verdicts]
    if not labels:
        return count(evidence.useful, "passage") if evidence.useful else "Nothing new was found"
    kind = "ambiguous" if evidence.useful and "relevant" not in labels else "relevant"
    if any(verdict.judged_by == "rule" for verdict in evidence.verdicts):
        kind = "similar enough" if kind == "relevant" else "of some similarity"
    ungraded = f", {evidence.ungraded} not graded" if evidence.ungraded else ""
    return f"{evidence.useful} of {count(len(labels), 'passage')} {kind}{ungraded}"


def draft_in_words(state: LoopState, evidence: CycleResult) -> str:
    """Return the basis of an answer in words."""
    if state.direct:
        return "An answer without documents"
    if state.cycle.repair:
        return "The answer was repaired"
    if not evidence.verdicts:
        return f"An answer from {count(len(state.evidence), 'passage')}"
    draft = "the draft cites only these" if state.cycle.searches else "the answer is written from these"
    return f"{relevant_in_words(evidence)}; {draft}"
