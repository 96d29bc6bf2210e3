"""The language model: its interface, and its results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from selfrag.domain.calls import Flaw as Flaw
from selfrag.domain.calls import JudgedVerdict, ModelCall

V = TypeVar("V", bound=BaseModel)


@dataclass(frozen=True)
class Prompt:
    """The text of a `prompt.md`, and its version: a hash of that text; `local` is the shorter one for local models."""

    text: str
    version: str
    local: "Prompt | None" = None


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """The requests behind a result: the call with its cost, and the number of attempts.

    An `unavailable` or `cached` result has no reply, so its `call` is None. `error` is the class name of the error
    without which there would be a reply, `cause` its sentence; `throttled` as in a step's result. `cached` marks a
    cache hit. `earlier` are paid calls before it, whose replies did not serve.
    """

    call: ModelCall | None
    attempts: int = 1
    error: str | None = None
    cause: str = ""
    throttled: bool = False
    cached: bool = False
    warnings: tuple[str, ...] = ()
    earlier: tuple[ModelCall, ...] = ()

    @property
    def usage(self) -> dict[str, Any]:
        """Return the requests as the fields of a step's result."""
        return {
            "calls": [*self.earlier, *([] if self.call is None else [self.call])],
            "warnings": list(self.warnings),
            "attempts": self.attempts,
            "error": self.error,
            "cause": self.cause,
            "throttled": self.throttled,
            "cached": self.cached,
        }


@dataclass(frozen=True)
class Judgement(ModelRequest, Generic[V]):
    """A verdict, or None and its flaw; `key` is its key in the verdict cache, "" without one.

    One that is not final may be another for the same fields later, and is not cached.
    """

    verdict: V | None
    flaw: Flaw | None
    key: str = ""
    is_final: bool = True

    @property
    def usage(self) -> dict[str, Any]:
        """Return the requests as the fields of a step's result, with the verdict."""
        verdict = self.verdict if self.key else None
        judged = [] if verdict is None else [JudgedVerdict(key=self.key, verdict=verdict.model_dump_json())]
        return {**super().usage, "judged": judged, "flaw": self.flaw}


@dataclass(frozen=True)
class CitedBlocks:
    """A citation as the service gives it: a source's index, and a range of its text blocks."""

    source: int
    start_block: int
    end_block: int


@dataclass(frozen=True)
class TextBlock:
    """A run of the answer's text with its citations."""

    text: str
    citations: tuple[CitedBlocks, ...] = ()


@dataclass(frozen=True)
class ModelText(ModelRequest):
    """The model's text, and its flaw, if it refused, was cut or did not reply."""

    segments: tuple[TextBlock, ...]
    flaw: Flaw | None

    @property
    def usage(self) -> dict[str, Any]:
        """Return the requests as the fields of a step's result, with the flaw."""
        return {**super().usage, "flaw": self.flaw}


@dataclass(frozen=True)
class Source:
    """A passage as the model gets it: its text in blocks, the smallest units it can cite."""

    name: str
    title: str
    blocks: tuple[str, ...]


class Claude(Protocol):
    """The language model of the steps."""

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        """Return a verdict on quoted fields."""

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
        """Return text; `sources` are sent with citations on."""

    def model_of(self, step: str) -> str:
        """Return the model id that the step is configured to use."""
