"""The steps that ask the fine-tuned model, as the workflow calls them, against a double of its server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from selfrag import bootstrap
from selfrag.domain.scores.critiqued import CritiquedAnswer, Segment
from selfrag.question.decide_retrieval.handler import handler as decide_retrieval
from selfrag.question.generate.handler import handler as generate
from tests.support.asking import MemoryCalls, Skipping
from tests.support.doubles.vllm import Scenario, VllmDouble, vllm


@contextmanager
def pointed_at(double: VllmDouble, **settings: str) -> Iterator[Skipping]:
    """Let the steps ask a double by its URL; gives the time, which skips all waits."""
    time = Skipping()
    with (
        patch.dict("os.environ", {"SELFRAG_GENERATOR_URL": double.url, **settings}),
        bootstrap.using(clock=time.clock, recent_calls=MemoryCalls()),
    ):
        yield time


@contextmanager
def running(scenario: Scenario, *, settings: dict[str, str] | None = None, **options: Any) -> Iterator[VllmDouble]:
    """Run a double that the steps ask."""
    with vllm(scenario, **options) as double, pointed_at(double, **(settings or {})):
        yield double


def decided(question: str, **more: Any) -> dict[str, Any]:
    """Return what DecideRetrieval says."""
    return decide_retrieval({"generator": "selfrag", "question": question, **more}, None)


def candidates(scenario: Scenario, **more: Any) -> tuple[list[CritiquedAnswer], dict[str, Any]]:
    """Return an answer from each passage of a scenario, and the whole result of the step."""
    passages = [scenario.evidence(name).model_dump() for name in scenario.passages]
    task = {"generator": "selfrag", "mode": "candidates", "question": scenario.question, "passages": passages, **more}
    result = generate(task, None)
    return [CritiquedAnswer.model_validate(one) for one in result["written"]], result


def segments(scenario: Scenario, branches: list[dict[str, Any]], **more: Any) -> tuple[list[Segment], dict[str, Any]]:
    """Return a segment for each branch, and the whole result of the step."""
    ids = dict.fromkeys(one["passage_id"] for one in branches if one["passage_id"])
    shown = {"branches": branches, "passages": [scenario.evidence(one).model_dump() for one in ids]}
    result = generate(
        {"generator": "selfrag", "mode": "segments", "question": scenario.question, **shown, **more}, None
    )
    return [Segment.model_validate(one) for one in result["written"]], result


def branch(scenario: Scenario, name: str, parent: Segment | None = None, **more: Any) -> dict[str, Any]:
    """Return the branch whose segment is the node of a name, behind the segment that was written for its parent."""
    told = {"raw": parent.raw, "bare": parent.answer, "parent": parent.id} if parent else {}
    return {"id": name, "passage_id": scenario.named(name).passage, **told, **more}
