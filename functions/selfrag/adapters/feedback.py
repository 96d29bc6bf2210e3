"""The table of feedback: an item for each question and caller."""

import hashlib
from typing import Any

from selfrag.adapters.faults import aws_faults, readable
from selfrag.adapters.items import serialized, values_of
from selfrag.domain.feedback import Feedback


class DynamoFeedback:
    """Feedback as items of a table whose key, `id`, is the question's and a hash of the caller's name."""

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    def keep(self, feedback: Feedback, caller: str) -> None:
        """Keep what a caller says, in place of what the same caller said of the same question before."""
        # Who reads the table learns which feedback is one caller's, and of nobody who they are.
        key = f"{feedback.question_id}/{hashlib.sha256(caller.encode()).hexdigest()[:32]}"
        with aws_faults("the table of feedback"):
            self._client.put_item(TableName=self._table, Item=serialized({"id": key, **feedback.model_dump()}))


def feedback_of(item: dict[str, Any]) -> Feedback:
    """What an item says; raises Unreadable for one that another version has written so that it cannot be read."""
    with readable("the table of feedback"):
        return Feedback.model_validate(values_of(item), extra="ignore")
