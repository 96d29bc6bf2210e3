"""The verdict cache: content-addressed, compared with the clock, open on failure."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from question.grade_utility.logic import Utility
from selfrag.adapters.verdicts import DynamoVerdicts
from selfrag.ports.cache import cache_key
from selfrag.ports.prompts import Prompt
from tests.support.fakes import MemoryCache, grader
from tests.support.tables import make_verdicts_table

DAY = 86_400
GOOD = {"reason": "because", "score": 4}
KEY = {"step": "s", "model": "m", "prompt_version": "p", "shape": {"a": 1}, "texts": {"question": "?"}}


@pytest.fixture
def table() -> Iterator[Any]:
    with mock_aws():
        yield make_verdicts_table(boto3.client("dynamodb"))


@pytest.mark.parametrize("part", list(KEY))
def test_a_key_changes_with_everything_that_a_verdict_depends_on(part: str) -> None:
    other: dict[str, Any] = {**KEY, part: {"x": 1} if isinstance(KEY[part], dict) else "other"}
    assert cache_key(**KEY) != cache_key(**other)  # type: ignore[arg-type]


@given(st.dictionaries(st.text(), st.text(), max_size=5))
def test_a_key_does_not_depend_on_the_order_of_fields(texts: dict[str, str]) -> None:
    backwards = dict(reversed(texts.items()))
    assert cache_key(**{**KEY, "texts": texts}) == cache_key(**{**KEY, "texts": backwards})  # type: ignore[arg-type]


def test_a_verdict_is_found_until_it_expires_though_the_item_is_still_there(table: Any) -> None:
    cache = DynamoVerdicts(table, "verdicts", ttl_days=30, step="grade_relevance")
    with time_machine.travel(1_000_000, tick=False) as clock:
        cache.put("k", "{}")
        clock.shift(30 * DAY - 1)
        assert cache.get("k") == "{}"
        clock.shift(1)
        assert cache.get("k") is None
    assert table.scan(TableName="verdicts")["Count"] == 1


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_an_ungraded_result_is_never_kept(flaw: str) -> None:
    cache = MemoryCache()
    assert grader(None, flaw, cache).grade({"question": "?"}, Utility).verdict is None  # type: ignore[arg-type]
    assert cache.kept == {}


def test_a_changed_prompt_is_no_hit() -> None:
    cache = MemoryCache()
    grader(GOOD, cache=cache).grade({"question": "?"}, Utility)
    again = grader(GOOD, cache=cache, prompt=Prompt("another rubric", "version-2")).grade({"question": "?"}, Utility)
    same = grader(GOOD, cache=cache).grade({"question": "?"}, Utility)
    assert (again.cached, same.cached) == (False, True)


def test_a_kept_verdict_of_another_shape_is_no_hit() -> None:
    cache = MemoryCache()
    judge = grader(GOOD, cache=cache)
    judge.grade({"question": "?"}, Utility)
    cache.kept = dict.fromkeys(cache.kept, '{"score": 99}')
    assert judge.grade({"question": "?"}, Utility).cached is False


def test_a_failing_table_is_counted_in_a_metric(table: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    DynamoVerdicts(table, "no-such-table", ttl_days=30, step="grade_relevance").get("k")
    assert '"VerdictCacheFailures"' in capsys.readouterr().out
