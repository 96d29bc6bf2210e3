"""The verdict cache: content-addressed, compared with the clock, open on failure."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from selfrag import bootstrap
from selfrag.adapters.verdicts import LARGEST_BYTES, DynamoVerdicts
from selfrag.bootstrap import questions
from selfrag.domain.calls import Limits
from selfrag.domain.steps import DecideRetrievalTask, GenerateTask, RewriteQuestionTask
from selfrag.judging.keys import cache_key
from selfrag.judging.models import CACHE_FAILED, CachedClaude, CachedReplies
from selfrag.ports.model import Prompt, TextBlock
from selfrag.question.decide_retrieval.logic import decide
from selfrag.question.generate.annotations import NO_ANSWER
from selfrag.question.generate.logic import generate
from selfrag.question.grade_utility.logic import Utility
from selfrag.question.rewrite_question.logic import rewrite
from tests.support.fakes import PROMPT, FakeClaude, MemoryCache, cited, grader, passage
from tests.support.tables import make_verdicts_table

DAY = 86_400
GOOD = {"reason": "because", "score": 4}
KEY = {
    "step": "s", "model": "m", "prompt_version": "p", "shape": {"a": 1}, "texts": {"question": "?"},
    "collections": ["a"],
}  # fmt: skip


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


def test_cached_verdict_or_draft_misses_for_other_collections() -> None:
    with bootstrap.using(claude=lambda limits: FakeClaude(GOOD), verdicts=MemoryCache()):
        judge = questions.grader("grade_utility", PROMPT)

        def cached(*collections: str) -> bool:
            return judge(Limits(collections=list(collections))).grade({"question": "?"}, Utility).cached

        assert [cached("a", "b"), cached("b", "a"), cached("a"), cached("b"), cached("a")] == [
            False, True, False, False, True,
        ]  # fmt: skip
    with bootstrap.using(claude=lambda limits: FakeClaude([cited("25 days.")]), verdicts=MemoryCache()):
        model = questions.model("generate")
        drafts = [generate(WRITTEN, model(Limits(collections=[name])), PROMPT).cached for name in ("a", "b", "a")]
        assert drafts == [False, False, True]


def test_cached_verdict_is_ignored_after_expiry_though_item_remains(table: Any) -> None:
    cache = DynamoVerdicts(table, "verdicts", ttl_days=30)
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


WRITTEN = GenerateTask(question="How many days?", passages=[passage("p1"), passage("p2", "In May.")])


def written(task: GenerateTask, cache: MemoryCache, *says: TextBlock, flaw: Any = None, prompt: Prompt = PROMPT) -> Any:
    return generate(task, CachedClaude(FakeClaude(says or (cited("25 days."),), flaw), CachedReplies(cache)), prompt)


def test_a_draft_from_the_same_passages_is_not_written_twice() -> None:
    cache = MemoryCache()
    first, again = written(WRITTEN, cache), written(WRITTEN, cache, TextBlock("Something else."))
    assert (first.cached, first.attempts, len(first.calls)) == (False, 1, 1)
    assert (again.cached, again.attempts, again.calls) == (True, 0, [])
    assert (again.answer, again.citations, again.answered) == (first.answer, first.citations, True)


@pytest.mark.parametrize(
    "other",
    [
        {"question": "How many weeks?"},
        {"passages": list(reversed(WRITTEN.passages))},
        {"passages": [passage("p1", title="Other"), WRITTEN.passages[1]]},
        {"passages": [passage("p1", document="other.md"), WRITTEN.passages[1]]},
        {"passages": [passage("p1", "Leave is 25 days a year."), WRITTEN.passages[1]]},
        {"draft": "30 days.", "failed_claims": ["Leave is 30 days."]},
        {"mode": "direct"},
    ],
    ids=["question", "order of passages", "title", "name", "text", "repair", "direct"],
)
def test_a_draft_is_of_its_passages_names_titles_and_fields(other: dict[str, Any]) -> None:
    cache = MemoryCache()
    written(WRITTEN, cache)
    assert not written(GenerateTask.model_validate({**dict(WRITTEN), **other}), cache).cached
    assert not written(WRITTEN, cache, prompt=Prompt("another", "version-2")).cached
    assert written(WRITTEN, cache).cached


@pytest.mark.parametrize("flaw", ["refused", "cut", "malformed", "unavailable"])
def test_a_draft_that_was_flawed_is_asked_for_again(flaw: str) -> None:
    cache = MemoryCache()
    written(WRITTEN, cache, cited("25 days. From M"), flaw=flaw)
    assert cache.kept == {}


def test_empty_draft_is_regenerated_and_no_answer_sign_is_not() -> None:
    cache = MemoryCache()
    written(WRITTEN, cache, TextBlock(" \n"))
    assert cache.kept == {}
    written(WRITTEN, cache, TextBlock(NO_ANSWER))
    again = written(WRITTEN, cache)
    assert (again.cached, again.answered) == (True, False)


@pytest.mark.parametrize("kept", ['{"text": 1}', "[{}]", "no JSON"])
def test_a_kept_draft_of_another_shape_is_no_hit(kept: str) -> None:
    cache = MemoryCache()
    written(WRITTEN, cache)
    cache.kept = dict.fromkeys(cache.kept, kept)
    assert written(WRITTEN, cache).cached is False


def test_decisions_and_queries_are_remembered() -> None:
    cache = MemoryCache()
    for known in (False, True):
        decided = decide(DecideRetrievalTask(question="?"), grader({"reason": "r", "decision": "yes"}, cache=cache))
        query = rewrite(
            RewriteQuestionTask(question="?", queries=["?"]), grader({"reason": "r", "query": "leave"}, cache=cache)
        )
        assert (decided.cached, decided.attempts, decided.verdict.decision) == (known, int(not known), "yes")
        assert (query.cached, query.attempts, query.query, query.new) == (known, int(not known), "leave", True)


def test_a_query_without_a_word_is_malformed_and_not_kept() -> None:
    with pytest.raises(ValueError, match="at least 1 character"):
        rewrite(RewriteQuestionTask(question="?", queries=["?"]), grader({"reason": "r", "query": " "}))


def test_verdict_too_large_for_item_is_skipped_without_error(table: Any) -> None:
    cache = DynamoVerdicts(table, "verdicts", ttl_days=30)
    cache.put("k" * 64, "é" * (LARGEST_BYTES // 2))
    cache.put("l" * 64, "é" * (LARGEST_BYTES // 2 + 1))
    assert (cache.get("k" * 64) is None, cache.get("l" * 64) is None) == (False, True)


def test_a_table_that_fails_costs_a_draft_a_warning_and_nothing_else(table: Any) -> None:
    claude = CachedClaude(FakeClaude([cited("25 days.")]), CachedReplies(DynamoVerdicts(table, "none", ttl_days=30)))
    result = generate(WRITTEN, claude, PROMPT)
    assert (result.answered, result.warnings) == (True, [CACHE_FAILED])


def test_a_step_that_may_not_remember_neither_reads_nor_writes() -> None:
    claude, cache, judge = FakeClaude(GOOD), MemoryCache(), questions.grader("grade_utility", PROMPT)
    with bootstrap.using(claude=lambda limits: claude, verdicts=cache):
        for remembers, asked, kept in ((False, 1, 0), (True, 2, 1), (True, 2, 1), (False, 3, 1)):
            judge(Limits(cache=remembers)).grade({"question": "?"}, Utility)
            assert (len(claude.asked), len(cache.kept)) == (asked, kept)


def test_a_failing_table_is_counted_in_a_metric(table: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    broken = DynamoVerdicts(table, "no-such-table", ttl_days=30)
    with bootstrap.using(claude=lambda limits: FakeClaude(GOOD), verdicts=broken):
        judged = questions.grader("grade_utility", PROMPT)(Limits()).grade({"question": "?"}, Utility)
    assert judged.warnings == (CACHE_FAILED,)
    counted = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "VerdictCacheFailures" in line]
    assert [line["step"] for line in counted] == ["grade_utility"] * 2
