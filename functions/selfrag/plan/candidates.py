"""candidates: one answer per passage with its critique; the best one wins (arXiv 2310.11511, 3.3).

Each source takes up to four passes: `search`, `read` (possibly in parallel with the decision), `write` and `reflect`.
Then `pick` compares all answers so far.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Self

from selfrag.domain.ledger import sort_by_path
from selfrag.domain.policy import Policy
from selfrag.domain.scores.critiqued import CritiquedAnswer, draft_of
from selfrag.domain.scores.shown import Stopped
from selfrag.domain.steps import (
    CandidateAnswers,
    GenerateParameters,
    GradeRelevanceParameters,
    GradeSupportParameters,
    GradeUtilityParameters,
    PickCandidateParameters,
    RetrievalResult,
)
from selfrag.plan.limits import calls, spent_usd, was_throttled
from selfrag.plan.passes import AT_ONCE, Plan, PlannedStep, count, decision, document_search, other_queries, web_search
from selfrag.plan.reports import (
    DecideRetrievalReport,
    GenerateReport,
    GradeRelevanceReport,
    PickCandidateReport,
    Report,
    add_search_metadata,
    citation_repair,
    critique_of,
    entry_of,
    relevance_of,
    retrieval_of,
    searches_in,
    select_reports,
)
from selfrag.plan.state import State
from selfrag.plan.strategy import NO_TIME, Strategy

Source = Literal["", "documents", "previous", "web", "direct"]
Stage = Literal["search", "read", "write", "reflect", "pick"]
SOURCES: dict[Source, str] = {
    "documents": "search the documents",
    "previous": "fetch the earlier evidence",
    "web": "search the web",
    "direct": "answer without documents",
}
# After a throttle: two answers at a time, each with two steps.
AT_ONCE_WHEN_THROTTLED = 4
# Maximum calls to Claude per answer: IsRel, text, IsSup and IsUse; the last two for a written one.
FROM_A_PASSAGE, WITHOUT_ONE = 4, 2


class Candidate(CritiquedAnswer):
    """An answer in progress, from one passage or none.

    It is `aside` if its passage is excluded, `written` once a text was requested, and `answered` if that is an answer.
    `spent_usd` is its cost.
    """

    aside: bool = False
    written: bool = False
    answered: bool = False
    spent_usd: float = 0.0

    def add_text(self, report: GenerateReport) -> Self:
        """Add the text of a report."""
        text = report.text
        return self.replace(
            answer=text.answer,
            citations=text.citations,
            not_said=text.not_said,
            answered=text.answered,
            cut=report.flaw == "cut",
            written=True,
        )

    def add_cost(self, report: GradeRelevanceReport | GenerateReport) -> Self:
        """Add the cost of a step."""
        cost = sum(call.cost_usd or 0.0 for call in report.result.calls) if report.result else 0.0
        return self.replace(spent_usd=self.spent_usd + cost)

    @property
    def waits(self) -> bool:
        """Return whether its text is pending."""
        return not self.aside and not self.written

    @property
    def is_judgeable(self) -> bool:
        """Return whether its text needs a verdict."""
        return self.answered and not self.aside

    @property
    def outcome(self) -> CritiquedAnswer:
        """Return the fields to compare."""
        if not self.is_judgeable:
            return CritiquedAnswer(passage_id=self.passage_id, relevance=self.relevance)
        return CritiquedAnswer.model_construct(**{name: getattr(self, name) for name in CritiquedAnswer.model_fields})


class CandidatesState(State):
    """The state between two passes of `candidates`.

    `source` is the current source; `decides` if the decision runs in parallel. `new` are its new passages, `hits` all
    of them with near-duplicates, `items` the answers in progress, `since` the index of their first ledger entry.
    `second` counts the remaining second opinions; `ungraded` if no passage of the source had a verdict.
    """

    stage: Stage = "search"
    source: Source = ""
    decides: bool = False
    query: str = ""
    hits: list[str] = []
    new: list[str] = []
    new_bytes: int = 0
    items: list[Candidate] = []
    compared: CandidateAnswers = CandidateAnswers()
    share_usd: float | None = None
    second: int = 0
    ungraded: bool = False
    stopped: Stopped = ""
    since: int = 0

    def share(self, part: float) -> float | None:
        """Return this share of an answer's budget."""
        return None if self.share_usd is None else part * self.share_usd


Next = tuple[CandidatesState, Plan]


