"""What a person sees of an answer: its citations, verdicts, path, cost and time."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cli.show.by_rule import GREY, relevance_by_rule, support_by_rule
from cli.show.places import place_of, places
from cli.show.scores import show_scores
from cli.show.traces import causes
from cli.terminal import visible
from selfrag.domain.answers import AnswerResponse, Citation, Usage
from selfrag.domain.history import Step
from selfrag.domain.verdicts import (
    Critique,
    Reflection,
    RelevanceVerdict,
    RetrievalVerdict,
    SupportVerdict,
    UtilityVerdict,
)

COLOURS = {"answered": "green", "partial": "yellow", "abstained": "yellow", "failed": "red"}
NOT_READ = "Not all of the response is known to this version of selfrag; --json shows it."


def show_response(console: Console, output: dict[str, Any], steps: Sequence[Step]) -> None:
    """Print a response so that a newcomer can read it; of one with other fields than ours, what all of them have."""
    notice = output.get("notice")
    if notice:
        console.print(Text(visible(notice), style=GREY))
    colour = GREY if notice else COLOURS[output["status"]]
    console.print(Panel(Text(output["answer"]), title=f"[bold {colour}]{output['status']}[/]", border_style=colour))
    try:
        response = AnswerResponse.model_validate(output)
    except ValidationError:
        notes = [NOT_READ]
    else:
        _show_whole(console, response, steps)
        notes = response.usage.warnings
    for note in (*notes, *causes(steps)):
        console.print(f"[yellow]Note[/]     {escape(note)}")
    console.print(
        f"[dim]id {output['id']}: follow up with --previous ID (make: PREVIOUS=ID), look inside with `selfrag trace`[/]"
    )


def _show_whole(console: Console, response: AnswerResponse, steps: Sequence[Step]) -> None:
    if response.citations:
        console.print(_citations(response.citations))
    verdicts = _verdicts(response.reflection, places(steps))
    if verdicts.row_count:
        console.print(verdicts)
        for meaning in _meanings(response.reflection, steps):
            console.print(f"[dim]{meaning}[/]")
    if response.scores:
        show_scores(console, response.scores, response.citations, places(steps), by_rule=response.notice is not None)
    console.print(f"[bold]Path[/]     {' → '.join(response.path)}")
    if response.queries:
        console.print(f"[bold]Queries[/]  {escape(' | '.join(response.queries))}")
    console.print(f"[bold]Cost[/]     {_cost(response.usage, by_rule=response.notice is not None)}")
    if steps:
        console.print(f"[bold]Time[/]     {_times(steps)}")


def _citations(citations: Sequence[Citation]) -> Table:
    table = Table("Document", "Quote", title="Citations", title_justify="left", expand=True)
    for citation in citations:
        table.add_row(escape(place_of(citation.model_dump())), escape(citation.quote))
    return table


def _verdicts(reflection: Reflection, places: dict[str, str]) -> Table:
    table = Table("Token", "Verdict", "Why", title="Reflection", title_justify="left", expand=True)
    retrieve, support = reflection.retrieve, reflection.support
    if retrieve:
        decision = ", ".join(filter(None, (retrieve.decision, retrieve.complexity)))
        table.add_row("Retrieve", decision, escape(retrieve.reason), style=_style(retrieve))
    for verdict in reflection.relevance:
        score = "" if verdict.score is None else f"{verdict.score:.2f}"
        place = places.get(verdict.passage_id, "")
        strips = f", strips kept: {len(verdict.strips)}" if verdict.strips else ""
        said = relevance_by_rule(verdict.score) if _is_by_rule(verdict) else f"{verdict.label} {score}"
        table.add_row("IsRel", f"{said}{_cached(verdict)}{strips}", escape(place), style=_style(verdict))
    if support and _is_by_rule(support):
        table.add_row("IsSup", "", support_by_rule(support.level), style=GREY)
    elif support:
        table.add_row("IsSup", support.level + _cached(support), "")
        for claim in support.claims:
            table.add_row("", "  " + claim.support, escape(claim.claim))
    for judged in _of_the_answer(reflection):
        if not isinstance(judged, SupportVerdict) and not _is_by_rule(judged):
            score = "ungraded" if judged.score is None else f"{judged.score} of 5"
            table.add_row(judged.kind, score + _cached(judged), escape(judged.reason))
    return table


def _is_by_rule(verdict: RetrievalVerdict | RelevanceVerdict | SupportVerdict | UtilityVerdict) -> bool:
    return verdict.judged_by == "rule"


def _style(verdict: RetrievalVerdict | RelevanceVerdict) -> str:
    return GREY if _is_by_rule(verdict) else ""


def _of_the_answer(reflection: Reflection) -> list[SupportVerdict | UtilityVerdict]:
    """Return the verdicts on the answer, of those graders that judged it."""
    return [verdict for name in Critique.model_fields if (verdict := getattr(reflection, name))]


def _meanings(reflection: Reflection, steps: Sequence[Step]) -> Iterator[str]:
    """Yield what the tokens that were judged say, and on which scale."""
    if reflection.relevance and not _is_by_rule(reflection.relevance[0]):
        thresholds = (step.given.get("relevance_threshold") for step in steps if isinstance(step.given, dict))
        threshold = next((each for each in thresholds if each is not None), None)
        least = "" if threshold is None else f", relevant from {threshold:.2f} up"
        yield f"IsRel: how far a passage helps to answer, from 0 to 1{least}"
    judged = [verdict for verdict in _of_the_answer(reflection) if not _is_by_rule(verdict)]
    yield from (f"{verdict.kind}: {verdict.means}" for verdict in judged)


def _cached(verdict: RelevanceVerdict | SupportVerdict | UtilityVerdict) -> str:
    return " (cached)" if verdict.cached else ""


def _cost(usage: Usage, by_rule: bool) -> str:
    dollars = "price unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    models = ", ".join(sorted({step.model for step in usage.by_step.values()})) or "none"
    waste = usage.waste.model_calls
    ahead = f"of which {waste} done ahead and not needed, " if waste else ""
    calls = "replies by rule" if by_rule else "model calls"
    return (
        f"{dollars}, {usage.model_calls} {calls} in {usage.rounds} rounds, {ahead}"
        f"{usage.cached_verdicts} cached verdicts, "
        f"{usage.input_tokens} tokens in, {usage.output_tokens} out ({models})"
    )


def _times(steps: Sequence[Step]) -> str:
    """Return the seconds from the first step to the last in all, and of each: some run side by side."""
    whole = max(step.started + step.seconds for step in steps) - min(step.started for step in steps)
    return f"{whole:.2f} s in all: " + ", ".join(f"{step.name} {step.seconds:.2f} s" for step in steps)
