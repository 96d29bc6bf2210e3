"""A guardrail: an organisation's check of questions and answers."""

from collections.abc import Sequence
from typing import Literal, Protocol

Side = Literal["request", "answer"]


class Guardrail(Protocol):
    """A check of texts before they go on."""

    def passes(self, side: Side, texts: Sequence[str]) -> bool:
        """Return whether all texts may go on as they are.

        Fails closed: a text that it would mask, a reply that cannot be read, and one that does not come do not pass.
        """
