"""A step's judge: its prompt, and its model."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel

from selfrag.domain.verdicts import JudgedBy, judged_by
from selfrag.ports.cache import verdict_key
from selfrag.ports.model import Claude, Judgement
from selfrag.ports.prompts import Prompt

V = TypeVar("V", bound=BaseModel)


@dataclass(frozen=True)
class Grader:
    """A step's judge: its prompt and its model, which may have a cache.

    `first` is a smaller judge that is asked before, if the deployment has one. `collections` are those of the question.
    """

    step: str
    prompt: Prompt
    claude: Claude
    first: "Grader | None" = None
    collections: Collection[str] = ()

    @property
    def model(self) -> str:
        """Return the id of the model that judges."""
        return self.claude.model_of(self.step)

    @property
    def judged_by(self) -> JudgedBy:
        """Return the kind of judge: a model, or the stand-in's rules."""
        return judged_by(self.model)

    def grade(self, texts: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        """Judge `texts` in the given shape.

        Fails closed: a refused, cut, malformed or missing reply is no verdict and is not cached. Raises selfrag's typed
        errors for what no retry would mend.
        """
        judged = self.claude.judge(self.step, self.prompt, texts, shape)
        key = verdict_key(self.claude, self.step, self.prompt, shape, texts, self.collections)
        return replace(judged, key=key)
