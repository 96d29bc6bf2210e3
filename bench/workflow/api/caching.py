"""The service's prompt cache: reads, writes, lifetimes and entries never read."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from tests.support.doubles.messages_api import Refusal, tokens
from tests.support.doubles.requests import output_format
from tests.support.fakes import SMALLEST_CACHEABLE

LIFETIMES = {"5m": 300.0, "1h": 3600.0}
MAX_MARKS = 4
# Claude Haiku 4.5's, the largest: of a model that is not in the table the least is promised.
_SMALLEST_ELSEWHERE = 4096


@dataclass
class Entry:
    """A prefix that is kept: for how long after its last use, since when it can be read, and how often it was."""

    step: str
    lifetime: float
    readable_from: float
    expires_at: float
    reads: int = 0


@dataclass(frozen=True)
class Cached:
    """Cached tokens of one request: those read, and those written for 5 minutes and for an hour."""

    read: int = 0
    written_5m: int = 0
    written_1h: int = 0


class PromptCache:
    """Entries by model and prefix. A prefix ends with a marked block; shorter than the model's smallest, it is ignored.

    An entry can be read as soon as the reply that writes it begins, and each read renews its lifetime. The service's
    search for shorter prefixes (it looks back 20 blocks) is not modelled: only the last mark counts.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._entries: dict[str, Entry] = {}
        self._lock = Lock()
        self.gone: list[Entry] = []

    def use(self, body: Mapping[str, Any], step: str, until_reply: float) -> Cached:
        """Read or write the prefix of a request whose reply begins in so many seconds; raises Refused."""
        marked = _marked(body)
        if marked is None:
            return Cached()
        prefix, size, lifetime = marked
        if size < SMALLEST_CACHEABLE.get(body["model"], _SMALLEST_ELSEWHERE):
            return Cached()
        with self._lock:
            now = self._clock()
            found = self._entries.get(prefix)
            if found and now >= found.expires_at:
                self.gone.append(self._entries.pop(prefix))
                found = None
            if found and now > found.readable_from:
                found.reads += 1
                found.expires_at = now + found.lifetime
                return Cached(read=size)
            # Concurrent requests for the same prefix also write it, and are billed for it.
            seconds = LIFETIMES[lifetime]
            self._entries.setdefault(prefix, Entry(step, seconds, now + until_reply, now + until_reply + seconds))
        return Cached(written_5m=size) if lifetime == "5m" else Cached(written_1h=size)

    def never_read(self) -> list[str]:
        """Return the steps whose prompt was written, once for each time that it was not read before it expired."""
        with self._lock:
            return [entry.step for entry in [*self.gone, *self._entries.values()] if not entry.reads]

    def forget(self) -> None:
        """Drop all entries and their statistics."""
        with self._lock:
            self._entries.clear()
            self.gone.clear()


def _marked(body: Mapping[str, Any]) -> tuple[str, int, str] | None:
    """Return a prefix's identity, its tokens, and the lifetime that is asked for; None if nothing is marked."""
    blocks = list(_blocks(body))
    marks = [(number, block["cache_control"]) for number, block in enumerate(blocks) if block.get("cache_control")]
    lifetimes = [_lifetime(mark) for _, mark in marks]
    if len(marks) > MAX_MARKS:
        raise Refusal(f"cache_control: at most {MAX_MARKS} blocks may be marked")
    if lifetimes != sorted(lifetimes):
        raise Refusal("cache_control: a ttl of 1h must not come after one of 5m")
    if not marks:
        return None
    before = [{name: block[name] for name in block if name != "cache_control"} for block in blocks[: marks[-1][0] + 1]]
    text = json.dumps(before, ensure_ascii=False)
    # Another shape of the reply makes another prompt of the same text.
    return json.dumps([body["model"], output_format(body), text]), tokens(text), lifetimes[-1]


def _blocks(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Everything that is sent, in the order in which prefixes are made of it: tools, system, messages."""
    yield from body.get("tools") or []
    for content in [body.get("system") or [], *(message["content"] for message in body["messages"])]:
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def _lifetime(mark: Any) -> str:
    ttl = mark.get("ttl", "5m") if isinstance(mark, dict) and mark.get("type") == "ephemeral" else None
    if ttl not in LIFETIMES:
        raise Refusal("cache_control: it must be ephemeral, with a ttl of 5m or 1h")
    return str(ttl)
