"""Where what people say of answers is kept."""

from typing import Protocol

from selfrag.domain.feedback import Feedback


class FeedbackBook(Protocol):
    """Keeps feedback, once for each question and caller; raises selfrag's typed errors."""

    def keep(self, feedback: Feedback, caller: str) -> None:
        """Keep what a caller says, in place of what the same caller said of the same question before."""
