"""In-memory fakes of the ports: a scripted Claude, an embedder, an index and a verdict cache."""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from selfrag.domain.calls import ModelCall
from selfrag.domain.decisions import DecisionQuestion, Thresholds
from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.judging.graders import DecisionGrader, Grader
from selfrag.judging.models import CachedClaude, CachedReplies
from selfrag.judging.questions import load_questions
from selfrag.ports.decider import Decisions
from selfrag.ports.model import CitedBlocks, Claude, Flaw, Judgement, ModelText, Prompt, Source, TextBlock
from tests.support import steps

# The shortest prompt, in tokens, that the service will cache; shorter ones are never cached, without an error.
SMALLEST_CACHEABLE = {"claude-haiku-5-5": 512, "claude-sonnet-5-5": 512}
PROMPT = Prompt("the rubric", "version-1")


class FakeClaude:
    """Gives back `says`: a dict for a verdict, None for a flawed reply, a list of segments for a text.

    One that is `unavailable` was sent as many requests as a step may send.
    """

    def __init__(self, says: Any = None, flaw: Flaw | None = None) -> None:
        self.says, self.flaw = says, flaw
        self.asked: list[Mapping[str, Any]] = []
        self.shapes: list[type[BaseModel]] = []
        self.sources: list[Source] = []

    def model_of(self, step: str) -> str:
        return "claude-haiku-5-5"

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[BaseModel]) -> Judgement[Any]:
        self.asked.append(fields)
        self.shapes.append(shape)
        if self.flaw == "unavailable":
            return Judgement(None, self.flaw, call=None, attempts=4, error="TemporarilyUnavailable", throttled=True)
        call = ModelCall.model_validate(steps.call(step))
        if self.says is None:
            return Judgement(None, self.flaw or "malformed", call=call)
        return Judgement(shape.model_validate(self.says), None, call=call)

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> ModelText:
        self.asked.append(fields)
        self.sources = list(sources)
        if self.flaw == "unavailable":
            return ModelText((), self.flaw, call=None, attempts=4, error="TemporarilyUnavailable", throttled=True)
        return ModelText(tuple(self.says or ()), self.flaw, call=ModelCall.model_validate(steps.call(step)))


class FakeDecider:
    """Answers with `answers`, by the question's name or the part of it before `_` or a number; None is no verdict."""

    def __init__(self, answers: Mapping[str, Mapping[str, float]] | None, flaw: Flaw = "malformed") -> None:
        self.answers, self.flaw, self.model = answers, flaw, "decider-1"
        self.states: list[Mapping[str, Any]] = []
        self.questions: list[Mapping[str, DecisionQuestion]] = []

    def ask(self, step: str, state: Mapping[str, object], questions: Mapping[str, DecisionQuestion]) -> Decisions:
        self.states.append(state)
        self.questions.append(questions)
        if self.answers is None:
            return Decisions(answers=None, flaw=self.flaw, call=None, warnings=("no verdict",))
        call = ModelCall.model_validate({**steps.call(step), "model": self.model, "decision": True})
        given = {name: dict(self.answers.get(name) or self.answers[name.rstrip("0123456789")]) for name in questions}
        return Decisions(answers=given, call=call)


def judge_of(
    step: str, decider: FakeDecider, claude: Claude, *, upper: float | None = 0.9, lower: float = 0.1
) -> Grader:
    """Return a step's judge behind a decision model; without `upper` all its verdicts are final."""
    thresholds = None if upper is None else Thresholds(upper=upper, lower=lower)
    questions = load_questions(f"selfrag.question.{step}.handler")
    return Grader(step, PROMPT, claude, decider=DecisionGrader(step, decider, questions, thresholds, measured=True))


class MemoryCache:
    """A verdict cache in a dict."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        return self.kept.get(key)

    def put(self, key: str, verdict: str) -> None:
        self.kept[key] = verdict


def any_secret(name: str, setting: str, *, anew: bool = False) -> str:
    """Secrets that hold a key under every name."""
    return "key"


def embed(text: str, dimensions: int = 512) -> list[float]:
    """A vector of length 1 that counts words, each at a place that its hash chooses, so that texts alike are near."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()) or [text]:
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()
        vector[int(digest, 16) % dimensions] += 1.0
    length = math.hypot(*vector)
    return [number / length for number in vector]


class FakeEmbedder:
    """A fast embedder that records its inputs."""

    spread_floor = 0.0

    def __init__(self, name: str = "fake") -> None:
        self.name = name
        self.embedded: list[str] = []

    def query(self, text: str) -> list[float]:
        return embed(text, 16)

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += texts
        return [self.query(text) for text in texts]


class FailingEmbedder(FakeEmbedder):
    """An embedder that raises this error for every query."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def query(self, text: str) -> list[float]:
        raise self.error


class FakeIndex:
    """An index that returns its passages in their order for any query, and records its queries."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = list(passages)
        self.asked: list[tuple[str, Sequence[str]]] = []

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        self.asked.append((text, bounds.collections))
        left = [p for p in self.passages if within(p, bounds) and p.passage_id not in bounds.without]
        scored = [(p, float(len(left) - n)) for n, p in enumerate(left)]
        full = len(scored) >= size
        return Candidates(scored[:size], [] if vector is None else scored[:size], full, full, len(scored))

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        return [p for p in self.passages if p.passage_id in passage_ids and within(p, bounds)]


class FakeWork:
    """Work in progress, in a dict."""

    def __init__(self, **kept: Any) -> None:
        self.kept = kept

    def has_json(self, key: str) -> bool:
        return key in self.kept

    def get_json(self, key: str) -> Any:
        return self.kept[key]

    def put_json(self, key: str, value: Any) -> None:
        self.kept[key] = value


def within(found: Passage, bounds: Bounds) -> bool:
    """Return whether a passage meets all that a search is limited to."""
    of_time = not (bounds.since or bounds.until) or (bounds.since or "") <= (found.date or "") <= (bounds.until or "9")
    return (
        found.collection in bounds.collections
        and (bounds.documents is None or found.document in bounds.documents)
        and (bounds.tags is None or not set(found.tags).isdisjoint(bounds.tags))
        and of_time
    )


def grader(says: Any, flaw: Flaw | None = None, cache: MemoryCache | None = None, prompt: Prompt = PROMPT) -> Grader:
    """Return a grader of which the model says this."""
    return Grader("step", prompt, remembering(FakeClaude(says, flaw), cache))


def remembering(claude: Claude, cache: MemoryCache | None) -> Claude:
    """Return the model with this cache in front of it, if there is one."""
    return claude if cache is None else CachedClaude(claude, CachedReplies(cache))


def passage(passage_id: str = "p1", text: str = "Leave is 25 days a year. It begins in May.", **more: Any) -> Passage:
    return Passage.model_validate({**steps.passage(passage_id, text), **more})


def cited(text: str, source: int = 0, start: int = 0, end: int = 1) -> TextBlock:
    return TextBlock(text, (CitedBlocks(source, start, end),))
