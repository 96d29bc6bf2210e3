"""The measures of an answer without a model's opinion.

Each measure of a question is a count and what it is out of, so that a measure of many questions is the sum of the
counts by the sum of the others; out of nothing says that the question is not for this measure.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

from selfrag.domain.answers import UNCITED, AnswerResponse, Status
from selfrag_cli.lab.matching import f1, match, quoted_from, same_document, share_covered
from selfrag_cli.lab.question_sets import GoldQuestion


@dataclass(frozen=True)
class Share:
    """A `count`, and what it is out of."""

    count: float
    of: float = 1.0

    @property
    def value(self) -> float | None:
        """Return the share; None of nothing."""
        return self.count / self.of if self.of else None


# The number of first passages that recall looks at; a search brings four by default.
RANK = 4
NOT_FOR_IT = Share(0.0, 0.0)
# Measures that are amounts and no shares, though all of them may be 0 or 1.
AMOUNTS = ("rounds", "model_calls", "seconds", "usd")
Measured = dict[str, Share]


def measured(gold: GoldQuestion, response: AnswerResponse, seconds: float) -> Measured:
    """Return the measures of one response to a question, which took so many seconds."""
    usage = response.usage
    return {
        **_nearness(gold, response),
        **_retrieval(gold, response),
        **_citations(gold, response),
        **_abstention(gold, response),
        **{status: Share(response.status == status) for status in get_args(Status)},
        "rounds": Share(usage.rounds),
        "model_calls": Share(usage.model_calls),
        "seconds": Share(seconds),
        "usd": NOT_FOR_IT if usage.cost_usd is None else Share(usage.cost_usd),
    }


def _nearness(gold: GoldQuestion, response: AnswerResponse) -> Measured:
    """Compare the answer with the nearest right one; as in SQuAD 2.0, to abstain is right where there is none."""
    compares: dict[str, Callable[[str, str], float]] = {"match": match, "f1": f1}
    if gold.answerable is False:
        return dict.fromkeys(compares, Share(response.status == "abstained"))
    if not gold.answers:
        return dict.fromkeys(compares, NOT_FOR_IT)
    if response.status in ("abstained", "failed"):
        return dict.fromkeys(compares, Share(0.0))
    answer = response.answer.replace(f" {UNCITED}", "")
    near = {name: Share(max(compare(answer, right) for right in gold.answers)) for name, compare in compares.items()}
    if gold.facts:
        near["match"] = Share(min(match(answer, fact) for fact in gold.facts))
    return near


def _retrieval(gold: GoldQuestion, response: AnswerResponse) -> Measured:
    """Measure the recall of the gold documents among the first passages of the search and among all, cited or not."""
    documents = [verdict.document for verdict in response.reflection.relevance if verdict.document]
    ranks = {f"recall_at_{RANK}": documents[:RANK], "search_recall": documents}
    if not documents or not gold.documents or gold.answerable is False:
        return dict.fromkeys(ranks, NOT_FOR_IT)
    return {name: Share(share_covered(gold.documents, first, same_document)) for name, first in ranks.items()}


def _citations(gold: GoldQuestion, response: AnswerResponse) -> Measured:
    """Measure recall and precision of citations, by gold documents, or by passages where no document is named."""
    expected, cited = gold.passages, [citation.quote for citation in response.citations]
    is_of: Callable[[str, str], bool] = quoted_from
    if gold.documents:
        expected, cited, is_of = gold.documents, cited_documents(response), same_document
    # To abstain is right where there is no answer, and measured apart.
    if not expected or gold.answerable is False:
        return {"citation_recall": NOT_FOR_IT, "citation_precision": NOT_FOR_IT}
    right = sum(any(is_of(source, right) for right in expected) for source in cited)
    return {
        "citation_recall": Share(share_covered(expected, cited, is_of)),
        "citation_precision": Share(right / len(cited)) if cited else NOT_FOR_IT,
    }


def cited_documents(response: AnswerResponse) -> list[str]:
    """Return the cited documents, each once."""
    return list(dict.fromkeys(citation.document for citation in response.citations))


def _abstention(gold: GoldQuestion, response: AnswerResponse) -> Measured:
    """Measure precision and recall of abstention."""
    abstained, unanswerable = response.status == "abstained", gold.answerable is False
    return {
        "abstention_precision": Share(abstained and unanswerable, abstained and gold.answerable is not None),
        "abstention_recall": Share(abstained and unanswerable, unanswerable),
    }


def overall(measures: Sequence[Measured]) -> dict[str, float | None]:
    """Return each measure over many questions; None where none of them is for it."""
    return {
        name: Share(sum(share.count for share in shares), sum(share.of for share in shares)).value
        for name, shares in _by_name(measures).items()
    }


def counted(measures: Sequence[Measured]) -> dict[str, int]:
    """Return by measure the number of questions that its mean is over."""
    return {name: sum(bool(share.of) for share in shares) for name, shares in _by_name(measures).items()}


def _by_name(measures: Sequence[Measured]) -> dict[str, list[Share]]:
    names = dict.fromkeys(name for of_question in measures for name in of_question)
    return {name: [of_question[name] for of_question in measures] for name in names}
