"""The measured precision of IsSup: of the judge that judged, on full verdicts alone, and never a reason to fail."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.steps import GradeSupportTask
from selfrag.domain.verdicts import Precision
from selfrag.ports.grading import Grader
from selfrag.ports.measurements import FRESH_SECONDS, Measurements, measurement_key
from selfrag.ports.prompts import Prompt
from selfrag.question.grade_support.logic import Support, grade
from tests.support.fakes import FakeClaude, MemoryCache, grader, passage

PRECISION = Precision(share=0.97, low=0.95, high=0.98, n=514, day=date(2026, 11, 25), set="policies")
TASK = GradeSupportTask(question="?", answer="Leave is 25 days a year.", passages=[passage()])


def says(support: str) -> dict[str, Any]:
    return {"claims": [{"claim": "Leave is 25 days a year.", "support": support, "passages": [1]}]}


class Counted(MemoryCache):
    def __init__(self, fails: bool = False) -> None:
        super().__init__()
        self.fails, self.reads = fails, 0

    def get(self, key: str) -> str | None:
        self.reads += 1
        if self.fails:
            raise TemporarilyUnavailable("the verdict cache is busy")
        return super().get(key)


def cascade(support: str = "full") -> Grader:
    return replace(grader(says(support)), first=grader(says(support)))


def test_a_full_verdict_has_the_precision_that_was_measured_of_the_graders_that_gave_it() -> None:
    alone, both = grader(says("full")), cascade()
    known = {measurement_key(both, Support): PRECISION}
    assert grade(TASK, both, known.get).verdict.precision == PRECISION
    assert grade(TASK, alone, known.get).verdict.precision is None
    only_second = TASK.model_copy(update={"one_call": True})
    assert grade(only_second, both, known.get).verdict.precision is None
    assert grade(only_second, both, {measurement_key(alone, Support): PRECISION}.get).verdict.precision == PRECISION


def test_what_is_not_fully_supported_has_no_precision() -> None:
    assert grade(TASK, cascade("partial"), lambda key: PRECISION).verdict.precision is None


def test_a_measurement_belongs_to_a_prompt_and_the_models_of_both_graders() -> None:
    class Opus(FakeClaude):
        def model_of(self, step: str) -> str:
            return "claude-opus-5-5"

    usual = cascade()
    first = usual.first
    assert first is not None
    others = [
        replace(usual, prompt=Prompt("Believe it.", "2")),
        replace(usual, claude=Opus()),
        replace(usual, first=replace(first, claude=Opus())),
        replace(usual, first=None),
    ]
    keys = [measurement_key(each, Support) for each in (usual, *others)]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("fails", [False, True])
def test_the_table_is_read_once_a_minute_and_a_failure_is_counted_and_leaves_the_precision_out(fails: bool) -> None:
    now, failures, cache = [0.0], list[Exception](), Counted(fails)
    cache.put("key", PRECISION.model_dump_json())
    measurements = Measurements(lambda: cache, lambda: now[0], failures.append)
    known = None if fails else PRECISION
    assert [measurements.precision("key") for _ in range(3)] == [known] * 3
    assert (cache.reads, len(failures)) == (1, int(fails))
    cache.put("key", PRECISION.model_copy(update={"n": 600}).model_dump_json())
    now[0], cache.fails = FRESH_SECONDS + 1, False
    found = measurements.precision("key")
    assert found is not None
    assert (found.n, cache.reads) == (600, 2)


@pytest.mark.parametrize("kept", ["{}", "no JSON", '{"share": 2, "low": 0, "high": 1, "n": 1, "day": "x", "set": ""}'])
def test_a_measurement_that_this_version_cannot_read_is_none(kept: str) -> None:
    cache = MemoryCache()
    cache.put("key", kept)
    assert Measurements(lambda: cache, lambda: 0.0, lambda error: None).precision("key") is None
