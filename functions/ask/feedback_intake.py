"""Intake of feedback: checks that there is an answer, and stores what the caller says of it."""

import time
from http import HTTPStatus

from ask.edge.callers import Caller
from ask.edge.problems import ProblemRaised
from selfrag.bootstrap import api
from selfrag.domain.feedback import Feedback, FeedbackRequest

# A year: question sets are made of feedback long after the answers expire.
KEPT_SECONDS = 365 * 86_400


def give(question_id: str, body: FeedbackRequest, caller: Caller) -> Feedback | None:
    """Store a caller's feedback on an answer and return it; None if the caller may not read the answer.

    Raises ProblemRaised for a question without an answer.
    """
    known = api.executions().known(question_id, caller.collections)
    if known is None:
        return None
    if known.response is None:
        raise ProblemRaised(
            HTTPStatus.CONFLICT,
            "There is no answer to this question that could be judged.",
            "GET /v1/questions/{id} shows whether it is still at work.",
        )
    now = int(time.time())
    feedback = Feedback(
        **body.model_dump(),
        question_id=question_id,
        question=known.question,
        previous=known.previous,
        status=known.response["status"],
        answered=known.response["answer"],
        cited=list(dict.fromkeys(citation["document"] for citation in known.response["citations"])),
        collections=list(known.collections),
        given_at=now,
        expires_at=now + KEPT_SECONDS,
    )
    api.feedback().keep(feedback, caller.name)
    return feedback
