"""What a person sees: an answer with its citations, verdicts, path and cost; a trace; documents; passages."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from selfrag.domain.history import Step

COLOURS = {"answered": "green", "partial": "yellow", "abstained": "yellow", "failed": "red"}
STATUS_COLOURS = {"ready": "green", "failed": "red"}
LONGEST_VALUE = 600


def show_response(console: Console, response: dict[str, Any], steps: Sequence[Step]) -> None:
    """Print a response so that a newcomer can read it."""
    colour = COLOURS[response["status"]]
    console.print(Panel(Text(response["answer"]), title=f"[bold {colour}]{response['status']}[/]", border_style=colour))
    if response["citations"]:
        console.print(_citations(response["citations"]))
    console.print(_verdicts(response["reflection"], _documents(steps)))
    console.print(f"[bold]Path[/]     {' → '.join(response['path'])}")
    if response["queries"]:
        console.print(f"[bold]Queries[/]  {escape(' | '.join(response['queries']))}")
    console.print(f"[bold]Cost[/]     {_cost(response['usage'])}")
    console.print(f"[bold]Time[/]     {_times(steps)}")
    for warning in response["usage"]["warnings"]:
        console.print(f"[yellow]Note[/]     {escape(warning)}")
    console.print(f"[dim]id {response['id']}: follow up with --previous, look inside with `selfrag trace`[/]")


def show_steps(console: Console, steps: Sequence[Step]) -> None:
    """Print each step of an execution with its input, output and times."""
    for number, step in enumerate(steps, start=1):
        again = f", {step.attempts} attempts" if step.attempts > 1 else ""
        title = f"{number}. {step.name}  [dim]at {step.started:.2f} s, took {step.seconds:.2f} s{again}[/]"
        parts = [Text("given   " + _short(step.given))]
        parts.append(
            Text(f"error   {step.error}", style="red") if step.error else Text("result  " + _short(step.result))
        )
        console.print(
            Panel(Group(*parts), title=title, title_align="left", border_style="red" if step.error else "blue")
        )


def show_documents(console: Console, documents: Sequence[dict[str, Any]]) -> None:
    """Print what became of each document."""
    table = Table("Document", "Status", title="Documents", title_justify="left", expand=True)
    table.add_column("Passages", justify="right")
    table.add_column("Pages", justify="right")
    table.add_column("Reason", overflow="fold")
    for document in documents:
        status = f"[{STATUS_COLOURS.get(document['status'], 'yellow')}]{document['status']}[/]"
        notes = [document["reason"], *document["warnings"]]
        table.add_row(
            escape(document["document"]),
            status,
            str(document["passages"]),
            str(document["pages"] or ""),
            escape(" ".join(filter(None, notes))),
        )
    console.print(table)


def show_passages(console: Console, passages: Sequence[dict[str, Any]]) -> None:
    """Print passages, best first, each with what both searches made of it."""
    if not passages:
        console.print("Nothing was found.")
    for number, passage in enumerate(passages, start=1):
        page = f", page {passage['page']}" if passage["page"] else ""
        scores = f"by text {_score(passage['by_text'])}, by vector {_score(passage['by_vector'])}"
        title = f"{number}. {escape(passage['document'])}{page}  [dim]{scores}, together {passage['score']:.2f}[/]"
        console.print(Panel(Text(passage["text"]), title=title, title_align="left", border_style="blue"))


def _score(score: float | None) -> str:
    return "none" if score is None else f"{score:.2f}"


def _citations(citations: Sequence[dict[str, Any]]) -> Table:
    table = Table("Document", "Quote", title="Citations", title_justify="left", expand=True)
    for citation in citations:
        table.add_row(escape(citation["document"]), escape(citation["quote"]))
    return table


def _documents(steps: Sequence[Step]) -> dict[str, str]:
    """The document of each passage that a search brought, by the passage's id."""
    found = [step.result["passages"] for step in steps if isinstance(step.result, dict) and "passages" in step.result]
    return {passage["passage_id"]: passage["document"] for passages in found for passage in passages}


def _verdicts(reflection: dict[str, Any], documents: dict[str, str]) -> Table:
    table = Table("Token", "Verdict", "Why", title="Reflection", title_justify="left", expand=True)
    retrieve, support, utility = reflection["retrieve"], reflection["support"], reflection["utility"]
    table.add_row("Retrieve", retrieve["decision"], escape(retrieve["reason"]))
    for verdict in reflection["relevance"]:
        score = "" if verdict["score"] is None else f"{verdict['score']:.2f}"
        table.add_row(
            "IsRel", f"{verdict['label']} {score}{_cached(verdict)}", escape(documents.get(verdict["passage_id"], ""))
        )
    if support:
        table.add_row("IsSup", support["level"] + _cached(support), "")
        for claim in support["claims"]:
            table.add_row("", "  " + claim["support"], escape(claim["claim"]))
    if utility:
        score = "ungraded" if utility["score"] is None else f"{utility['score']} of 5"
        table.add_row("IsUse", score + _cached(utility), escape(utility["reason"]))
    return table


def _cached(verdict: dict[str, Any]) -> str:
    return " (cached)" if verdict["cached"] else ""


def _cost(usage: dict[str, Any]) -> str:
    dollars = "price unknown" if usage["cost_usd"] is None else f"{usage['cost_usd']:.4f} USD"
    models = ", ".join(sorted({step["model"] for step in usage["by_step"].values()})) or "none"
    return (
        f"{dollars}, {usage['model_calls']} model calls in {usage['rounds']} rounds, "
        f"{usage['cached_verdicts']} cached verdicts, "
        f"{usage['input_tokens']} tokens in, {usage['output_tokens']} out ({models})"
    )


def _times(steps: Sequence[Step]) -> str:
    return ", ".join(f"{step.name} {step.seconds:.2f} s" for step in steps)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}… ({len(text)} characters)"
