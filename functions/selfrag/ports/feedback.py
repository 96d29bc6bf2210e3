"""Storage of feedback on answers."""

from typing import Protocol

from selfrag.domain.feedback import Feedback


class FeedbackBook(Protocol):
    """A store of feedback, once for each question and caller; raises selfrag's typed errors."""

    def keep(self, feedback: Feedback, caller: str) -> None:
        """Store a caller's feedback on a question, replacing the same caller's earlier one."""

    def delete(self, question_id: str) -> None:
        """Delete the feedback of all callers on a question."""
