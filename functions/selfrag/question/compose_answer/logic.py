"""The response: status, answer, citations, verdicts, path and cost (pure)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from selfrag.domain.answers import (
    BY_RULE,
    NEAREST,
    QUOTED_BY_RULE,
    UNCITED,
    AnswerResponse,
    Draft,
    ExecutionLink,
    NearPassage,
    Pass,
    Selection,
    Status,
    StepUsage,
    Usage,
    Waste,
)
from selfrag.domain.calls import ModelCall, Prices, cost_usd
from selfrag.domain.citations import add_utf16_spans
from selfrag.domain.errors import BudgetExceeded, DeadlineExceeded
from selfrag.domain.ledger import Entry, is_out_of_budget, is_waste, path_of, rounds
from selfrag.domain.passages import WEB
from selfrag.domain.questions import Filters
from selfrag.domain.verdicts import Critique, JudgedBy, Reflection, judged_by, sort_by_score
from selfrag.question.compose_answer.messages import Messages
from selfrag.question.compose_answer.task import ComposeAnswerTask
from selfrag.text.collection_questions import asks_for_documents

# Steps without whose results there is no answer.
_DECISIVE = ("Plan", "RunSteps", "Retrieve", "Generate", "RankPaths", "PickCandidate")

# The error of a state that exceeded its `TimeoutSeconds`.
TIMEOUT = "States.Timeout"
_GUARDED = "The guardrail did not let the answer pass."
# The fields of a task without model or document text, apart from the question.
_OUTWARD = {"id", "question", "min_utility", "strategy", "reflects", "filters", "execution_arn", "began_ms"}
_LIMITS = (BudgetExceeded.__name__, DeadlineExceeded.__name__)


@dataclass(frozen=True)
class AnswerOutcome:
    """The returned answer (`draft`, if any), its text, its status, and `notes` on missing checks.

    `selection` is set for answers over documents, whose completeness passages cannot prove.
    """

    draft: Draft | None
    status: Status
    answer: str
    notes: list[str]
    selection: Selection | None = None


def compose(
    task: ComposeAnswerTask, prices: Mapping[str, Prices], console_links: bool, writer: JudgedBy = "model"
) -> AnswerResponse:
    """Return the response: answer, status, verdicts and cost."""
    result = outcome_of(task)
    return AnswerResponse(
        id=task.id,
        status=result.status,
        question=task.question,
        notice=_notice(task, writer),
        answer=result.answer,
        citations=add_utf16_spans(result.draft.citations, result.answer) if result.draft else [],
        not_said=result.draft.not_said if result.draft else [],
        complete=result.selection is None,
        selection=result.selection,
        nearest=_nearest_passages(task) if result.status == "abstained" else [],
        reflection=_reflection(task, result),
        path=path_of((entry.turn, entry.step) for entry in task.ledger),
        passes=task.passes,
        queries=_queries(task),
        usage=usage_of(task, result, prices),
        execution=ExecutionLink(arn=task.execution_arn, console_url=_console_url(task) if console_links else None),
        scores=task.scores,
    )


def clear_texts(task: ComposeAnswerTask) -> ComposeAnswerTask:
    """Return the task without model or document text; its response only says why there is no answer."""
    emptied = ComposeAnswerTask(**task.model_dump(include=_OUTWARD)).model_copy(update={"guarded": "answer"})
    ledger = [entry.model_copy(update={"warnings": [], "query": "", "aim": ""}) for entry in task.ledger]
    return emptied.model_copy(update={"ledger": ledger, "passes": [Pass(why=_GUARDED)]})


def texts_of(response: AnswerResponse) -> list[str]:
    """Return all texts of a response that come from a model or a document."""
    cited = [(each.document, each.heading, each.before + each.quote + each.after) for each in response.citations]
    near = [(each.document, each.heading, each.text) for each in response.nearest]
    texts = [text for place in [*cited, *near] for text in place]
    judged = response.reflection.model_dump_json(exclude_none=True)
    scores = response.scores.model_dump_json(exclude_none=True) if response.scores else ""
    reasons = [each.why for each in response.passes]
    every = [response.answer, *response.queries, *response.usage.warnings, *texts, *reasons, judged, scores]
    return list(dict.fromkeys(filter(None, every)))


def outcome_of(task: ComposeAnswerTask) -> AnswerOutcome:
    """Choose the answer and its status: the best of the plan, else the last that no grader refused."""
    messages, chosen, faults = Messages(task.question), _choose_draft(task), _faults(task)
    if chosen and chosen.not_said and task.doubtful:
        chosen = _mention_missing(task, chosen, messages)
    if task.guarded:
        return AnswerOutcome(None, "abstained", messages(f"guarded_{task.guarded}"), [])
    out_of_time = task.late or any(entry.error == DeadlineExceeded.__name__ for entry in task.problems)
    # If a step failed, the cost is not the reason.
    out_of_money = is_out_of_budget(task.ledger) and not faults
    stopped = task.scores.stopped if task.scores else ""
    if stopped == "cost" and faults:
        stopped = "fault"
    limit = "no_time" if out_of_time else "no_money" if out_of_money else "no_room" if stopped and not faults else ""
    status = _status(task, chosen, ended_early=bool(limit), broken=bool(faults))
    notes = [] if chosen is None else _notes(messages, chosen, task.min_utility)
    if stopped:
        notes.append(messages(f"stopped_{stopped}"))
    if out_of_time and status != "answered":
        notes.append(messages("stopped_deadline"))
    if out_of_money and status != "answered":
        notes.append(messages("stopped_cost"))
    notes += _warn_of_newer(task, chosen, messages)
    selection = _selection(task, chosen, messages)
    if selection:
        notes.append(selection.note)
    if chosen:
        answer = chosen.answer
    elif status == "partial":
        answer = messages(limit)
    elif status == "failed":
        answer = _failure(messages, faults)
    else:
        why = messages("filtered" if _filtered_out(task) else "not_found")
        where = messages("document_list") if asks_for_documents(task.question) else ""
        answer = messages.join(why, messages.list_searched(_queries(task)), where)
    return AnswerOutcome(chosen, status, answer, notes, selection)


def _choose_draft(task: ComposeAnswerTask) -> Draft | None:
    if task.best.answer:
        return task.best
    refused = task.draft.support.level == "no_support" or _is_below_min_utility(task.draft, task.min_utility)
    return task.draft if task.draft.answer and not refused else None


def _mention_missing(task: ComposeAnswerTask, draft: Draft, messages: Messages) -> Draft:
    """Replace the writer's remarks on missing parts by a note that they were not found."""
    start = draft.answer.find(draft.not_said[0])
    rest = draft.answer[start:].replace(UNCITED, "")
    for sentence in draft.not_said:
        rest = rest.replace(sentence, "")
    queries = [entry.query for entry in task.ledger if entry.step == "RewriteQuestion" and entry.query in task.queries]
    phrases = draft.missing or queries[-1:]
    if start < 0 or rest.strip() or not phrases:
        return draft
    note = messages("part_not_found", queries=messages.quote_list(phrases))
    return draft.replace(answer=draft.answer[:start] + note, not_said=[note])


