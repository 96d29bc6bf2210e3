"""Claims that people labelled, as rows for `selfrag eval graders` (pure)."""

from collections.abc import Iterable, Iterator
from typing import TypedDict

from selfrag.domain.feedback import Feedback


class ClaimRow(TypedDict):
    """A claim, the texts of its passages, and the label of a person."""

    claim: str
    passages: list[str]
    label: str
    question: str
    group: str


def claim_rows(items: Iterable[Feedback]) -> Iterator[ClaimRow]:
    """Yield a row for each label of a person; the claims of one question are a group."""
    for feedback in sorted(items, key=lambda each: each.given_at):
        for claim in feedback.claims:
            yield {
                "claim": claim.claim,
                "passages": [feedback.evidence[at] for at in claim.passages],
                "label": claim.label,
                "question": feedback.question,
                "group": feedback.question_id,
            }
