"""The measures of an answer: those without a model's opinion, and then the graders' verdicts.

Each measure of a question is a count and what it is out of, so that a measure of many questions is the sum of the one
by the sum of the other; out of nothing says that the question is not for this measure.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel

from selfrag.domain.answers import UNCITED, Status
from selfrag_cli.lab.gold.question_sets import GoldQuestion
from selfrag_cli.lab.metrics.graders import Graded
from selfrag_cli.lab.metrics.matching import exact_match, f1, match, quoted_from, same_document, share_found


@dataclass(frozen=True)
class Share:
    """So much `of` so much."""

    count: float
    of: float = 1.0

    def __add__(self, other: "Share") -> "Share":
        """Return both together."""
        return Share(self.count + other.count, self.of + other.of)


# Of the passages found, so many are looked at for recall; 4 is what a search brings by default.
RANKS = (1, 4)
NOT_FOR_IT = Share(0.0, 0.0)
# Measures that are amounts and no shares, though all of them may be 0 or 1.
AMOUNTS = ("rounds", "model_calls", "seconds", "usd")
Measured = dict[str, Share]


class _Citation(BaseModel):
    document: str
    quote: str


class _Usage(BaseModel):
    model_calls: int
    rounds: int
    cost_usd: float | None


class Reply(BaseModel):
    """The measured fields of a response; another release may send more."""

    status: Status
    answer: str
    citations: list[_Citation]
    usage: _Usage
    reflection: Graded = Graded()

    @property
    def abstained(self) -> bool:
        """Return whether it says that the documents do not hold the answer."""
        return self.status == "abstained"


def measured(gold: GoldQuestion, response: Mapping[str, Any], seconds: float) -> Measured:
    """Return the measures of one response to a question, which took so many seconds."""
    reply = Reply.model_validate(response)
    usage = reply.usage
    return {
        **_nearness(gold, reply),
        **_retrieval(gold, reply),
        **_citations(gold, reply),
        **_abstention(gold, reply),
        **{status: Share(reply.status == status) for status in get_args(Status)},
        **{name: Share(*share) for name, share in reply.reflection.shares().items()},
        "rounds": Share(usage.rounds),
        "model_calls": Share(usage.model_calls),
        "seconds": Share(seconds),
        "usd": NOT_FOR_IT if usage.cost_usd is None else Share(usage.cost_usd),
    }


def _nearness(gold: GoldQuestion, reply: Reply) -> Measured:
    """Compare the answer with the nearest right one; as in SQuAD 2.0, to abstain is right where there is none."""
    compares: dict[str, Callable[[str, str], float]] = {"exact_match": exact_match, "f1": f1, "match": match}
    if gold.answerable is False:
        return dict.fromkeys(compares, Share(reply.abstained))
    if not gold.answers:
        return dict.fromkeys(compares, NOT_FOR_IT)
    if reply.status in ("abstained", "failed"):
        return dict.fromkeys(compares, Share(0.0))
    said = reply.answer.replace(f" {UNCITED}", "")
    near = {name: Share(max(compare(said, right) for right in gold.answers)) for name, compare in compares.items()}
    if gold.facts:
        near["match"] = Share(min(match(said, fact) for fact in gold.facts))
    return near


def _retrieval(gold: GoldQuestion, reply: Reply) -> Measured:
    """Measure the recall of the gold documents among the first passages found and among all, cited or not.

    Passages stand in the order in which the searches brought them, those of the first one first, best first.
    """
    found = [verdict.document for verdict in reply.reflection.relevance if verdict.document]
    ranks = {**{f"recall_at_{rank}": found[:rank] for rank in RANKS}, "search_recall": found}
    if not found or not gold.documents:
        return dict.fromkeys(ranks, NOT_FOR_IT)
    return {name: Share(share_found(documents, gold.documents, same_document)) for name, documents in ranks.items()}


def _citations(gold: GoldQuestion, reply: Reply) -> Measured:
    """Measure recall and precision of citations, by gold documents, or by passages where no document is known."""
    wanted, cited = gold.passages, [citation.quote for citation in reply.citations]
    is_of: Callable[[str, str], bool] = quoted_from
    if gold.documents:
        wanted, cited = gold.documents, list({citation.document for citation in reply.citations})
        is_of = same_document
    if not wanted:
        return {"citation_recall": NOT_FOR_IT, "citation_precision": NOT_FOR_IT}
    right = sum(any(is_of(one, right) for right in wanted) for one in cited)
    return {
        "citation_recall": Share(share_found(cited, wanted, is_of)),
        "citation_precision": Share(right / len(cited)) if cited else NOT_FOR_IT,
    }


def _abstention(gold: GoldQuestion, reply: Reply) -> Measured:
    """Measure precision and recall of abstention."""
    without = gold.answerable is False
    known = gold.answerable is not None
    return {
        "abstention_precision": Share(reply.abstained and without, reply.abstained and known),
        "abstention_recall": Share(reply.abstained and without, without),
    }


def overall(measures: Sequence[Measured]) -> dict[str, float | None]:
    """Return each measure over many questions; None where none of them is for it."""
    names = dict.fromkeys(name for one in measures for name in one)
    return {name: _ratio([one[name] for one in measures]) for name in names}


def _ratio(shares: Sequence[Share]) -> float | None:
    of = sum(share.of for share in shares)
    return sum(share.count for share in shares) / of if of else None
