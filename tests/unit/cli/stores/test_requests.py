"""Stores of the home besides answers and documents: requests with a key, feedback, and recent calls to a model."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfrag.api.edge.idempotency import once
from selfrag.api.edge.problems import ProblemError
from selfrag.domain.feedback import Feedback
from selfrag_cli.local.stores.feedback import LocalFeedback
from selfrag_cli.local.stores.recent_calls import LocalCalls
from selfrag_cli.local.stores.requests import LocalRequests
from selfrag_cli.local.stores.tables import FEEDBACK, REQUESTS, Items

HOUR = 3600.0


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Items]:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with closing(Items()) as opened:
        yield opened


def asked(items: Items, work: Any, key: str = "k", question: str = "Why?", left: int = 1000, *of: str) -> str:
    """Carry out a request, `left` milliseconds before its Lambda would end."""
    request, context = {"question": question}, SimpleNamespace(get_remaining_time_in_millis=lambda: left)
    store = LocalRequests(items)
    return once(work, caller="a", collections=of, key=key, request=request, store=store, context=context)


def test_keyed_request_runs_once_across_processes(items: Items) -> None:
    numbers = iter(range(10))
    for _ in range(3):
        with closing(Items()) as another:
            assert asked(another, lambda: str(next(numbers))) == "0"
    assert asked(items, lambda: str(next(numbers)), key="another") == "1"


def test_a_key_of_one_collection_gives_no_id_of_another(items: Items) -> None:
    numbers = iter(range(10))
    ids = [asked(items, lambda: str(next(numbers)), "k", "Why?", 1000, *of) for of in ("a", "b", "ab", "ba", "b")]
    assert ids == ["0", "1", "2", "2", "1"]


def test_fifty_requests_at_once_with_one_key_are_carried_out_once(items: Items) -> None:
    numbers = iter(range(50))
    with ThreadPoolExecutor(50) as threads:
        got = list(threads.map(lambda _: asked(items, lambda: str(next(numbers)), left=60_000), range(50)))
    assert set(got) == {"0"}


def test_a_key_that_came_with_another_request_is_refused(items: Items) -> None:
    asked(items, lambda: "q")
    with pytest.raises(ProblemError, match="another request"):
        asked(items, lambda: "r", question="Why not?")


def test_running_request_is_not_restarted_and_failed_one_is(items: Items) -> None:
    def again() -> str:
        with pytest.raises(ProblemError, match="still being answered"):
            asked(items, lambda: "r")
        raise LookupError

    with pytest.raises(LookupError):
        asked(items, again)
    assert asked(items, lambda: "q") == "q"


def test_a_request_whose_process_died_at_work_may_be_repeated(items: Items) -> None:
    asked(items, lambda: "q")
    [item] = items.all(REQUESTS)
    at_work = {name: value for name, value in item.items() if name != "data"} | {"status": {"S": "INPROGRESS"}}
    items.put(REQUESTS, at_work | {"in_progress_expiration": {"N": str(int(1000 * time.time()) - 1)}})
    assert asked(items, lambda: "r") == "r"


def test_feedback_is_kept_once_for_each_caller_and_question(items: Items) -> None:
    book, later = LocalFeedback(items), int(time.time() + HOUR)
    about = {"status": "answered", "answered": "So.", "cited": [], "collections": ["c"], "given_at": 1}
    for question, useful, caller, ends in (("Why?", False, "a", later), ("Why?", True, "b", later),
                                           ("Why?", True, "a", later), ("Ended?", True, "a", 1)):  # fmt: skip
        said = {"question_id": question, "question": question, "useful": useful, "expires_at": ends}
        book.keep(Feedback.model_validate({**about, **said}), caller)
    stored = [(item["question"]["S"], item["useful"]["BOOL"]) for item in items.all(FEEDBACK)]
    assert stored == [("Why?", True), ("Why?", True)]
    assert '"a"' not in json.dumps([list(item) for item in items.all(REQUESTS)])


def test_processes_know_of_each_others_calls_and_of_refusals(items: Items) -> None:
    now = [float(round(time.time()))]

    def calls(opened: Items) -> LocalCalls:
        return LocalCalls(opened, lambda: now[0])

    assert calls(items).record_call("generate", "m").intervals == ()
    for seconds, intervals in ((60, (60,)), (1, (60,)), (HOUR, (HOUR + 1, 60))):
        now[0] += seconds
        with closing(Items()) as another:
            assert calls(another).record_call("generate", "m").intervals == intervals
    calls(items).record_refusal("m", 30)
    calls(items).record_refusal("m", 2)
    assert calls(items).record_call("grade", "m").patience == 30
    assert calls(items).record_call("grade", "other").patience == 0
    for _ in range(30):
        now[0] += 60
        known = calls(items).record_call("generate", "m").intervals
    assert known == (60.0,) * 8


def test_a_home_that_cannot_be_used_knows_no_calls(items: Items) -> None:
    items.close()
    calls = LocalCalls(items)
    calls.record_refusal("m", 30)
    assert calls.record_call("generate", "m").patience == 0
