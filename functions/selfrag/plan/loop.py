"""The loop of `naive`, `corrective`, `self_rag` and `adaptive`: search, read, answer, retry.

A cycle searches and reads passages in up to two passes, `search` and `read`; then the strategy decides.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from selfrag.domain.answers import NEAREST, Draft
from selfrag.domain.base import Model
from selfrag.domain.ledger import sort_by_path
from selfrag.domain.passages import Strip
from selfrag.domain.steps import GenerateParameters, GradeRelevanceParameters
from selfrag.domain.verdicts import RelevanceVerdict, sort_by_score
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
    SearchReport,
    add_search_metadata,
    entry_of,
    hits_of,
    relevance_of,
    retrieval_of,
    searches_in,
    select_reports,
)
from selfrag.plan.state import State
from selfrag.plan.strategy import NO_TIME, Strategy

Mode = Literal["grounded", "direct"]
# Ranking of answers: the weighted sum of verdicts, then fewer gaps, then more full claims.
Worth = tuple[float, int, int]
# IsRel score of a passage on the subject that lacks the requested fact, by its rubric.
SAME_SUBJECT = 0.3
# Below any answer.
NEVER: Worth = (-10.0, 0, 0)


class Cycle(Model):
    """One round of searching and reading.

    It may `decide` whether to search, search for `queries` or fetch `passage_ids`, search the `web`, `grade` new
    passages and `write` answers in these modes. `aim` is the search's aim; a `repair` uses the existing evidence.
    `hits` are the search results, `new` the unknown ones, `folded` their near-duplicates; `since` is the index of the
    first ledger entry.
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
        """Return whether it searches; fetching an earlier answer's passages is not a search."""
        return bool(self.queries or self.web)


class PreparedQuery(Model):
    """A query prepared `after` this many searches; `new` is false if it was tried before."""

    query: str = ""
    new: bool = False
    after: int = -1


