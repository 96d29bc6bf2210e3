"""The review of questions by a person: each is shown with its passages, and kept, dropped or edited."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel

from cli.lab.making.made import Made, Turn, flaw_of
from cli.terminal import visible

CHOICE = "[k]eep, [d]rop, [e]dit, keep the [r]est, or [q]uit without the rest"

# Asks the person: what for, and what stands if nothing is typed.
Ask = Callable[[str, str], str]


def review(made: Sequence[Made], console: Console, ask: Ask) -> list[Made]:
    """The questions that the person keeps, some of them in other words."""
    kept: list[Made] = []
    for number, one in enumerate(made):
        console.rule(f"{number + 1} of {len(made)}: {one.kind.replace('_', ' ')}")
        chosen, one = _reviewed(one, console, ask)
        if chosen == "q":
            break
        if chosen == "r":
            return [*kept, one, *made[number + 1 :]]
        if chosen == "k":
            kept.append(one)
    return kept


def _reviewed(one: Made, console: Console, ask: Ask) -> tuple[str, Made]:
    """What the person chooses at last, and the question with what was edited."""
    while True:
        show(one, console)
        chosen = ask(CHOICE, "k").strip()[:1].lower()
        if chosen in ("k", "d", "r", "q"):
            return chosen, one
        if chosen == "e":
            edited = _edited(one, ask)
            flaw = flaw_of(edited)
            if flaw:
                console.print(f"Not taken: {flaw}.")
            else:
                one = edited


def show(one: Made, console: Console) -> None:
    """Print a question with its answer, and the passages that it rests on."""
    for turn in one.turns:
        answer = escape(visible(turn.answer)) or "[dim]the documents hold no answer[/]"
        console.print(f"[bold]{escape(visible(turn.question))}[/]\n  {answer}", highlight=False)
    for passage in one.passages:
        text = "\n".join(visible(line) for line in passage.text.split("\n"))
        console.print(Panel(escape(text), title=escape(visible(passage.document)), border_style="dim"))


def _edited(one: Made, ask: Ask) -> Made:
    """The question in the person's words; facts are parted by semicolons."""
    turns = []
    for turn in one.turns:
        question = ask("Question", turn.question)
        facts = ask("Answer, in words of the passage; several facts parted by ;", ";".join(turn.facts))
        turns.append(Turn(question.strip(), tuple(fact.strip() for fact in facts.split(";") if fact.strip())))
    return replace(one, asked=turns[-1], before=turns[0] if one.before else None)
