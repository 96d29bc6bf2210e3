"""Models for the steps: created on first use, behind the verdict cache."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from selfrag.domain.decisions import DecisionQuestion
from selfrag.domain.errors import SelfragError
from selfrag.judging.keys import cache_key, schema_of
from selfrag.ports.cache import VerdictCache
from selfrag.ports.decider import ANSWERS, Decider, Decisions
from selfrag.ports.model import Claude, Judgement, ModelText, Prompt, Source, TextBlock

CACHE_FAILED = "The verdict cache could not be used; the verdicts were made anew."

V = TypeVar("V", bound=BaseModel)
T = TypeVar("T")
_SEGMENTS = TypeAdapter(tuple[TextBlock, ...])


class LazyModel:
    """Models by step, each created on first use."""

    def __init__(self, models: Mapping[str, str], make: Callable[[str], Claude]) -> None:
        self._models, self._make = models, make

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        """Return a verdict on quoted fields."""
        return self._make(self._models[step]).judge(step, prompt, fields, shape)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
        """Return text; `sources` are sent with citations on."""
        return self._make(self._models[step]).write(step, prompt, sources, fields)

    def model_of(self, step: str) -> str:
        """Return the model id that the step is configured to use."""
        return self._models[step]


class CachedReplies:
    """A reply cache that fails open and passes each error to `on_failure`.

    Without a cache it only holds the question's collections.
    """

    def __init__(
        self,
        cache: VerdictCache | None,
        collections: Collection[str] = (),
        on_failure: Callable[[SelfragError], None] = lambda error: None,
    ) -> None:
        self._cache, self.collections, self._on_failure = cache, collections, on_failure
        self._failed = False

    def get(self, key: str, read: Callable[[str], T]) -> T | None:
        """Return a readable cached reply, or None."""
        with self._open_on_failure():
            text = self._cache.get(key) if self._cache else None
            with suppress(ValidationError):
                return None if text is None else read(text)
        return None

    def put(self, key: str, text: str) -> None:
        """Store a reply's JSON text."""
        with self._open_on_failure():
            if self._cache:
                self._cache.put(key, text)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warning after a cache failure."""
        return (CACHE_FAILED,) if self._failed else ()

    @contextmanager
    def _open_on_failure(self) -> Iterator[None]:
        try:
            yield
        except SelfragError as error:
            self._failed = True
            self._on_failure(error)


class CachedClaude:
    """A model behind the cache: identical requests get the cached reply.

    Refused, cut, malformed, empty or missing replies are not stored.
    """

    def __init__(self, claude: Claude, replies: CachedReplies) -> None:
        self._claude, self._replies = claude, replies

    def model_of(self, step: str) -> str:
        """Return the model id that the step is configured to use."""
        return self._claude.model_of(step)

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, object], shape: type[V]) -> Judgement[V]:
        """Return the cached verdict, else the model's."""
        model, schema = self.model_of(step), schema_of(shape)
        key = cache_key(step, model, prompt.version, schema, fields, self._replies.collections)
        cached = self._replies.get(key, shape.model_validate_json)
        if cached is not None:
            return Judgement(cached, None, key, call=None, attempts=0, cached=True)
        judged = self._claude.judge(step, prompt, fields, shape)
        if judged.verdict is not None and judged.is_final:
            self._replies.put(key, judged.verdict.model_dump_json())
        return replace(judged, key=key, warnings=(*judged.warnings, *self._replies.warnings))

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, object]) -> ModelText:
        """Return the cached text, else the model's."""
        texts = {"sources": [asdict(source) for source in sources], "fields": fields}
        key = cache_key(step, self.model_of(step), prompt.version, {}, texts, self._replies.collections)
        cached = self._replies.get(key, _SEGMENTS.validate_json)
        if cached is not None:
            return ModelText(cached, None, call=None, attempts=0, cached=True)
        writing = self._claude.write(step, prompt, sources, fields)
        if writing.flaw is None and not writing.warnings and any(segment.text.strip() for segment in writing.segments):
            self._replies.put(key, _SEGMENTS.dump_json(writing.segments).decode())
        return replace(writing, warnings=(*writing.warnings, *self._replies.warnings))


class CachedDecider:
    """A decision model behind the cache.

    The questions are part of the key.
    """

    def __init__(self, decider: Decider, replies: CachedReplies) -> None:
        self._decider, self._replies, self.model = decider, replies, decider.model

    def ask(self, step: str, state: Mapping[str, object], questions: Mapping[str, DecisionQuestion]) -> Decisions:
        """Return the cached answers, else the model's."""
        wording = {name: question.model_dump() for name, question in questions.items()}
        key = cache_key(step, f"decider {self.model}", "", wording, state, self._replies.collections)
        cached = self._replies.get(key, ANSWERS.validate_json)
        if cached is not None:
            return Decisions(answers=cached, key=key, call=None, cached=True)
        decisions = replace(self._decider.ask(step, state, questions), key=key)
        if decisions.answers is not None:
            self._replies.put(key, ANSWERS.dump_json(dict(decisions.answers)).decode())
        return replace(decisions, warnings=(*decisions.warnings, *self._replies.warnings))