class CandidatesStrategy(Strategy[CandidatesState]):
    """One answer per passage, then the best of them."""

    state_type = CandidatesState

    def begin(self, state: CandidatesState) -> Next:
        """Decide whether to search, unless the policy does; with `full`, answer from documents meanwhile."""
        state = state.replace(query=state.brief.question)
        if self.policy.retrieval != "adaptive":
            source: Source = "direct" if self.policy.retrieval == "never" else "documents"
            return self.gather(state, source, f"The policy says {self.policy.retrieval}")
        # Claude's decision words the query of a follow-up.
        if self.policy.speculate == "full" and not state.brief.previous.answer:
            return self.gather(state, "documents", "Ahead of the decision", decides=True)
        return self.gather(state, "", "", decides=True)

    def go_on(self, state: CandidatesState, reports: Sequence[Report]) -> Next:
        """Process the reports of the current stage and return the next pass."""
        handlers: dict[Stage, Callable[[CandidatesState, Sequence[Report]], Next]] = {
            "search": self.take_passages,
            "read": self.read,
            "write": self.take_texts,
            "reflect": self.take_verdicts,
            "pick": self.take_choice,
        }
        return handlers[state.stage](state, reports)

    def gather(self, state: CandidatesState, source: Source, why: str, *, decides: bool = False) -> Next:
        """Start answering from a source, with a search if it has passages."""
        empty = {"hits": [], "new": [], "new_bytes": 0, "items": [], "stopped": ""}
        state = state.replace(source=source, decides=decides, since=len(state.ledger), turn=state.turn + 1, **empty)
        if source == "":
            return self.begin_reading(state, "Decide whether a search is needed.")
        if source == "direct":
            state = state.replace(items=[Candidate(passage_id=None)])
            return self.begin_reading(state, f"{why}: {SOURCES[source]}.")
        if source == "web":
            search = web_search(state, state.query, self.policy.top_k)
        else:
            evidence = state.previous_relevance if source == "previous" else []
            ids = [verdict.passage_id for verdict in evidence]
            search = document_search(state, self.policy.top_k, [state.query], ids)
        return self.run(state.replace(stage="search"), [search], f"{why}: {SOURCES[source]}.")

    def take_passages(self, state: CandidatesState, reports: Sequence[Report]) -> Next:
        """Process the search results; only new passages get an answer."""
        (report,) = searches_in(reports)
        result = report.result or RetrievalResult()
        ids = [hit.passage_id for hit in result.hits]
        new = [passage_id for passage_id in ids if passage_id not in state.seen]
        items = [Candidate(passage_id=passage_id) for passage_id in new]
        state = add_search_metadata(state, reports).add_entries([entry_of(report, state.turn)])
        state = state.replace(hits=[*ids, *result.folded], new=new, new_bytes=result.bytes, items=items)
        return self.begin_reading(state, f"{count(len(new), 'new passage')}: an answer from each.")

    def begin_reading(self, state: CandidatesState, why: str) -> Next:
        """Grade passages and write from them, one after the other with `off`, within the limits."""
        state = _allot_budget(
            state, self.policy, self.now_ms, WITHOUT_ONE if state.source == "direct" else FROM_A_PASSAGE
        )
        if state.stopped:
            state = state.replace(items=[])
        planned = self.answers_of(state) if state.items else []
        if state.decides:
            planned.append(decision(self.policy))
        return self.run(state.replace(stage="read"), planned, why) if planned else self.finish_source(state, [])

    def answers_of(self, state: CandidatesState) -> list[PlannedStep]:
        """Return the writing steps, which take longest, and the grading steps."""
        ahead = state.source == "direct" or self.policy.speculate != "off"
        grade = GradeRelevanceParameters(
            query=other_queries(state, [state.query]),
            relevance_threshold=self.policy.relevance_threshold,
            budget_usd=state.share(0.1),
        )
        grades = [
            PlannedStep(task=grade, id=str(place), passage_ids=[item.passage_id])
            for place, item in enumerate(state.items)
            if item.passage_id is not None
        ]
        return [*self.texts_of(state), *grades] if ahead else grades

    def texts_of(self, state: CandidatesState) -> list[PlannedStep]:
        """Return the steps that write pending texts."""
        return [
            PlannedStep(
                task=GenerateParameters(
                    mode="grounded" if item.passage_id else "direct",
                    choices=self.policy.choices or [],
                    budget_usd=state.share(0.8),
                ),
                id=str(place),
                passage_ids=state.newest_ids(item.passage_id) if item.passage_id else [],
            )
            for place, item in enumerate(state.items)
            if item.waits
        ]

    def read(self, state: CandidatesState, reports: Sequence[Report]) -> Next:
        """Process grades, texts and the decision."""
        state = _add_readings(state, self.policy, reports)
        if decisions := select_reports(reports, DecideRetrievalReport):
            return self.take_decision(state, reports, decisions[0])
        state = _add_entries(state, reports, needed=True)
        return self.finish_source(state, []) if state.stopped else self.write(state)

    def take_decision(self, state: CandidatesState, reports: Sequence[Report], report: DecideRetrievalReport) -> Next:
        """Continue after the decision, keeping speculative work only if it fits."""
        verdict = retrieval_of(report)
        goes_on = verdict.decision == "continue" and state.previous_relevance
        source: Source = "direct" if verdict.decision == "no" else "previous" if goes_on else "documents"
        state = _add_entries(state, reports, needed=source == state.source)
        state = state.replace(retrieval=verdict, query=verdict.query or state.query, decides=False)
        if source != state.source:
            why = "No search is needed" if source == "direct" else "A search is needed"
            return self.compose(state, NO_TIME) if self.is_late(state) else self.gather(state, source, why)
        if state.stopped or not state.items:
            return self.finish_source(state, [])
        if self.is_late(state):
            return self.compose(state.replace(queries=_queries(state)), NO_TIME)
        # Speculative answers may still get verdicts within the limits.
        unpaid = [item.replace(spent_usd=0.0) for item in state.items]
        state = _allot_budget(state.replace(items=unpaid), self.policy, self.now_ms, WITHOUT_ONE)
        return self.finish_source(state, []) if state.stopped else self.write(state)

    def write(self, state: CandidatesState) -> Next:
        """Write the pending texts, or judge."""
        texts = self.texts_of(state)
        if not texts:
            return self.reflect(state)
        why = f"{len(texts)} of {count(len(state.items), 'passage')} may be used: write from each."
        return self.run(state.replace(stage="write", turn=state.turn + 1), texts, why)

    def take_texts(self, state: CandidatesState, reports: Sequence[Report]) -> Next:
        """Process the texts."""
        state = state.add_entries([entry_of(report, state.turn) for report in reports])
        return self.reflect(_add_readings(state, self.policy, reports))

    def reflect(self, state: CandidatesState) -> Next:
        """Judge each text's support and usefulness."""
        planned: list[PlannedStep] = []
        for place, item in enumerate(state.items):
            if not item.is_judgeable:
                continue
            left = None if state.share_usd is None else state.share_usd - item.spent_usd
            if item.passage_id is not None:
                support = GradeSupportParameters(
                    answer=item.answer,
                    citations=item.citations,
                    one_call=place >= state.second,
                    budget_usd=None if left is None else 0.9 * left,
                )
                planned.append(PlannedStep(task=support, id=str(place), passage_ids=state.newest_ids(item.passage_id)))
            budget = None if left is None else 0.1 * left
            use = GradeUtilityParameters(answer=item.answer, min_utility=self.policy.min_utility, budget_usd=budget)
            planned.append(PlannedStep(task=use, id=str(place)))
        if not planned:
            return self.finish_source(state, [item.outcome for item in state.items])
        texts = count(sum(item.is_judgeable for item in state.items), "text")
        why = f"{texts} of {len(state.items)} written: judge each."
        return self.run(state.replace(stage="reflect", turn=state.turn + 1), planned, why)

    def take_verdicts(self, state: CandidatesState, reports: Sequence[Report]) -> Next:
        """Process the verdicts."""
        items = list(state.items)
        for place, item in enumerate(items):
            own = [report for report in reports if report.id == str(place)]
            if own:
                update: dict[str, object] = dict(critique_of(own))
                # Options of a closed set have no marks.
                if (repair := citation_repair(own)) and not self.policy.choices:
                    update |= {"answer": repair.answer, "citations": repair.citations}
                items[place] = item.replace(**update)
        state = state.add_entries(sort_by_path(entry_of(report, state.turn) for report in reports))
        return self.finish_source(state, [item.outcome for item in items])

    def finish_source(self, state: CandidatesState, answers: Sequence[CritiquedAnswer]) -> Next:
        """Return a direct answer as judged, or compare the answers of a source."""
        state = state.replace(
            items=[],
            seen=[*state.seen, *state.hits],
            bytes=state.bytes + state.new_bytes,
            relevance=[*state.relevance, *(answer.relevance for answer in answers if answer.relevance)],
            queries=_queries(state),
        )
        if state.source == "direct" and not state.stopped:
            return self.accept_answer(state, answers)
        lost = [
            entry for entry in state.ledger[state.since :] if entry.error and entry.step in ("Retrieve", "Generate")
        ]
        if lost and not answers:
            return self.compose(state, f"{lost[0].step} failed")
        compared = CandidateAnswers(candidates=[*state.compared.candidates, *answers])
        ungraded = all(answer.relevance is None or answer.relevance.label == "ungraded" for answer in answers)
        state = state.replace(compared=compared, stage="pick", ungraded=bool(answers) and ungraded, turn=state.turn + 1)
        pick = PickCandidateParameters(
            constraints=self.policy.constraints,
            weights=self.policy.weights,
            choices=self.policy.choices or [],
            documents=state.documents,
            dates=state.dates,
            stopped=state.stopped,
        )
        why = f"{count(len(compared.candidates), 'answer')}: compare them."
        return self.run(state, [PlannedStep(task=pick)], why)

    def accept_answer(self, state: CandidatesState, answers: Sequence[CritiquedAnswer]) -> Next:
        """Return a direct answer; without one, search the documents."""
        written = [answer for answer in answers if answer.answer]
        if written:
            draft = draft_of(written[0]).replace(direct=True)
            return self.compose(state.replace(draft=draft), "An answer without documents goes out")
        failed = any(entry.error for entry in state.ledger if not entry.waste)
        if self.policy.retrieval == "adaptive" and not failed:
            return self.gather(state, "documents", "Without documents there is no answer")
        return self.compose(state, "Without documents there is no answer")

    def take_choice(self, state: CandidatesState, reports: Sequence[Report]) -> Next:
        """Return the winner; without one, try the next source: documents, then the web, once.

        Without any verdict another search would not help.
        """
        (report,) = select_reports(reports, PickCandidateReport)
        state = state.add_entries([entry_of(report, state.turn)])
        if report.result is None:
            return self.compose(state, f"The answers could not be compared ({report.error})")
        winner = report.result.winner
        state = state.replace(scores=report.result.scores, best=winner or state.best)
        if state.best.answer or state.stopped:
            return self.compose(state, "The best answer goes out" if winner else f"No room is left ({state.stopped})")
        if self.is_late(state) or state.ungraded:
            return self.compose(state, "No passage could be graded" if state.ungraded else NO_TIME)
        if state.source == "previous":
            return self.gather(state, "documents", "The earlier evidence holds no answer")
        if self.policy.web_search and state.source != "web":
            return self.gather(state, "web", "No answer is left")
        return self.compose(state, "No answer is left, and no try")

    def run(self, state: CandidatesState, planned: list[PlannedStep], why: str) -> Next:
        """Return a pass with these steps."""
        at_once = AT_ONCE_WHEN_THROTTLED if was_throttled(state) else AT_ONCE
        return state, Plan(why=why, turn=state.turn, steps=planned, keep=state.new, at_once=at_once)


