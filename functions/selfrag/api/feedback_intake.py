"""Intake of feedback: checks that the answer exists, and stores the caller's opinion."""

import time
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from selfrag.api.edge.callers import Caller
from selfrag.api.edge.problems import ProblemError
from selfrag.api.lifecycle import readable_question
from selfrag.bootstrap import api
from selfrag.domain.feedback import ClaimLabel, Feedback, FeedbackRequest, LabelledClaim
from selfrag.domain.history import passages_by_claim

# A year: question sets are made of feedback long after the answers expire.
KEPT_SECONDS = 365 * 86_400


def submit_feedback(question_id: str, body: FeedbackRequest, caller: Caller) -> Feedback | None:
    """Store a caller's feedback on an answer and return it; None if the caller may not read the answer.

    Raises ProblemError for a question without an answer, and for claims that it does not have.
    """
    stored = readable_question(question_id, caller)
    if stored is None:
        return None
    if stored.response is None:
        raise ProblemError(
            HTTPStatus.CONFLICT,
            "There is no answer to this question that could be judged.",
            "GET /v1/questions/{id} shows whether it is still at work.",
        )
    now = int(time.time())
    feedback = Feedback(
        **body.model_dump(exclude={"claims"}),
        **(_label_claims(question_id, body.claims, stored.response) if body.claims else {}),
        question_id=question_id,
        question=stored.question,
        previous=stored.previous,
        status=stored.response["status"],
        answered=stored.response["answer"],
        cited=list(dict.fromkeys(citation["document"] for citation in stored.response["citations"])),
        collections=list(stored.collections),
        given_at=now,
        expires_at=now + KEPT_SECONDS,
    )
    api.feedback().keep(feedback, caller.name)
    return feedback


def _label_claims(question_id: str, labels: Sequence[ClaimLabel], response: dict[str, Any]) -> dict[str, Any]:
    """Return `claims` and `evidence`: labelled claims, and the passages that they were checked by.

    These are from the history of the question.
    """
    support = response["reflection"]["support"] or {}
    claims = [claim["claim"] for claim in support.get("claims", [])]
    if any(label.claim >= len(claims) for label in labels):
        raise ProblemError(
            HTTPStatus.CONFLICT,
            f"The answer has {len(claims)} checked claims; they are counted from 0.",
            "reflection.support.claims of the answer has them.",
        )
    passages = passages_by_claim(api.executions().history(question_id))
    if any(not passages.get(claims[label.claim]) for label in labels):
        raise ProblemError(
            HTTPStatus.CONFLICT,
            "The passages that a claim was checked by are not known any more.",
            "Label claims of questions that were asked with POST /v1/questions.",
        )
    labels_of = {label.claim: label.label for label in labels}
    evidence = list(dict.fromkeys(text for at in labels_of for text in passages[claims[at]]))
    labelled = [
        LabelledClaim(claim=claims[at], label=label, passages=[evidence.index(text) for text in passages[claims[at]]])
        for at, label in sorted(labels_of.items())
    ]
    return {"claims": labelled, "evidence": evidence}