def _warn_of_newer(task: ComposeAnswerTask, chosen: Draft | None, messages: Messages) -> list[str]:
    """Return a warning for each cited passage that contradicts its newer, uncited version."""
    cited = dict.fromkeys(citation.passage_id for citation in chosen.citations) if chosen else {}
    return [
        messages(
            "newer_version",
            cited=task.documents.get(older, ""),
            date=task.dates.get(older, ""),
            newer=task.documents.get(newer, ""),
            newer_date=task.dates.get(newer, ""),
        )
        for older, newer in task.newer.items()
        if older in cited and newer not in cited
    ]


def _selection(task: ComposeAnswerTask, chosen: Draft | None, messages: Messages) -> Selection | None:
    """Return the passages behind a count, total or list over documents; None for other answers."""
    if chosen is None or chosen.direct or task.retrieval is None or not task.retrieval.aggregate:
        return None
    passages, hits = sum(verdict.relevant for verdict in task.relevance), task.text_hits
    note = messages("selection" if hits is None else "selection_of", passages=passages, hits=hits)
    return Selection(passages=passages, text_hits=hits, note=note)


def _is_below_min_utility(draft: Draft, min_utility: int) -> bool:
    return draft.utility.score is not None and draft.utility.score < min_utility


def _status(task: ComposeAnswerTask, chosen: Draft | None, *, ended_early: bool, broken: bool) -> Status:
    if chosen is not None and task.scores and task.scores.stopped:
        return "partial"
    if chosen is not None:
        cited = bool(chosen.citations) and chosen.support.level == "fully_supported"
        supported = chosen.relevant and (chosen.direct or cited)
        useful = chosen.utility.score is not None and chosen.utility.score >= task.min_utility
        return "answered" if supported and useful and not chosen.cut else "partial"
    if ended_early:
        return "partial"
    return "failed" if broken else "abstained"


