"""One verdict: from the cache if it is there, else from Claude, and kept only if it is a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from selfrag.domain.calls import ModelCall
from selfrag.ports.cache import CACHE_FAILED, VerdictCache, cache_key
from selfrag.ports.model import Claude, Flaw
from selfrag.ports.prompts import Prompt

V = TypeVar("V", bound=BaseModel)


@dataclass(frozen=True)
class Grade(Generic[V]):
    """What a grader said (None is ungraded, for the reason in `flaw`), and what it took to know."""

    verdict: V | None
    flaw: Flaw | None = None
    cached: bool = False
    calls: list[ModelCall] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    attempts: int = 0

    @property
    def took(self) -> dict[str, Any]:
        """What it took, as the fields of a step's result."""
        return {"calls": self.calls, "warnings": self.warnings, "attempts": self.attempts}


@dataclass(frozen=True)
class Grader:
    """A step's judge: its prompt, the model, and the cache in front of it (none for verdicts that are not kept)."""

    step: str
    prompt: Prompt
    claude: Claude
    cache: VerdictCache | None = None

    def grade(self, texts: Mapping[str, Any], shape: type[V]) -> Grade[V]:
        """Judge `texts` in the given shape.

        Fails closed: a refused, cut or malformed reply is no verdict and is not kept. Raises
        selfrag's typed errors when there was no reply at all.
        """
        key = cache_key(
            step=self.step,
            model=self.claude.model_of(self.step),
            prompt_version=self.prompt.version,
            shape=shape.model_json_schema(),
            texts=texts,
        )
        kept = self._kept(key, shape)
        if kept is not None:
            return Grade(kept, cached=True)
        judged = self.claude.judge(self.step, self.prompt, texts, shape)
        if judged.verdict is not None and self.cache is not None:
            self.cache.put(key, judged.verdict.model_dump_json())
        warnings = [CACHE_FAILED] if self.cache is not None and self.cache.failed else []
        return Grade(judged.verdict, judged.flaw, False, [judged.call], warnings, judged.attempts)

    def _kept(self, key: str, shape: type[V]) -> V | None:
        text = self.cache.get(key) if self.cache is not None else None
        if text is None:
            return None
        try:
            return shape.model_validate_json(text)
        except ValidationError:
            return None
