"""The language model: what the steps need of one, and what it hands back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from selfrag.domain.calls import ModelCall
from selfrag.ports.prompts import Prompt

V = TypeVar("V", bound=BaseModel)
Flaw = Literal["refused", "cut", "malformed"]


@dataclass(frozen=True)
class Judgement(Generic[V]):
    """A verdict, or None and the flaw of the reply, with the call that it cost and how often it was asked for."""

    verdict: V | None
    flaw: Flaw | None
    call: ModelCall
    attempts: int = 1


@dataclass(frozen=True)
class Cited:
    """A citation as the service gives it: a source's index, and a range of its text blocks."""

    source: int
    start_block: int
    end_block: int


@dataclass(frozen=True)
class Segment:
    """A run of the answer's text with the citations that stand behind it."""

    text: str
    citations: tuple[Cited, ...] = ()


@dataclass(frozen=True)
class Writing:
    """What the model wrote, and its flaw, if it refused or was cut."""

    segments: tuple[Segment, ...]
    flaw: Flaw | None
    call: ModelCall
    attempts: int = 1


@dataclass(frozen=True)
class Source:
    """A passage as the model is given it: its text in blocks, the smallest units it can cite."""

    name: str
    title: str
    blocks: tuple[str, ...]


class Claude(Protocol):
    """What the steps need of a language model."""

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[V]) -> Judgement[V]:
        """Ask for a verdict on quoted fields."""

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> Writing:
        """Ask for text; `sources` are given with citations on."""

    def model_of(self, step: str) -> str:
        """The model id that the step is configured to use."""