def _queries(task: ComposeAnswerTask) -> list[str]:
    """Return the searched queries without unsupported draft sentences."""
    statement = Messages(task.question)("statement")
    return list(dict.fromkeys(statement if query in task.statements else query for query in task.queries))


def _faults(task: ComposeAnswerTask) -> list[Entry]:
    """Return the failed steps, if they and neither limits nor documents caused the missing answer."""
    all_ungraded = bool(task.relevance) and all(verdict.label == "ungraded" for verdict in task.relevance)
    decisive = (*_DECISIVE, "GradeRelevance") if all_ungraded else _DECISIVE
    faults = [entry for entry in task.problems if entry.step in decisive]
    if all_ungraded and not faults:
        return [Entry(step="GradeRelevance")]
    return [entry for entry in faults if entry.error not in _LIMITS]


def _failure(messages: Messages, faults: Sequence[Entry]) -> str:
    """Return sentences on the failed steps: the cause and the remedy."""
    steps = ", ".join(dict.fromkeys(entry.step for entry in faults))
    # A text that is not an answer has its flaw as its error.
    names = [name for entry in faults for name in (entry.flaw, entry.error) if name]
    causes = [messages(name) if name in messages else messages("unexpected", error=name) for name in names]
    return messages("failed", steps=steps, causes=messages.join(*causes)).strip()


def _problem(messages: Messages, entry: Entry) -> str:
    if entry.error in (TIMEOUT, DeadlineExceeded.__name__):
        return messages("search_timed_out" if entry.step == "Retrieve" else "timed_out", step=entry.step)
    return messages("no_result", step=entry.step, error=entry.error or entry.flaw)


def _filtered_out(task: ComposeAnswerTask) -> bool:
    """Return whether the filters excluded everything; without them vector search always has hits."""
    searches = [entry for entry in task.ledger if entry.step == "Retrieve" and not entry.waste]
    # Warnings report a search by full text alone, or passages dropped for size.
    nothing = all(entry.hits == 0 and not entry.warnings for entry in searches)
    return bool(searches) and nothing and task.filters != Filters()


def _notes(messages: Messages, chosen: Draft, min_utility: int) -> list[str]:
    due = [name for name in Critique.model_fields if not (chosen.direct and name == "support")]
    notes = [messages(f"unchecked_{name}") for name in due if getattr(chosen, name).ungraded]
    if _is_below_min_utility(chosen, min_utility):
        notes.append(messages("little_use", score=chosen.utility.score, least=min_utility))
    if facts := dict.fromkeys(fact for claim in chosen.support.claims for fact in claim.unfound):
        notes.append(messages("unfound", facts=", ".join(facts)))
    if not chosen.direct and not chosen.citations:
        notes.append(messages("uncited"))
    if chosen.cut:
        notes.append(messages("answer_cut"))
    return notes


def _nearest_passages(task: ComposeAnswerTask) -> list[NearPassage]:
    """Return up to NEAREST of the nearest document passages, ungraded ones last."""
    own = {
        passage.passage_id: NearPassage(**passage.model_dump())
        for passage in task.passages
        if passage.collection != WEB
    }
    order = dict.fromkeys([*sort_by_score(task.relevance), *own])
    return [own[passage_id] for passage_id in order if passage_id in own][:NEAREST]


def _notice(task: ComposeAnswerTask, writer: JudgedBy) -> str | None:
    """Return the notice for an answer that no model wrote."""
    if writer != "rule":
        return None
    decided = any(call.decision for entry in task.ledger for call in entry.calls)
    return QUOTED_BY_RULE if decided or task.draft.support.judged_by == "decider" else BY_RULE


