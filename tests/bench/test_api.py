"""The simulated service keeps the rules that the real one is known for; docs/bench.md says where they were read."""

import time
from typing import Any

import httpx2
import pytest

from tests.bench.api.apart import ApartApi
from tests.bench.api.billing import Billed, critical_seconds
from tests.bench.api.clock import standing
from tests.bench.api.faults import throttled
from tests.bench.api.server import MessagesApi

pytestmark = pytest.mark.long

LONG, SHORT = "A rubric of some length. " * 200, "A rubric."
SCHEMA = {"title": "Relevance", "type": "object", "properties": {"reason": {}, "score": {}}}


@pytest.fixture
def api() -> Any:
    with MessagesApi(clock=standing()) as started:
        yield started


def body(system: str = LONG, mark: Any = None, model: str = "claude-haiku-5-5", passage: str = "x") -> dict[str, Any]:
    marked = {} if mark is None else {"cache_control": mark}
    return {
        "model": model,
        "max_tokens": 100,
        "system": [{"type": "text", "text": system, **marked}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": f'{{"passage": {{"text": "{passage}"}}}}'}]}
        ],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }


def sent(api: MessagesApi | ApartApi, asked: dict[str, Any]) -> httpx2.Response:
    return httpx2.post(f"{api.url}/v1/messages", json=asked, headers={"x-api-key": "k"}, trust_env=False)


def usage(api: MessagesApi | ApartApi, mark: Any, **more: Any) -> tuple[int, int, int, int]:
    """Plain, read, written for five minutes and written for an hour."""
    found = sent(api, body(mark=mark, **more)).json()["usage"]
    made = found["cache_creation"]
    assert found["cache_creation_input_tokens"] == sum(made.values())
    both = made["ephemeral_5m_input_tokens"], made["ephemeral_1h_input_tokens"]
    return found["input_tokens"], found["cache_read_input_tokens"], *both


FIVE, AN_HOUR = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}


def test_a_marked_prompt_is_written_and_then_read(api: MessagesApi) -> None:
    plain, read, five, hour = usage(api, FIVE)
    assert (read, five > 1000, hour) == (0, True, 0)
    api.clock.move(1)
    assert usage(api, FIVE) == (plain, five, 0, 0)
    assert api.prompts.never_read() == []


def test_a_prompt_without_a_mark_or_shorter_than_the_models_least_is_plain_input(api: MessagesApi) -> None:
    for asked in ({"mark": None}, {"mark": FIVE, "system": SHORT}):
        assert usage(api, **asked)[1:] == (0, 0, 0)
        api.clock.move(1)
        assert usage(api, **asked)[1:] == (0, 0, 0)


def test_a_request_beside_the_one_that_writes_does_not_read_it(api: MessagesApi) -> None:
    first, beside = usage(api, FIVE), usage(api, FIVE)
    assert first == beside
    assert first[1] == 0


def test_each_read_gives_five_minutes_again_and_none_does_not(api: MessagesApi) -> None:
    usage(api, FIVE)
    for seconds in (299, 299, 299):
        api.clock.move(seconds)
        assert usage(api, FIVE)[1] > 0
    api.clock.move(300)
    assert usage(api, FIVE)[1] == 0
    assert api.prompts.never_read() == ["grade_relevance"]


def test_a_prompt_that_is_kept_for_an_hour_costs_twice_its_input(api: MessagesApi) -> None:
    written = usage(api, AN_HOUR)[3]
    assert written > 1000
    assert api.billed[0].usd > 2 * written * 0.10 / 1e6
    api.clock.move(3599)
    assert usage(api, AN_HOUR)[1] == written


def test_another_model_or_prompt_reads_nothing_of_the_first(api: MessagesApi) -> None:
    usage(api, FIVE)
    api.clock.move(1)
    assert usage(api, FIVE, model="claude-sonnet-5-5")[1] == 0
    assert usage(api, FIVE, system=f"Another. {LONG}")[1] == 0


@pytest.mark.parametrize("mark", [{"type": "ephemeral", "ttl": "2h"}, {"type": "for ever"}, "ephemeral"])
def test_a_mark_that_the_service_does_not_know_is_refused(api: MessagesApi, mark: Any) -> None:
    assert sent(api, body(mark=mark)).status_code == 400


def test_an_hour_after_five_minutes_is_refused(api: MessagesApi) -> None:
    asked = body(mark=FIVE)
    asked["system"].append({"type": "text", "text": "More.", "cache_control": AN_HOUR})
    assert sent(api, asked).status_code == 400


def test_the_same_requests_are_refused_in_every_run_in_whatever_order_they_come(api: MessagesApi) -> None:
    passages = [f"passage {number}" for number in range(60)]

    def refused(order: list[str]) -> set[str]:
        api.forget()
        api.faults = throttled(0.2, retry_after=1.5)
        replies = {passage: sent(api, body(passage=passage)) for passage in order}
        limited = {passage: reply for passage, reply in replies.items() if reply.status_code == 429}
        assert {reply.headers["retry-after"] for reply in limited.values()} == {"1.5"}
        return set(limited)

    first = refused(passages)
    assert 4 < len(first) < 22
    assert refused(passages[::-1]) == first


def test_the_service_in_a_process_of_its_own_keeps_the_same_rules_and_the_same_clock() -> None:
    with ApartApi() as api:
        assert usage(api, FIVE)[1] == 0
        api.clock.move(200)
        before = time.perf_counter()
        assert usage(api, FIVE)[1] > 0
        began, ended = api.billed[1].span
        assert before <= began <= ended <= time.perf_counter()
        api.clock.move(400)
        assert usage(api, FIVE)[1] == 0
        api.faults = throttled(1.0, retry_after=1.5)
        assert sent(api, body(passage="y")).status_code == 429
        assert [billed.status for billed in api.billed] == [200, 200, 200, 429]
        api.forget()
        assert api.billed == []


def test_the_critical_path_is_the_longest_chain_of_requests_that_do_not_overlap() -> None:
    spans = [(0.0, 1.0), (0.0, 3.0), (1.0, 2.0), (2.0, 2.5), (3.0, 4.0), (9.0, 9.5)]
    assert critical_seconds(Billed("s", "m", *span).span for span in spans) == pytest.approx(4.5)
    assert critical_seconds([]) == 0
