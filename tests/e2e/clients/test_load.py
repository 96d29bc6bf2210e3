"""Many clients at once on `selfrag serve`, each on a connection that it keeps."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.e2e.test_serve import Served, served
from tests.support.command import Command

CLIENTS, SECONDS = 16, 60
LOOK_AGAIN_SECONDS = 0.5


def use(url: Served, client: int, ends: float) -> Counter[str]:
    """Ask and wait, ask and look, list, and say what one thinks of it, until it is time: replies by status."""
    seen: Counter[str] = Counter()

    def count(reply: httpx2.Response) -> None:
        seen[f"{reply.request.method} {reply.status_code}"] += 1

    with httpx2.Client(
        base_url=url, headers=url.key, timeout=60, trust_env=False, event_hooks={"response": [count]}
    ) as api:
        while time.monotonic() < ends:
            question = {"question": f"How much does each crane of the harbour lift? {client}-{seen.total()}"}
            answer = api.post("/v1/ask", json=question)
            seen[answer.json()["status"] if answer.is_success else answer.text] += 1
            started = api.post("/v1/questions", json=question)
            while (found := api.get(started.headers["location"]).json())["status"] == "running":
                threading.Event().wait(LOOK_AGAIN_SECONDS)
            seen[found["status"]] += 1
            api.post(f"/v1/questions/{found['id']}/feedback", json={"useful": True})
            api.get("/v1/documents")
            api.get("/v1/health")
    return seen


@pytest.mark.longest(75)
@pytest.mark.long
def test_sixteen_clients_for_a_minute_get_nothing_but_replies_of_success(
    fresh: Command, record_property: Callable[[str, str], None]
) -> None:
    (fresh.home / "notes").mkdir()
    (fresh.home / "notes" / "crane.md").write_text("# Cranes\n\nEach crane of the harbour lifts 12 tonnes.\n")
    told: list[str] = []
    with served(fresh, "--docs", "notes", "--collection", "notes", "--writable", told=told.append) as url:
        ends = time.monotonic() + SECONDS
        with ThreadPoolExecutor(CLIENTS) as threads:
            seen = sum(threads.map(lambda client: use(url, client, ends), range(CLIENTS)), Counter[str]())
    record_property("figures", f"{CLIENTS} clients, {SECONDS} s: {dict(sorted(seen.items()))}")
    replies = {name: number for name, number in seen.items() if " " in name}
    assert {name: number for name, number in replies.items() if name.split()[1][0] != "2"} == {}, told
    assert set(seen) - set(replies) <= {"answered", "partial", "abstained"}
    assert min(replies.get(name, 0) for name in ("POST 200", "POST 202", "GET 200")) >= CLIENTS
