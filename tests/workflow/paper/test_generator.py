"""Both examples of the paper through the definitions as they are deployed, written by the double of its model."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from selfrag.domain.passages import Bounds, Candidates
from selfrag.domain.questions import AskRequest
from tests.support.asking import MemoryCalls, Skipping
from tests.support.aws.stack import deployed_handlers, running_stack
from tests.support.doubles.vllm import (
    CANDIDATES_EXAMPLE,
    NO_CHILD_EXAMPLE,
    SEGMENTS_EXAMPLE,
    WEAK_CHILD_EXAMPLE,
    Scenario,
    VllmDouble,
    vllm,
)
from tests.support.fakes import FakeEmbedder, FakeIndex, passage


class TwoLevels(FakeIndex):
    """An index that finds the first three passages for the question, and the others for what goes on from it."""

    def __init__(self, scenario: Scenario) -> None:
        found = [scenario.evidence(name) for name in scenario.passages]
        self._first = scenario.question
        super().__init__(*(passage(one.passage_id, one.text, title=one.title, collection="c") for one in found))

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        found = self.passages[:3] if text == self._first else self.passages[3:]
        return FakeIndex(*found).search(text, vector, size, bounds)


@contextmanager
def asked(scenario: Scenario, **policy: Any) -> Iterator[tuple[dict[str, Any], VllmDouble]]:
    """Yield the response to the question of a scenario, and the double that wrote it."""
    strategy = "segments" if scenario.segmented else "candidates"
    asks = {"strategy": strategy, "generator": "selfrag", "web_search": False, **policy}
    request = AskRequest.model_validate({"question": scenario.question, "policy": asks})
    parts: Any = {
        "index": TwoLevels(scenario),
        "embedder": FakeEmbedder(),
        "clock": Skipping().clock,
        "recent_calls": MemoryCalls(),
    }
    with vllm(scenario) as double:
        settings = {"SELFRAG_GENERATOR_URL": double.url, "SELFRAG_MODEL_SECRET": "none"}
        with running_stack(
            settings, {}, parts=parts, handlers=deployed_handlers(), pause=lambda seconds: None
        ) as stack:
            ended = stack.execute(request.execution_input(["c"]))
        assert ended.output is not None, ended.error
        yield ended.output, double


@pytest.mark.parametrize(("constraints", "document"), [("hard", "d2"), ("soft", "d3")])
def test_the_best_of_the_answers_goes_out(constraints, document) -> None:
    with asked(CANDIDATES_EXAMPLE, constraints=constraints) as (response, double):
        usage = response["usage"]
    assert [one["passage_id"] for one in response["citations"]] == [document]
    assert response["scores"]["scale"] == "probabilities"
    assert (usage["model_calls"], usage["sequences"]) == (double.requests, double.sequences) == (2, 4)
    assert (usage["input_tokens"], usage["output_tokens"]) == (double.input_tokens, double.output_tokens)


@pytest.mark.parametrize(
    ("scenario", "status", "answer", "cited"),
    [
        (SEGMENTS_EXAMPLE, "answered", "Leave is 25 days a year. What is left ends in March.", ["d1", "e1"]),
        (WEAK_CHILD_EXAMPLE, "answered", "All staff have 25 days.", ["d2"]),
        (NO_CHILD_EXAMPLE, "partial", "Leave is 25 days a year.", ["d1"]),
    ],
    ids=["as it is", "a weak child", "no child"],
)
def test_the_best_path_of_the_tree_goes_out(scenario, status, answer, cited) -> None:
    with asked(scenario) as (response, double):
        usage = response["usage"]
    assert (response["answer"], [one["passage_id"] for one in response["citations"]]) == (answer, cited)
    assert (usage["model_calls"], usage["sequences"]) == (double.requests, double.sequences) == (3, 6)
    assert (usage["input_tokens"], usage["output_tokens"]) == (double.input_tokens, double.output_tokens)
    assert response["status"] == status
