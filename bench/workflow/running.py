"""The real local stack with the deployed handlers, an index and a web by script, and the simulated Messages API."""

import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import Headers

from bench.workflow.api.apart import ApartApi
from bench.workflow.api.billing import Billed, Span, critical_seconds
from bench.workflow.api.server import MessagesApi
from bench.workflow.stories import COLLECTION, found, found_on_the_web
from selfrag import bootstrap
from selfrag.bootstrap import Parts
from selfrag.domain.passages import Bounds, Candidates
from selfrag.domain.questions import AskRequest
from selfrag.runtime.clock import Clock
from selfrag_cli.local.stack import QUESTION, deployed_handlers, machine, opened_stores
from selfrag_cli.local.stores.executions import LocalExecutions
from selfrag_cli.local.stores.recent_calls import LocalCalls
from selfrag_cli.local.stores.tables import VERDICTS, Items
from tests.support.doubles.json_server import JsonServer
from tests.support.doubles.messages_api import Refusal
from tests.support.fakes import FakeEmbedder, FakeIndex


class ScriptedIndex(FakeIndex):
    """Returns the passages of the story for a query, in no time."""

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """Return the story's passages, best first."""
        return FakeIndex(*found(text)).search(text, vector, size, bounds)


class ScriptedWeb(JsonServer):
    """Replaces Tavily: returns the story's pages, in no time."""

    def respond(self, path: str, headers: Headers, body: Any) -> dict[str, Any]:
        """Return the reply to POST /search."""
        pages = found_on_the_web(body["query"])[: body["max_results"]]
        results = [
            {"url": f"https://example.com/{one.passage_id}", "title": one.title, "content": one.text, "score": 0.9}
            for one in pages
        ]
        return {"query": body["query"], "results": results}

    def error(self, refused: Refusal) -> dict[str, Any]:
        """Return an error in the service's form."""
        return {"detail": {"error": str(refused)}}


@dataclass(frozen=True)
class Asked:
    """A question that was answered: the response, the requests that it took, its seconds and its history.

    `waits` are those between a refused request and the next: the service, or our pace towards it, asked for them.
    """

    response: dict[str, Any]
    requests: list[Billed]
    waits: list[Span]
    seconds: float
    history: list[dict[str, Any]]

    @property
    def model_seconds(self) -> float:
        """Return the duration of the longest chain of requests and waits without overlap, as the service saw them."""
        return critical_seconds([*(billed.span for billed in self.requests), *self.waits])


class Waiting:
    """Waits by `sleep`, and notes from when until when."""

    def __init__(self, sleep: Callable[[float], None]) -> None:
        self._sleep = sleep
        self.spans: list[Span] = []

    def __call__(self, seconds: float) -> None:
        began = time.perf_counter()
        self._sleep(seconds)
        self.spans.append((began, time.perf_counter()))


class Running:
    """The stack and the simulated service; made by `running`."""

    def __init__(
        self, executions: LocalExecutions, items: Items, api: MessagesApi | ApartApi, waiting: Waiting
    ) -> None:
        self._executions, self._items, self.api, self._waiting = executions, items, api, waiting

    def ask(self, question: str, **policy: Any) -> Asked:
        """Run the workflow to its end; raises ValidationError for a policy that a request may not have."""
        # A tree searches no web, and its policy has no such field.
        web = {} if policy.get("strategy") == "segments" else {"web_search": True}
        wanted = {"deadline_seconds": 180, **web, **policy}
        payload = AskRequest.model_validate({"question": question, "policy": wanted}).execution_input([COLLECTION])
        before, waited = len(self.api.billed), len(self._waiting.spans)
        execution = self._executions.execute(uuid.uuid4().hex, payload)
        assert execution.output is not None, execution.error
        requests, waits = self.api.billed[before:], self._waiting.spans[waited:]
        return Asked(execution.output, requests, waits, execution.seconds, execution.history)

    def forget(self) -> None:
        """Clear the caches of the deployment and the service."""
        for item in self._items.all(VERDICTS):
            self._items.delete(VERDICTS, item["key"]["S"])
        self.api.forget()


@contextmanager
def running(
    api: MessagesApi | ApartApi,
    profile: str = "balanced",
    sleep: Callable[[float], None] = time.sleep,
    more_settings: Mapping[str, str] | None = None,
) -> Iterator[Running]:
    """Start it all; waits call `sleep`, and the recent calls go by the service's clock."""
    index: Any = ScriptedIndex()
    waiting = Waiting(sleep)
    parts: Parts = {
        "index": index,
        "embedder": FakeEmbedder(),
        "clock": Clock(sleep=waiting, share=lambda: 0.5),
    }
    with api, ScriptedWeb() as web, tempfile.TemporaryDirectory() as home:
        settings = {
            "SELFRAG_HOME": home,
            "SELFRAG_PROFILE": profile,
            "SELFRAG_MODEL_BASE_URL": api.url,
            "SELFRAG_MODEL_SECRET": "model-key",
            "SELFRAG_WEB_BASE_URL": web.url,
            "SELFRAG_WEB_SECRET": "web-key",
            **(more_settings or {}),
        }
        secrets = {"model-key": "simulated", "web-key": "simulated"}
        with opened_stores(settings, secrets, parts) as items:
            handlers = deployed_handlers(QUESTION)
            executions = LocalExecutions(machine(QUESTION, handlers, items, waiting), items, keeps_histories=False)
            with bootstrap.using(recent_calls=LocalCalls(items, api.clock)):
                yield Running(executions, items, api, waiting)
