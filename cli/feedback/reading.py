"""Feedback as it is kept: on this laptop, or in a deployment's table, by who may read that."""

import time
from typing import Any

import boto3

from cli.local.aws.kept import kept_feedback
from selfrag.adapters.faults import aws_faults
from selfrag.adapters.feedback import feedback_of
from selfrag.domain.errors import InvalidInput
from selfrag.domain.feedback import Feedback


def read_feedback(name: str, region: str | None, collection: str = "") -> list[Feedback]:
    """What is kept of the deployment with this name, or of this laptop without one; of one collection if it is named.

    Raises InvalidInput for a deployment that is not there, and selfrag's other errors.
    """
    given = feedback_of_deployment(dynamodb_in(region), name) if name else feedback_here()
    return [each for each in given if not collection or collection in each.collections]


def feedback_here() -> list[Feedback]:
    """What was said over the API that this laptop serves."""
    return _not_ended(kept_feedback())


def feedback_of_deployment(client: Any, name: str) -> list[Feedback]:
    """All of a deployment's table; raises InvalidInput where there is none of this name, and selfrag's other errors."""
    with aws_faults("the table of feedback"):
        try:
            pages = client.get_paginator("scan").paginate(TableName=f"{name}-feedback")
            return _not_ended([item for page in pages for item in page["Items"]])
        except client.exceptions.ResourceNotFoundException:
            where = client.meta.region_name
            raise InvalidInput(
                f"There is no deployment called {name} in {where} that has feedback; --name and --region say which is "
                "meant."
            ) from None


def dynamodb_in(region: str | None) -> Any:
    """The client by which an operator reads tables; raises InvalidInput without a region."""
    session = boto3.Session(region_name=region)
    if session.region_name is None:
        raise InvalidInput("Your AWS configuration has no region; --region says where the deployment is.")
    return session.client("dynamodb")


def _not_ended(items: list[dict[str, Any]]) -> list[Feedback]:
    # DynamoDB deletes expired items within days, not at the moment.
    return [feedback for feedback in map(feedback_of, items) if feedback.expires_at > time.time()]
