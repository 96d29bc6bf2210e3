"""What a person sees of answers that were compared: a list best first, or a tree of segments."""

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.text import Text
from rich.tree import Tree

from selfrag.domain.answers import Citation
from selfrag.domain.scores.shown import Node, Scores
from selfrag_cli.show.by_rule import GREY
from selfrag_cli.terminal import visible

# Why an answer is out, by the code in `reason`.
REASONS = {
    "ungraded": "its passage could not be graded",
    "irrelevant": "its passage is not relevant",
    "no_support": "its passage does not support it",
    "no_answer": "no answer came of its passage",
    "repeated": "its path has said it before",
    "cut": "it met the length limit",
    "beam": "others were better",
}
STOPPED = {
    "depth": "max_segments was reached",
    "calls": "the next step could have passed the limit of calls",
    "cost": "the next step could have passed the limit of cost",
    "deadline": "the next step could have passed the deadline",
    "no_evidence": "no further evidence was found",
    "fault": "a step failed",
}
SCALES = {
    "labels": "made of labels, each taken as certain",
    "probabilities": "made of the probabilities that a decision model gave",
    "mixed": "made of a decision model's probabilities, and of labels where Claude judged",
}
BY_RULE = "Scores made of words in common, which are no judgements: no model compared these."
COLOURS = {"chosen": "green", "kept": "default", "pruned": "dim"}


def show_scores(
    console: Console,
    scores: Scores,
    citations: Sequence[Citation] = (),
    places: Mapping[str, str] | None = None,
    texts: Mapping[str, str] | None = None,
    by_rule: bool = False,
) -> None:
    """Print what was compared, why each was kept or not, and on which scale.

    `places` are those of the passages, as far as they are known, `texts` those of what was pruned. What was compared
    by rule is grey.
    """
    style = GREY if by_rule else ""
    if scores.nodes:
        numbers = _numbers(citations)
        console.print(_drawn(scores.nodes, lambda node: _line(node, numbers, places or {}, texts or {}, style)))
    if scores.votes:
        votes = ", ".join(f"{option} {total:.2f}" for option, total in by_votes(scores.votes))
        console.print(f"[bold]Votes[/]    {escape(visible(votes))}")
    if scores.stopped:
        console.print(f"[bold]Stopped[/]  {STOPPED[scores.stopped]}")
    console.print(f"[dim]{BY_RULE if by_rule else scale_of(scores)}[/]")


def scale_of(scores: Scores) -> str:
    """Return the scale of the scores; those of two scales are not comparable."""
    return (
        f"Scores {SCALES[scores.scale]}; they cannot be compared with scores of another scale. "
        "s(Rel) and s(Sup) are from 0 to 1, s(Use) from -1 to 1."
    )


def by_votes(votes: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the options of a closed set, the highest sum first."""
    return sorted(votes.items(), key=lambda vote: -vote[1])


def best_first(nodes: Sequence[Node]) -> list[Node]:
    """Answers as they rank: what was chosen, what was kept, what is out; by score in each."""
    order = ("chosen", "kept", "pruned")
    return sorted(nodes, key=lambda node: (order.index(node.state), node.score is None, -(node.score or 0.0)))


def state_of(node: Node) -> str:
    """Return the state of an answer: chosen, kept, or out and why."""
    return f"out ({REASONS.get(node.reason, node.reason)})" if node.state == "pruned" else node.state


def _drawn(nodes: Sequence[Node], line: Callable[[Node], Text]) -> Tree:
    """Answers best first, or segments below those that they follow, in the order in which they were written."""
    grown = any(node.parent for node in nodes)
    root = Tree("[bold]Segments[/], each below the one that it follows" if grown else "[bold]Answers[/], best first")
    drawn = {"": root}
    for node in nodes if grown else best_first(nodes):
        # What follows a segment that is not told stands at the root.
        drawn[node.id] = drawn.get(node.parent, root).add(line(node))
    return root


def _line(
    node: Node, numbers: Mapping[str, int], places: Mapping[str, str], texts: Mapping[str, str], style: str
) -> Text:
    named = {"s(Rel)": node.rel, "s(Sup)": node.sup, "s(Use)": node.use}
    terms = [f"{name} {value:.2f}" for name, value in named.items() if value is not None]
    worth = "no score" if node.score is None else f"score {node.score:.2f}"
    passage_id = node.passage_id or ""
    source = places.get(passage_id) or node.document or passage_id or "no passage"
    number = numbers.get(passage_id) if node.state == "chosen" else None
    details = ", ".join([*terms, f"from {source}{f' [{number}]' if number else ''}"])
    line = Text(visible(f"{state_of(node)}, {worth}: {details}"), style=style or COLOURS[node.state])
    text = node.text or texts.get(node.id, "")
    return line.append(f"\n{visible(text)}", style="default") if text else line


def _numbers(citations: Sequence[Citation]) -> dict[str, int]:
    """Return the number of each passage, in the order in which they are first cited."""
    cited = dict.fromkeys(citation.passage_id for citation in citations)
    return {passage_id: number for number, passage_id in enumerate(cited, start=1)}
