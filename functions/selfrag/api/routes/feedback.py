"""The route of feedback on an answer."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body

from selfrag.api import feedback_intake
from selfrag.api.edge.exchange import caller, problems, reply, shows
from selfrag.api.edge.problems import no_such_question
from selfrag.api.routes.questions import Id
from selfrag.domain.base import Model
from selfrag.domain.feedback import FeedbackRequest

router = Router()  # type: ignore[no-untyped-call]


class FeedbackReceipt(Model):
    """Receipt of feedback: when it was given, and when it expires."""

    id: str
    given_at: datetime
    expires_at: datetime


@router.post(
    "/v1/questions/<question_id>/feedback",
    operation_id="give_feedback",
    summary="Say what you think of an answer",
    description="It is kept once for each caller and question: what you say later takes the place of it.",
    responses={200: shows("It is kept", FeedbackReceipt), **problems(400, 403, 404, 409, 413, 415, 429, 503)},
)
def give_feedback(request: Request, question_id: Id, body: Annotated[FeedbackRequest, Body()]) -> Response[Any]:
    """Store feedback on an answer that the caller may read."""
    stored = feedback_intake.submit_feedback(question_id, body, caller(request, "ask"))
    if stored is None:
        raise no_such_question()
    given_at, expires_at = (datetime.fromtimestamp(at, UTC) for at in (stored.given_at, stored.expires_at))
    receipt = FeedbackReceipt(id=question_id, given_at=given_at, expires_at=expires_at)
    return reply(HTTPStatus.OK, receipt.model_dump(mode="json"))