class LoopState(State):
    """The state between two passes of the loop.

    `stage` is the current pass. `direct` answers have no passages. `strips` are the strips that CRAG keeps. `useful`
    compares IsUse of the last answer with the policy's minimum, `useless` counts the answers below it, and `little` is
    the best of them. `missing` are phrases to search for, `seeks` the aim of the next query, `lacking` the answer of
    the last search for missing facts, `unsupported` the evidence of the last unsupported answer, and `failed_claims`
    the claims that a repair omits. `doubtful` if a later search refused a passage on the subject; `statements` are
    phrases that are draft sentences.
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
        """Return whether a query was prepared since the last search."""
        return self.prepared.after == len(self.queries)

    def ran(self, step: str) -> bool:
        """Return whether a step ran, even without a result."""
        return any(entry.step == step for entry in self.ledger)

    def rewrites(self) -> int:
        """Return the number of searches for other queries or missing evidence."""
        return sum(entry.aim in ("rewritten", "missing") for entry in self.ledger)

    def repairs(self) -> int:
        """Return the number of regenerated answers."""
        return sum(entry.repair for entry in self.ledger)

    def refused_passages(self) -> list[str]:
        """Return passages to reconsider: with partial evidence, another query may name their content."""
        seen = [verdict.passage_id for verdict in self.relevance if verdict.passage_id not in self.evidence]
        return seen if self.evidence else []


@dataclass(frozen=True)
class CycleResult:
    """The outcome of a cycle: numbers of new, useful and ungraded passages, and the current answer.

    `verdicts` are the final ones; `answer` is the report of the current answer.
    """

    new: int
    useful: int
    ungraded: int
    verdicts: list[RelevanceVerdict]
    answer: GenerateReport | None


Next = tuple[LoopState, Plan]


class Loop(Strategy[LoopState]):
    """The loop without judges; strategies override its decisions.

    `complexity` adds that verdict to the decision, `strips` grades passages by strip (CRAG).
    """

    state_type = LoopState
    complexity: ClassVar[bool] = False
    strips: ClassVar[bool] = False

    @abstractmethod
    def begin(self, state: LoopState) -> Next:
        """Return the first cycle."""

    def go_on(self, state: LoopState, reports: Sequence[Report]) -> Next:
        """Process search results, or end the cycle after reading."""
        if state.stage == "search":
            return self.read(_add_hits(state, searches_in(reports)))
        return self.end_cycle(state, reports)

    def begin_cycle(self, state: LoopState, cycle: Cycle, why: str) -> Next:
        """Start a cycle with its searches or, without any, with reading."""
        state = state.replace(cycle=cycle.replace(since=len(state.ledger)), turn=state.turn + 1)
        top_k, queries, web = self.policy.top_k, cycle.queries, cycle.web
        searches = []
        if queries or cycle.passage_ids:
            refused = state.refused_passages()
            search = document_search(state, top_k, queries, cycle.passage_ids, refused=refused, shared=bool(web))
            searches.append(search)
        if web:
            searches.append(web_search(state, web, top_k, shared=bool(queries)))
        return self.run(state.replace(stage="search"), searches, why) if searches else self.read(state, why)

    def read(self, state: LoopState, why: str = "") -> Next:
        """Write, decide and grade as the cycle requires; continue at once without steps."""
        cycle = state.cycle
        # A search without new passages only allows a repair.
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
        """Process the reading of a cycle and decide what follows."""
        state, evidence = self.take_in(_add_decision(state, reports, complexity=self.complexity), reports)
        if self.is_late(state):
            return self.compose(state, NO_TIME)
        if evidence.answer:
            return self.accept_answer(state, evidence, evidence.answer)
        if state.direct:
            return self.begin_cycle(state, Cycle(write=["direct"]), "No search is needed: answer without documents.")
        if state.recall:
            ids = [verdict.passage_id for verdict in state.previous_relevance]
            why = f"The earlier evidence will do: fetch its {count(len(ids), 'passage')} again."
            return self.begin_cycle(state, Cycle(passage_ids=ids), why)
        if state.cycle.broken and not evidence.new and not state.cycle.web:
            return self.compose(state, "The search failed")
        return self.try_evidence(state, evidence)

    def take_in(self, state: LoopState, reports: Sequence[Report]) -> tuple[LoopState, CycleResult]:
        """Add the evidence and answer of a cycle to the state.

        Speculative work is kept only if the sequential path would have produced it: a needed search, and a draft that
        cites only evidence. The rest is waste.
        """
        cycle = state.cycle
        counts, grades = not (state.recall or state.direct), state.reflects or self.strips
        graded = select_reports(reports, GradeRelevanceReport) if grades else []
        verdicts = [relevance_of(report, report.id, state.documents.get(report.id, "")) for report in graded]
        useful = _find_evidence(cycle, verdicts, grades=grades)
        answer = self._answer(state, select_reports(reports, GenerateReport), useful, counts=counts)
        state = _add_entries(state, reports, useful, answer, counts=counts, grades=grades)
        if counts:
            state = _add_evidence(state, useful, verdicts)
            if self.strips:
                strips = {verdict.passage_id: verdict.strips for verdict in verdicts if verdict.passage_id in useful}
                state = state.replace(strips={**state.strips, **strips})
        if answer:
            draft = Draft(**dict(answer.text), direct=state.direct, cut=answer.flaw == "cut")
            state = state.replace(draft=draft)
        ungraded = sum(verdict.label == "ungraded" for verdict in verdicts)
        if not counts:
            return state, CycleResult(0, 0, ungraded, [], answer)
        return state, CycleResult(len(cycle.new), len(useful), ungraded, verdicts, answer)

    def _answer(
        self, state: LoopState, texts: Sequence[GenerateReport], useful: Sequence[str], *, counts: bool
    ) -> GenerateReport | None:
        """Return the text that the sequential path would also have produced."""
        mode = "direct" if state.direct else "grounded"
        text = next((report for report in texts if report.id == mode), None)
        if text is None or state.direct:
            return text
        may_repair = bool(state.failed_claims) and state.repairs() < self.policy.max_regenerations
        needed = not state.cycle.searches or useful or may_repair
        return text if counts and needed and _is_sound(state, text, useful) else None

    def try_evidence(self, state: LoopState, evidence: CycleResult) -> Next:
        """Answer from the evidence, or search again.

        If no passage could be graded, the grader is down and another search would not help.
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
        """Search for the question, or a follow-up's standalone query."""
        query = (state.retrieval.query if state.retrieval else "") or state.brief.question
        return self.begin_cycle(state, self.search(state, [query]), f"{why}: search the documents.")

    def search(self, state: LoopState, queries: list[str]) -> Cycle:
        """Return a search; unless speculation is off, a draft is written in parallel with grading."""
        waits = self.policy.speculate == "off" and state.reflects
        return Cycle(queries=queries, grade=state.reflects, write=[] if waits else ["grounded"])

    def accept_answer(self, state: LoopState, evidence: CycleResult, answer: GenerateReport) -> Next:
        """Return the answer unchecked."""
        if answer.text.answered:
            return self.compose(state, f"{draft_in_words(state, evidence)}: it goes out, and nothing of it is checked")
        return self.compose(state, "The passages do not hold the answer")

    def next_try(self, state: LoopState, why: str) -> Next:
        """End: no further attempt is possible."""
        return self.compose(state, why)

    def run(self, state: LoopState, planned: list[PlannedStep], why: str) -> Next:
        """Return a pass with these steps; after a throttle, two graders at a time."""
        at_once = AT_ONCE
        if was_throttled(state):
            at_once = AT_ONCE_WHEN_THROTTLED + sum(step.step != "GradeRelevance" for step in planned)
        # An abstention shows the nearest document passages, even though they are not used.
        near = sort_by_score(state.relevance)[:NEAREST]
        keep = list(dict.fromkeys([*state.evidence, *state.cycle.new, *near]))
        return state, Plan(why=why, turn=state.turn, steps=planned, keep=keep, at_once=at_once)


