"""Stored feedback: on this laptop, or in a deployment's table with an operator's credentials."""

import time
from typing import Any

from selfrag.domain.errors import InvalidInput
from selfrag.domain.feedback import Feedback
from selfrag_cli.local.stores.feedback import LocalFeedback
from selfrag_cli.local.stores.tables import opened_items


def read_feedback(name: str, region: str | None, collection: str = "") -> list[Feedback]:
    """Return the feedback of the deployment with this name, else of this laptop; of one collection if named.

    Raises InvalidInput for a deployment that is not there, and selfrag's other errors.
    """
    items = feedback_of_deployment(dynamodb_in(region), name) if name else feedback_here()
    return [each for each in items if not collection or collection in each.collections]


def feedback_here() -> list[Feedback]:
    """Return the feedback that the API of this laptop has stored."""
    with opened_items() as items:
        return LocalFeedback(items).all()


def feedback_of_deployment(client: Any, name: str) -> list[Feedback]:
    """All of a deployment's table; raises InvalidInput where there is none of this name, and selfrag's other errors."""
    # boto3 takes a while to load, and what is kept here does not need it.
    from selfrag.adapters.faults import aws_faults
    from selfrag.adapters.feedback import feedback_of

    with aws_faults("the table of feedback"):
        try:
            pages = client.get_paginator("scan").paginate(TableName=f"{name}-feedback")
            items = [feedback_of(item) for page in pages for item in page["Items"]]
            # DynamoDB deletes expired items within days, not at the moment.
            return [feedback for feedback in items if feedback.expires_at > time.time()]
        except client.exceptions.ResourceNotFoundException:
            where = client.meta.region_name
            raise InvalidInput(
                f"There is no deployment called {name} in {where} that has feedback; --name and --region say which is "
                "meant."
            ) from None


def dynamodb_in(region: str | None) -> Any:
    """Return the client by which an operator reads tables; raises InvalidInput without a region."""
    import boto3

    session = boto3.Session(region_name=region)
    if session.region_name is None:
        raise InvalidInput("Your AWS configuration has no region; --region says where the deployment is.")
    return session.client("dynamodb")