def _allot_budget(state: CandidatesState, policy: Policy, now_ms: float, each: int) -> CandidatesState:
    """Return the state with each answer's budget, and the limit that prevents them.

    Each answer takes up to `each` calls to Claude; the remaining calls are for second opinions on support.
    """
    number, spent_calls = len(state.items), calls(state) + state.decides
    bound, limit = each * number, policy.max_cost_usd
    money = None if limit is None else (0.9 if state.decides else 1.0) * (limit - spent_usd(state))
    reasons: dict[Stopped, bool] = {
        "deadline": now_ms >= state.brief.deadline_ms,
        "calls": spent_calls + bound > policy.max_model_calls,
        "cost": money is not None and money <= 0,
    }
    stopped = next((reason for reason, holds in reasons.items() if number and holds), "")
    share = money / number if money is not None and number else None
    return state.replace(stopped=stopped, share_usd=share, second=policy.max_model_calls - spent_calls - bound)


def _add_readings(state: CandidatesState, policy: Policy, reports: Sequence[Report]) -> CandidatesState:
    items = {str(place): item for place, item in enumerate(state.items)}
    for report in reports:
        if report.step == "GradeRelevance":
            passage_id = items[report.id].passage_id or ""
            verdict = relevance_of(report, passage_id, state.documents.get(passage_id, ""))
            aside = verdict.label == "ungraded" or (policy.constraints == "hard" and not verdict.relevant)
            items[report.id] = items[report.id].replace(relevance=verdict, aside=aside).add_cost(report)
        elif report.step == "Generate":
            items[report.id] = items[report.id].add_text(report).add_cost(report)
    return state.replace(items=list(items.values()))


def _add_entries(state: CandidatesState, reports: Sequence[Report], *, needed: bool) -> CandidatesState:
    """Add the pass to the ledger; unused work and texts from excluded passages are waste."""
    aside = {str(place) for place, item in enumerate(state.items) if item.aside}
    entries = state.ledger[state.since :]
    if not needed:
        entries = [entry.model_copy(update={"waste": True}) for entry in entries]
    for report in reports:
        unused = not needed or (report.step == "Generate" and report.id in aside)
        waste = unused and report.step != "DecideRetrieval"
        entries.append(entry_of(report, state.turn, waste=waste))
    return state.replace(ledger=[*state.ledger[: state.since], *sort_by_path(entries)])


def _queries(state: CandidatesState) -> list[str]:
    """Return the searched queries; all sources use the same query."""
    searched = state.source in ("documents", "web")
    return [state.query] if searched and not state.queries else state.queries
