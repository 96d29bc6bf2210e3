"""Local storage of feedback."""

import hashlib

from typing_extensions import override

from selfrag.domain.feedback import Feedback
from selfrag.ports.feedback import FeedbackBook
from selfrag_cli.local.runner.tasks import item_of
from selfrag_cli.local.stores.tables import FEEDBACK, Items


class LocalFeedback(FeedbackBook):
    """Feedback by question and caller."""

    def __init__(self, items: Items) -> None:
        self._items = items

    @override
    def keep(self, feedback: Feedback, caller: str) -> None:
        key = f"{feedback.question_id}/{hashlib.sha256(caller.encode()).hexdigest()[:32]}"
        self._items.put(FEEDBACK, item_of({"id": key, **feedback.model_dump()}))

    @override
    def delete(self, question_id: str) -> None:
        for item in self._items.all(FEEDBACK):
            if item["question_id"]["S"] == question_id:
                self._items.delete(FEEDBACK, item["id"]["S"])
