"""A guardrail: an organisation's check of questions and answers."""

from collections.abc import Sequence
from typing import Literal, Protocol

Side = Literal["request", "answer"]


class Guardrail(Protocol):
    """A check of texts before they go on."""

    def passes(self, side: Side, texts: Sequence[str]) -> bool:
        """Return whether all texts are allowed unchanged.

        Fails closed: masked texts and unreadable or missing replies do not pass.
        """
