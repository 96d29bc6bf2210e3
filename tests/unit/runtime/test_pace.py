"""The pace of requests to a model: limited by its slots, and none past the deadline."""

import threading
from concurrent.futures import ThreadPoolExecutor

from selfrag.domain.errors import DeadlineExceeded
from selfrag.runtime.clock import Clock
from selfrag.runtime.pace import Pace
from tests.support.asking import MemoryCalls

SECOND = 1000.0


def pace(slots: threading.Semaphore, deadline_ms: float | None = None, step_seconds: float = 26.0) -> Pace:
    return Pace(Clock(), MemoryCalls(), 240.0, deadline_ms, step_seconds, slots)


def test_no_more_requests_are_at_the_model_than_there_are_slots() -> None:
    slots, at_work, most = threading.Semaphore(2), set[int](), [0]
    pair = threading.Barrier(2)

    def send(seconds: float) -> str:
        at_work.add(threading.get_ident())
        most.append(len(at_work))
        pair.wait(20)
        at_work.discard(threading.get_ident())
        pair.wait(20)
        return "reply"

    with ThreadPoolExecutor(6) as threads:
        replies = list(threads.map(lambda _: pace(slots).ask("generate", "model", send).value, range(6)))
    assert (replies, max(most)) == (["reply"] * 6, 2)


def test_a_request_that_gets_no_slot_before_the_deadline_is_not_sent() -> None:
    slots = threading.Semaphore(1)
    with slots:
        reply = pace(slots, Clock().now() * SECOND).ask("generate", "model", lambda seconds: "reply")
    assert isinstance(reply.error, DeadlineExceeded)
    assert reply.requests == 0


def test_call_timeout_is_bounded_by_step_and_deadline() -> None:
    given: list[float] = []
    deadline = (Clock().now() + 120) * SECOND
    pace(threading.Semaphore(1), deadline, 240.0).ask("generate", "model", given.append)
    pace(threading.Semaphore(1), deadline, 26.0).ask("generate", "model", given.append)
    assert [round(seconds, -1) for seconds in given] == [120, 30]
