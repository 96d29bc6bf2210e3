"""The fine-tuned Self-RAG model: what the steps need of the server that runs it, and what it hands back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from selfrag.domain.scores.generated import Generated
from selfrag.domain.scores.vocabulary import Vocabulary
from selfrag.ports.model import Asked


@dataclass(frozen=True)
class Completed(Asked):
    """What was written after each prompt, in their order; None is what the server left out, or cannot have meant.

    `sequences` is for how many texts a request was answered: all or none.
    """

    written: tuple[Generated | None, ...]
    sequences: int


class Generator(Protocol):
    """A server of the model."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The ids of its tokens."""

    def complete(self, step: str, prompts: Sequence[str], max_tokens: int, *, stops: Sequence[int] = ()) -> Completed:
        """Go on with all prompts in one request, each to so many tokens or to one of the ids in `stops`.

        A request that brought nothing, though a later one may, is told in what comes back. Raises selfrag's typed
        errors for what no later try would mend.
        """


@dataclass(frozen=True)
class Server:
    """Which server it is: whether it lists the tokens that it is asked for, and what is `wrong` with it, if anything.

    One that does not list them (vLLM before logprob_token_ids) gives the 20 most probable, so that verdicts may be
    `truncated`. `max_model_len` is null where it does not say.
    """

    model: str
    lists_what_is_asked: bool
    max_model_len: int | None
    wrong: tuple[str, ...] = ()
