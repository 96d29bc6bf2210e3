"""Display of an answer: text, sources and evidence; optionally verdicts, path, cost and time."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from selfrag.domain.answers import AnswerResponse, Citation, Usage
from selfrag.domain.errors import InvalidInput
from selfrag.domain.history import Step
from selfrag.domain.verdicts import (
    Critique,
    Probable,
    Reflection,
    RelevanceVerdict,
    RetrievalVerdict,
    SupportVerdict,
    UtilityVerdict,
)
from selfrag_cli.show.by_rule import GREY, support_by_rule
from selfrag_cli.show.places import copies_of, place_of, places
from selfrag_cli.show.traces import failure_notes
from selfrag_cli.terminal import make_visible

COLOURS = {"answered": "green", "partial": "yellow", "abstained": "yellow", "failed": "red"}
NOT_READ = "Not all of the response is known to this version of selfrag; --json shows it."
_CLAIM_WORDS = {"partial": "partly supported", "none": "not supported", "contradicted": "contradicted"}


def read_response(output: Mapping[str, object]) -> AnswerResponse:
    """Parse a response; raises InvalidInput if fields are missing."""
    try:
        return AnswerResponse.model_validate(output, extra="ignore")
    except ValidationError:
        raise InvalidInput(NOT_READ) from None


def show_response(
    console: Console, output: Mapping[str, object], steps: Sequence[Step], verdicts: bool = False, in_chat: bool = False
) -> None:
    """Print a response: the answer with source numbers, its sources, an evidence line, and optionally `verdicts`.

    Falls back to the common fields for responses of another version. In chat mode, omits details that slash commands
    show.
    """
    notice, status, failures = output.get("notice"), str(output["status"]), failure_notes(steps)
    if status != "answered":
        console.print(Text(status, style=f"bold {COLOURS[status]}"))
    try:
        response = read_response(output)
    except InvalidInput as error:
        console.print(Text(str(output["answer"])))
        notes = [str(error), *failures]
    else:
        # The cause replaces the answer and notes of a failed question, which do not name it.
        is_explained = status == "failed" and bool(failures)
        if is_explained:
            causes = " ".join(failure.partition(": ")[2] for failure in failures)
            response = response.model_copy(update={"answer": causes})
        console.print(_mark_sources(response))
        if not in_chat:
            show_sources(console, response.citations)
        console.print(_evidence(response, steps))
        for passage in response.nearest:
            console.print(f"[dim]nearest: {escape(place_of(passage.model_dump()))}[/]")
        if notice:
            console.print(Text(make_visible(str(notice)), style=GREY))
        if verdicts:
            show_verdicts(console, response, steps)
        notes = [] if is_explained else [*response.usage.warnings, *failures]
    for note in notes:
        console.print(f"[yellow]Note[/]     {escape(note)}")
    if not in_chat:
        console.print(
            f"[dim]id {output['id']}: follow up with --previous ID (make: PREVIOUS=ID), see its checks with --verdicts "
            "(VERDICTS=1), look inside with `selfrag trace`[/]"
        )


def _source_ids(citations: Sequence[Citation]) -> list[str]:
    return list(dict.fromkeys(citation.passage_id for citation in citations))


def _mark_sources(response: AnswerResponse) -> Text:
    text, done, sources = Text(), 0, _source_ids(response.citations)
    for citation in sorted(response.citations, key=lambda citation: citation.answer_span[1]):
        end = max(done, citation.answer_span[1])
        text.append(response.answer[done:end]).append(f" [{sources.index(citation.passage_id) + 1}]", "cyan")
        done = end
    return text.append(response.answer[done:])


def show_sources(console: Console, citations: Sequence[Citation]) -> None:
    """Print the cited passages with numbers, places and quotes."""
    table = Table.grid("", "", padding=(0, 1))
    for number, passage_id in enumerate(_source_ids(citations), 1):
        cited = [citation for citation in citations if citation.passage_id == passage_id]
        table.add_row(f"[cyan]\\[{number}][/]", escape(place_of(cited[0].model_dump())))
        for quote in dict.fromkeys(citation.quote for citation in cited):
            table.add_row("", Text(quote, style=GREY))
        if cited[0].copy_count:
            table.add_row("", Text(copies_of(cited[0].copies, cited[0].copy_count), style="dim"))
    if citations:
        console.print("", table, "", sep="\n")


def _evidence(response: AnswerResponse, steps: Sequence[Step]) -> Text:
    support, documents = response.reflection.support, len({citation.document for citation in response.citations})
    line = Text()
    if support and _is_by_rule(support):
        line.append(support_by_rule(claim.passage_ids for claim in support.claims), GREY)
    elif support and support.claims:
        held = sum(claim.support == "full" for claim in support.claims)
        colour = "green" if held == len(support.claims) else "yellow"
        line.append(f"{held} of {len(support.claims)} claims supported", colour)
    more = [f"{documents} source{'s' if documents > 1 else ''}"] if documents else []
    more += [f"{_format_seconds(steps):.2f} s"] if steps else []
    more += [_dollars(response.usage)] if response.usage.cost_usd != 0 else []
    line.append(" · ".join(["", *more] if line and more else more))
    for claim in support.claims if support and not _is_by_rule(support) else []:
        if claim.support and claim.support != "full":
            line.append(f"\n{_CLAIM_WORDS[claim.support]}: ", "yellow").append(claim.claim)
    return line


def show_verdicts(console: Console, response: AnswerResponse, steps: Sequence[Step]) -> None:
    """Print all verdicts of a response, its path, queries, cost and times."""
    verdicts = _verdicts(response.reflection, places(steps))
    if verdicts.row_count:
        console.print(verdicts)
        for meaning in _meanings(response.reflection, steps):
            console.print(f"[dim]{meaning}[/]")
    console.print(f"[bold]Path[/]     {' → '.join(response.path)}")
    if response.queries:
        console.print(f"[bold]Queries[/]  {escape(' | '.join(response.queries))}")
    console.print(f"[bold]Cost[/]     {_cost(response.usage)}")
    if steps:
        console.print(f"[bold]Time[/]     {_times(steps)}")


def _verdicts(reflection: Reflection, places: dict[str, str]) -> Table:
    table = Table("Token", "Verdict", "Why", title="Reflection", title_justify="left", expand=True)
    retrieve, support = reflection.retrieve, reflection.support
    if retrieve:
        aggregate = "aggregate" if retrieve.aggregate else ""
        decision = ", ".join(filter(None, (retrieve.decision, retrieve.complexity, aggregate)))
        table.add_row("Retrieve", decision + _odds(retrieve), escape(retrieve.reason), style=_style(retrieve))
    for verdict in reflection.relevance:
        score = "" if verdict.score is None else f"{verdict.score:.2f}"
        place = places.get(verdict.passage_id, "")
        strips = f", strips kept: {len(verdict.strips)}" if verdict.strips else ""
        words = "by rule" if _is_by_rule(verdict) else f"{verdict.label} {score}"
        why = ": ".join(filter(None, [place, verdict.reason]))
        table.add_row("IsRel", f"{words}{_cache_note(verdict)}{strips}", escape(why), style=_style(verdict))
    if support and _is_by_rule(support):
        word_for_word = support_by_rule(claim.passage_ids for claim in support.claims)
        table.add_row("IsSup", "", word_for_word, style=GREY)
    elif support and support.level:
        table.add_row("IsSup", support.level + _odds(support) + _cache_note(support))
        for claim in support.claims:
            table.add_row("", f"  {claim.support}{_odds(claim)}", escape(claim.claim))
    for judged in _answer_verdicts(reflection):
        if not isinstance(judged, SupportVerdict) and not _is_by_rule(judged):
            score = "ungraded" if judged.score is None else f"{judged.score} of 5"
            table.add_row(judged.kind, score + _odds(judged) + _cache_note(judged), escape(judged.reason))
    return table


def _odds(judged: Probable) -> str:
    """Return the probability of the passing label, or ""."""
    return "" if judged.probability is None else f" {judged.probability:.2f}"


def _is_by_rule(verdict: RetrievalVerdict | RelevanceVerdict | SupportVerdict | UtilityVerdict) -> bool:
    return verdict.judged_by == "rule"


def _style(verdict: RetrievalVerdict | RelevanceVerdict) -> str:
    return GREY if _is_by_rule(verdict) else ""


def _answer_verdicts(reflection: Reflection) -> list[SupportVerdict | UtilityVerdict]:
    return [verdict for name in Critique.model_fields if (verdict := getattr(reflection, name))]


def _meanings(reflection: Reflection, steps: Sequence[Step]) -> Iterator[str]:
    """Yield explanations of the judged tokens and their scales."""
    if reflection.relevance and not _is_by_rule(reflection.relevance[0]):
        thresholds = (step.task.get("relevance_threshold") for step in steps if isinstance(step.task, dict))
        threshold = next((each for each in thresholds if each is not None), None)
        least = "" if threshold is None else f", relevant from {threshold:.2f} up"
        yield f"IsRel: how far a passage helps to answer, from 0 to 1{least}"
    judged = [verdict for verdict in _answer_verdicts(reflection) if not _is_by_rule(verdict)]
    yield from (f"{verdict.kind}: {verdict.means}" for verdict in judged)


def _cache_note(verdict: RelevanceVerdict | SupportVerdict | UtilityVerdict) -> str:
    return " (cached)" if verdict.cached else ""


def _cost(usage: Usage) -> str:
    models = ", ".join(sorted({step.model for step in usage.by_step.values()})) or "none"
    waste = usage.waste.model_calls
    ahead = f"of which {waste} done ahead and not needed, " if waste else ""
    by_rule = f", {usage.replies_by_rule} replies by rule" if usage.replies_by_rule else ""
    decisions = f", {usage.decisions} decisions" if usage.decisions else ""
    return (
        f"{_dollars(usage)}, {usage.model_calls} model calls{decisions}{by_rule} in {usage.rounds} rounds, {ahead}"
        f"{usage.cached_verdicts} cached verdicts, "
        f"{usage.input_tokens} tokens in, {usage.output_tokens} out ({models})"
    )


def _dollars(usage: Usage) -> str:
    return "price unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"


def _format_seconds(steps: Sequence[Step]) -> float:
    return max(step.started + step.seconds for step in steps) - min(step.started for step in steps)


def _times(steps: Sequence[Step]) -> str:
    """Return the total seconds and those of each step; steps may overlap."""
    return f"{_format_seconds(steps):.2f} s in all: " + ", ".join(f"{step.name} {step.seconds:.2f} s" for step in steps)
