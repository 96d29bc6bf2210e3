"""The table of feedback: an item for each question and caller."""

import hashlib
from typing import Any

from typing_extensions import override

from selfrag.adapters.faults import aws_faults, unreadable_faults
from selfrag.adapters.items import serialize, values_of
from selfrag.domain.feedback import Feedback
from selfrag.ports.feedback import FeedbackBook

# The index over questions: one may have the feedback of many callers.
BY_QUESTION = "by_question"


class DynamoFeedback(FeedbackBook):
    """Feedback as items of a table whose key, `id`, is the question's and a hash of the caller's name."""

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    @override
    def keep(self, feedback: Feedback, caller: str) -> None:
        # A reader of the table sees which feedback has the same caller, but not who the caller is.
        key = f"{feedback.question_id}/{hashlib.sha256(caller.encode()).hexdigest()[:32]}"
        with aws_faults("the table of feedback"):
            self._client.put_item(TableName=self._table, Item=serialize({"id": key, **feedback.model_dump()}))

    @override
    def delete(self, question_id: str) -> None:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=BY_QUESTION,
            KeyConditionExpression="question_id = :question",
            ExpressionAttributeValues={":question": {"S": question_id}},
            ProjectionExpression="id",
        )
        with aws_faults("the table of feedback"):
            for item in (item for page in pages for item in page["Items"]):
                self._client.delete_item(TableName=self._table, Key={"id": item["id"]})


def feedback_of(item: dict[str, Any]) -> Feedback:
    """Return an item's feedback; raises Unreadable for an item of another version that cannot be read."""
    with unreadable_faults("the table of feedback"):
        return Feedback.model_validate(values_of(item), extra="ignore")
