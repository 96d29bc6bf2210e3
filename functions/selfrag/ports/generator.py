"""The fine-tuned Self-RAG model: the steps' interface to its server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from selfrag.domain.scores.generated import GeneratedText
from selfrag.domain.scores.vocabulary import Vocabulary
from selfrag.ports.model import ModelRequest, UsageFields


@dataclass(frozen=True)
class Completion(ModelRequest):
    """The texts after each prompt, in their order; None is a text that the server left out or garbled.

    `sequences` is the number of texts that a request was answered for: all or none.
    """

    written: tuple[GeneratedText | None, ...]
    sequences: int

    @property
    def usage(self) -> UsageFields:
        """Return the requests as the fields of a step's result, with the number of texts."""
        return {**super().usage, "sequences": self.sequences}


class Generator(Protocol):
    """A server of the model."""

    @property
    def model(self) -> str:
        """Return the name of the model."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Return the ids of its tokens."""

    def complete(self, step: str, prompts: Sequence[str], max_tokens: int, *, stops: Sequence[int] = ()) -> Completion:
        """Complete all prompts in one request, each to so many tokens or to one of the ids in `stops`.

        A request without a reply that may succeed later is reported in the result. Raises selfrag's typed errors for
        what no retry would mend.
        """
