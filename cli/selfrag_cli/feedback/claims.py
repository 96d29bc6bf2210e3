"""Claims that people labelled, as rows for `selfrag eval graders` (pure)."""

from collections.abc import Iterable, Iterator
from typing import Any

from selfrag.domain.feedback import Feedback


def claim_rows(items: Iterable[Feedback]) -> Iterator[dict[str, Any]]:
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
