"""What the model of a double says, by question, path and passage: a table of probabilities."""

from dataclasses import dataclass, field

from selfrag.domain.passages import Evidence
from selfrag.domain.scores.tokens import RELEVANCE, RETRIEVE, SUPPORT, UTILITY

Probabilities = tuple[float, ...]


@dataclass(frozen=True)
class Said:
    """One text with its critique: p(relevant, irrelevant), p(full, partial, none), p(1..5), None where it is absent.

    `q` is the exponential of the mean of its log-probabilities, the critique's included. It ends with `</s>`, or with
    the likeliest of `ends`: p(retrieve, no retrieval, continue).
    """

    words: str
    relevance: Probabilities | None = None
    support: Probabilities | None = None
    use: Probabilities | None = None
    q: float = 0.9
    ends: Probabilities | None = None

    @property
    def critique(self) -> dict[str, dict[str, float]]:
        """Return the groups that are there, best first as they are given, by name."""
        groups = {
            "relevance": (tuple(reversed(RELEVANCE)), self.relevance),
            "support": (tuple(reversed(SUPPORT)), self.support),
            "use": (UTILITY, self.use),
        }
        return {name: dict(zip(tokens, found, strict=True)) for name, (tokens, found) in groups.items() if found}

    @property
    def told(self) -> str:
        """Return the text with its critique tokens, as the server gives it."""
        chosen = {name: max(found, key=lambda token: found[token]) for name, found in self.critique.items()}
        return f"{chosen.get('relevance', '')}{self.words}{chosen.get('support', '')}{chosen.get('use', '')}"


@dataclass(frozen=True)
class Node:
    """What is said behind the node `parent` ("" is the root) from a passage, or from none."""

    name: str
    passage: str | None
    said: Said
    parent: str = ""

    @property
    def told(self) -> str:
        """Return what the path holds of it: its text, and before it that it rests on no passage."""
        return self.said.told if self.passage is not None else f"{RETRIEVE[0]}{self.said.told}"


@dataclass(frozen=True)
class Scenario:
    """One question, whether to search for it: p(retrieve, no retrieval, continue), and the tree of what is said.

    `passages` are the texts by id; the double knows a passage by its text. `otherwise` is said where the table has
    nothing; without it a prompt that is not in the table fails the test. `segmented` asks for the tokens to stop at.
    """

    question: str
    decision: Probabilities
    passages: dict[str, str]
    nodes: tuple[Node, ...]
    segmented: bool = False
    otherwise: Said | None = None
    titles: dict[str, str] = field(default_factory=dict)

    def evidence(self, passage_id: str) -> Evidence:
        """A passage as a step is given it."""
        return Evidence(
            passage_id=passage_id,
            document=f"{passage_id}.md",
            title=self.titles.get(passage_id, passage_id),
            text=self.passages[passage_id],
            collection="c",
        )

    def named(self, name: str) -> Node:
        """Return the node of a name."""
        return next(node for node in self.nodes if node.name == name)

    def path_to(self, told: str, at: str = "") -> str | None:
        """Return the name of the node that a path ends with, "" for none; None where no path of the tree reads so."""
        if not told:
            return at
        children = [node for node in self.nodes if node.parent == at and node.told and told.startswith(node.told)]
        found = (self.path_to(told[len(node.told) :], node.name) for node in children)
        return next((name for name in found if name is not None), None)

    def answer(self, parent: str, passage: str | None) -> Said | None:
        """Return what is said behind a node from a passage, or from none."""
        rows = (node.said for node in self.nodes if (node.parent, node.passage) == (parent, passage))
        return next(rows, self.otherwise)
