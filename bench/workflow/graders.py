"""Questions by Claude's verdicts, by those of a decision model, and by a cascade of both."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from bench.workflow.api.apart import ApartApi
from bench.workflow.api.model import USELESS, holds, read
from bench.workflow.api.server import Pace
from bench.workflow.paper.ways import CANDIDATES, SEGMENTS
from bench.workflow.running import Asked, Running, running
from bench.workflow.scenarios import FOUR, LONG_AGO, TIMES, middle
from bench.workflow.stories import MANY, REWORDED, SHORT, SPECULATE, STORIES, Story
from tests.support.doubles.systemone import SystemOneServer, options_of

GRADERS = ("decide_retrieval", "grade_relevance", "grade_support", "grade_utility")
KINDS = ("claude", "decider", "cascade")
# Prices of a hosted decision model and of a small one of your own (docs/evaluation.md), in dollars per million tokens.
SECONDS, PRICE = (0.43, 0.15), 0.042
_SURE = 0.97
_PLAIN = ("four", "two", "unsupported", "useless")


@dataclass(frozen=True)
class GradedRow:
    """The figures of a question; `passed_on` is the share of verdicts that Claude gave after all, in percent.

    `graders_usd` is the graders' part of `usd`.
    """

    scenario: str
    strategy: str
    speculate: str
    graders: str
    decision_seconds: float | None
    status: str
    rounds: int
    calls: int
    decisions: int
    seconds: float
    usd: float
    graders_usd: float
    passed_on: float


def decided(name: str, question: Mapping[str, Any], state: Any) -> dict[str, float]:
    """Return the probabilities of one who reads the marks of the passages as the simulated Claude does, and is sure."""
    options = options_of(question)
    rest = (1 - _SURE) / (len(options) - 1)
    label = _label(name, question, state)
    return {option: _SURE if option == label else rest for option in options}


def _label(name: str, question: Mapping[str, Any], state: Any) -> str:
    if name == "decision":
        return "yes" if state["question"].endswith("?") else "no"
    if name == "continuation":
        return "complete" if state["so_far"].count(".") >= SHORT.sentences else "yes"
    if name == "useful":
        return "2" if state["answer"].startswith(USELESS) else "5"
    if question["type"] == "noul":
        return "yes" if name != "aggregate" and "relevant" in read(state["passage"]["text"]).marks else "no"
    if name == "complexity":
        return "simple"
    passages = [read(passage["text"]) for passage in state["passages"].values()]
    sentence = state["sentences"][name].removeprefix(USELESS).strip()
    if any(holds(passage, sentence) for passage in passages):
        return "full"
    against = any(passage.marks.get("misread as", ("",))[0] == sentence for passage in passages)
    return "contradicted" if against else "none"


def graded(pace: Pace) -> Iterator[GradedRow]:
    """Yield the plain questions by each kind of judge, also in other words than the passages', and two strategies."""
    for kind in KINDS:
        for seconds in (None,) if kind == "claude" else SECONDS:
            with (
                _server(seconds) as server,
                running(ApartApi(pace), more_settings=_settings(server, kind)) as at,
            ):
                at.ask(FOUR.question(0))  # warm up
                for story in (*(STORIES[slug] for slug in _PLAIN), REWORDED):
                    for speculate in SPECULATE if story in (FOUR, REWORDED) else SPECULATE[1:2]:
                        yield _row(at, story, kind, seconds, speculate, strategy="self_rag")
                for story, way in ((MANY, CANDIDATES[-1]), (SHORT, SEGMENTS[-1])):
                    yield _row(at, story, kind, seconds, SPECULATE[1], **way.policy)


def _server(seconds: float | None) -> Any:
    if seconds is None:
        return nullcontext()

    def answers(name: str, question: Mapping[str, Any], state: Any) -> dict[str, float]:
        return decided(name, question, state)

    return _SlowServer(answers, seconds)


class _SlowServer(SystemOneServer):
    """A server that takes so many seconds for a request, however many questions it has."""

    def __init__(self, answers: Any, seconds: float) -> None:
        super().__init__(answers)
        self._seconds = seconds

    def _reply(self, request: Any) -> Any:
        time.sleep(self._seconds)
        return super()._reply(request)


def _settings(server: SystemOneServer | None, kind: str) -> dict[str, str]:
    if server is None:
        return {}
    return {
        "SELFRAG_DECIDER_URL": server.url,
        "SELFRAG_DECIDER_MODEL": "simulated-decider",
        "SELFRAG_DECIDER_WINDOW_TOKENS": "32000",
        "SELFRAG_DECIDER_PRICE": str(PRICE),
        "SELFRAG_GRADERS": json.dumps(dict.fromkeys(GRADERS, kind)),
        "SELFRAG_DECIDER_THRESHOLDS": json.dumps({step: {"upper": 0.9, "lower": 0.1} for step in GRADERS}),
    }


def _row(
    at: Running, story: Story, kind: str, seconds: float | None, speculate: str, *, strategy: str, **policy: Any
) -> GradedRow:
    asked = middle([_anew(at, story, speculate=speculate, strategy=strategy, **policy) for _ in range(TIMES)])
    usage = asked.response["usage"]
    by_claude = sum(billed.step in GRADERS for billed in asked.requests)
    verdicts = by_claude if kind == "claude" else usage["decisions"]
    return GradedRow(
        scenario=story.name,
        strategy=strategy,
        speculate=speculate,
        graders=kind,
        decision_seconds=seconds,
        status=asked.response["status"],
        rounds=usage["rounds"],
        calls=usage["model_calls"],
        decisions=usage["decisions"],
        seconds=round(asked.seconds, 2),
        usd=usage["cost_usd"],
        graders_usd=round(sum(usage["by_step"][step]["cost_usd"] for step in GRADERS if step in usage["by_step"]), 6),
        passed_on=round(100 * by_claude / verdicts, 1) if verdicts else 0.0,
    )


def _anew(at: Running, story: Story, **policy: Any) -> Asked:
    at.forget()
    at.api.clock.move(LONG_AGO)
    return at.ask(story.question(1), **policy)