class Naive(Loop):
    """Plain RAG without decision, grades or judges."""

    def begin(self, state: LoopState) -> Next:
        """Search for the question and answer from all passages."""
        first = Cycle(queries=[state.brief.question], grade=False, write=["grounded"])
        return self.begin_cycle(state.replace(reflects=False), first, "Search for the question.")


def _add_hits(state: LoopState, reports: Sequence[SearchReport]) -> LoopState:
    """Add the search results; known passages are not read again."""
    hits = [hit.passage_id for report in reports for hit in hits_of(report)]
    cycle = state.cycle
    seen = {*state.seen}.difference(state.refused_passages())
    new = [] if cycle.passage_ids else [passage_id for passage_id in hits if passage_id not in seen]
    results = [report.result for report in reports if report.result]
    aims = [cycle.aim if report.step == "Retrieve" and report.result else "" for report in reports]
    entries = [entry_of(report, state.turn, aim=aim) for report, aim in zip(reports, aims, strict=True)]
    cycle = cycle.replace(
        hits=hits,
        new=list(dict.fromkeys(new)),
        folded=[passage_id for result in results for passage_id in result.folded],
        bytes=sum(result.bytes for result in results),
        broken=any(report.error for report in reports),
    )
    return add_search_metadata(state, reports).add_entries(entries).replace(cycle=cycle)


def _add_decision(state: LoopState, reports: Sequence[Report], *, complexity: bool) -> LoopState:
    """Add the decision, if any; a simple question is not reflected on."""
    decisions = select_reports(reports, DecideRetrievalReport)
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


def _find_evidence(cycle: Cycle, verdicts: Sequence[RelevanceVerdict], *, grades: bool) -> list[str]:
    """Return the evidence: relevant passages, else ambiguous ones, or all if none is graded."""
    if cycle.passage_ids:
        return cycle.hits
    if not grades:
        return cycle.new
    kind = "relevant" if any(verdict.label == "relevant" for verdict in verdicts) else "ambiguous"
    return [verdict.passage_id for verdict in verdicts if verdict.label == kind]