def _reflection(task: ComposeAnswerTask, result: AnswerOutcome) -> Reflection:
    # After clear_texts, the remaining verdicts would not explain the outcome.
    judged = result.draft or (task.draft if task.draft.answer else None)
    verdicts = {name: getattr(judged, name, None) for name in Critique.model_fields}
    if not task.reflects:
        verdicts = dict.fromkeys(verdicts)
    elif judged and judged.direct:
        verdicts["support"] = None
    return Reflection(retrieve=task.retrieval, relevance=task.relevance, guarded=task.guarded, **verdicts)


def _console_url(task: ComposeAnswerTask) -> str | None:
    parts = task.execution_arn.split(":")
    if len(parts) < 7:
        return None
    console = f"https://{parts[3]}.console.aws.amazon.com/states/home?region={parts[3]}#"
    if parts[5] != "express":
        return f"{console}/v2/executions/details/{task.execution_arn}"
    # One second earlier, because the console searches the log from this moment.
    return f"{console}/express-executions/details/{task.execution_arn}?startDate={task.began_ms - 1000:.0f}"


def usage_of(task: ComposeAnswerTask, result: AnswerOutcome, prices: Mapping[str, Prices]) -> Usage:
    """Return the totals of the ledger; one unknown price makes the cost unknown."""
    calls = [call for entry in task.ledger for call in entry.calls]
    wasted = [entry for entry in task.ledger if is_waste(entry, task.queries)]
    wasted_calls = [call for entry in wasted for call in entry.calls]
    steps = dict.fromkeys(call.step for call in calls)
    begin = min((call.started_at for call in calls), default=0.0)
    by_step = {name: _step_usage([call for call in calls if call.step == name], begin, prices) for name in steps}
    return Usage(
        model_calls=_model_calls(task.ledger),
        decisions=sum(call.decision for call in calls),
        replies_by_rule=sum(judged_by(call.model) == "rule" for call in calls),
        rounds=rounds(task.ledger),
        repaired_citations=result.draft.repaired if result.draft else 0,
        cached_verdicts=sum(entry.cached for entry in task.ledger),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        cache_read_input_tokens=sum(call.cache_read_input_tokens for call in calls),
        cost_usd=_sum(step.cost_usd for step in by_step.values()),
        waste=Waste(model_calls=_model_calls(wasted), cost_usd=_sum(cost_usd(call, prices) for call in wasted_calls)),
        by_step=by_step,
        warnings=_warnings(task, result),
    )


def _step_usage(calls: Sequence[ModelCall], begin: float, prices: Mapping[str, Prices]) -> StepUsage:
    started = min(call.started_at for call in calls)
    return StepUsage(
        model=", ".join(dict.fromkeys(call.model for call in calls)),
        calls=len(calls),
        started=round(started - begin, 3),
        seconds=round(max(call.ended_at for call in calls) - started, 3),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        cost_usd=_sum(cost_usd(call, prices) for call in calls),
    )


def _model_calls(entries: Sequence[Entry]) -> int:
    """Return the number of requests to models, answered or not."""
    by_rule = sum(judged_by(call.model) == "rule" for entry in entries for call in entry.calls)
    return sum(entry.attempts for entry in entries) - by_rule


def _sum(costs: Iterable[float | None]) -> float | None:
    """Return the sum in dollars, None if a price is unknown."""
    amounts = list(costs)
    return None if None in amounts else round(sum(cost for cost in amounts if cost is not None), 6)


def _warnings(task: ComposeAnswerTask, result: AnswerOutcome) -> list[str]:
    """Return distinct warnings: from steps, failed steps and missing verdicts."""
    messages = Messages(task.question)
    warnings = [warning for entry in task.ledger if not entry.waste for warning in entry.warnings]
    warnings += [_problem(messages, entry) for entry in task.problems]
    ungraded = sum(verdict.label == "ungraded" for verdict in task.relevance)
    if ungraded:
        warnings.append(messages("ungraded", count=ungraded))
    return list(dict.fromkeys([*warnings, *result.notes]))