def _is_sound(state: LoopState, text: GenerateReport, useful: Sequence[str]) -> bool:
    """Return whether the draft from all passages could have come from the evidence alone."""
    if not state.cycle.searches or len(useful) == len(state.cycle.new):
        return True
    sources = {*state.evidence, *useful}
    cited = [citation.passage_id for citation in text.text.citations]
    # The writer saw rejected passages: words found only there may come from them.
    words_hold = all(sources.intersection(holders) for holders in text.text.word_sources)
    return bool(text.text.answered and text.flaw is None and cited) and sources.issuperset(cited) and words_hold


def _add_entries(
    state: LoopState,
    reports: Sequence[Report],
    useful: Sequence[str],
    answer: GenerateReport | None,
    *,
    counts: bool,
    grades: bool,
) -> LoopState:
    cycle = state.cycle
    of_search = {"useful": len(useful)} if cycle.searches else {}
    entries = [
        entry.model_copy(update=of_search if counts else {"waste": True}) for entry in state.ledger[cycle.since :]
    ]
    repair = cycle.repair or (cycle.searches and bool(state.failed_claims) and not useful)
    for report in reports:
        if report.step == "Generate":
            entries.append(entry_of(report, state.turn, waste=report is not answer, repair=repair and report is answer))
        else:
            waste = report.step == "GradeRelevance" and not (counts and grades)
            entries.append(entry_of(report, state.turn, waste=waste))
    return state.replace(ledger=[*state.ledger[: cycle.since], *sort_by_path(entries)])


def _add_evidence(state: LoopState, useful: Sequence[str], verdicts: Sequence[RelevanceVerdict]) -> LoopState:
    cycle = state.cycle
    state = state.replace(evidence=[*state.evidence, *useful], bytes=state.bytes + cycle.bytes)
    if cycle.passage_ids:
        fetched = [verdict for verdict in state.previous_relevance if verdict.passage_id in cycle.hits]
        return state.replace(relevance=fetched, seen=[*state.seen, *cycle.hits])
    graded = {verdict.passage_id for verdict in state.relevance}
    state = state.merge_relevance(verdicts)
    if not cycle.searches:
        return state
    queries = cycle.queries or [cycle.web]
    near = any(not verdict.relevant and (verdict.score or 0.0) >= SAME_SUBJECT for verdict in verdicts)
    return state.replace(
        seen=[*state.seen, *cycle.hits, *cycle.folded],
        query=cycle.queries[-1] if cycle.queries else state.query,
        queries=[*state.queries, *dict.fromkeys(query for query in queries if query not in state.queries)],
        stalled=not useful and graded.issuperset(cycle.new),
        doubtful=state.doubtful or bool(other_queries(state, queries) and near),
    )


def _reading_in_words(state: LoopState, planned: Sequence[PlannedStep]) -> str:
    kinds = {step.step for step in planned}
    does = {"GradeRelevance": "grade them", "DecideRetrieval": "decide whether they are needed", "Generate": "draft"}
    words = ", ".join(word for step, word in does.items() if step in kinds)
    return f"{count(len(state.cycle.new), 'new passage')}: {words}."


def relevant_in_words(evidence: CycleResult) -> str:
    """Describe the number of new evidence passages."""
    labels = [verdict.label for verdict in evidence.verdicts]
    if not labels:
        return count(evidence.useful, "passage") if evidence.useful else "Nothing new was found"
    kind = "ambiguous" if evidence.useful and "relevant" not in labels else "relevant"
    if any(verdict.judged_by == "rule" for verdict in evidence.verdicts):
        kind = "similar enough" if kind == "relevant" else "of some similarity"
    ungraded = f", {evidence.ungraded} not graded" if evidence.ungraded else ""
    return f"{evidence.useful} of {count(len(labels), 'passage')} {kind}{ungraded}"


def draft_in_words(state: LoopState, evidence: CycleResult) -> str:
    """Describe an answer's basis."""
    if state.direct:
        return "An answer without documents"
    if state.cycle.repair:
        return "The answer was repaired"
    if not evidence.verdicts:
        return f"An answer from {count(len(state.evidence), 'passage')}"
    draft = "the draft cites only these" if state.cycle.searches else "the answer is written from these"
    return f"{relevant_in_words(evidence)}; {draft}"
