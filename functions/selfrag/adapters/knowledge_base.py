"""A knowledge base of Amazon Bedrock as a read-only index, searched with Retrieve."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from pydantic import BaseModel
from typing_extensions import override

from selfrag.adapters.faults import aws_faults, unreadable_faults
from selfrag.domain.documents import day
from selfrag.domain.passages import Bounds, Candidates, Passage
from selfrag.ports.index import PassageIndex

NAME = "the knowledge base"
MAX_RESULTS, MAX_PAGE = 100, 100_000
# Attributes set by Bedrock; the owner sets `collection`, `tags` and `date`.
_CHUNK, _PAGE, _SOURCE = (f"x-amz-bedrock-kb-{name}" for name in ("chunk-id", "document-page-number", "source-uri"))
WITHHELD = "The guardrail of the knowledge base intervened: its results were left out."

Json = dict[str, Any]


class _Content(BaseModel):
    type: str = "TEXT"
    text: str = ""


class _Result(BaseModel):
    """A result of Retrieve: a chunk, and where it is from."""

    content: _Content
    location: Mapping[str, Any] = {}
    metadata: Mapping[str, Any] = {}
    score: float = 0.0

    @property
    def document(self) -> str:
        """Return the address of the document, or its id or query: the only field of the location of its kind."""
        places = (place for place in self.location.values() if isinstance(place, Mapping))
        return str(next((name for place in places for name in place.values()), self.metadata.get(_SOURCE, "")))

    @property
    def flaw(self) -> str:
        """Return why it cannot be cited, "" if it can."""
        if self.content.type != "TEXT":
            return self.content.type
        return "" if self.content.text.strip() and self.document else "without text or location"

    def passage(self, collection: str) -> Passage:
        """Return it as a passage of a collection, or of the one that its metadata names."""
        document, text = self.document, self.content.text
        identity = f"{document}\n{self.metadata.get(_CHUNK, '')}\n{text}"
        page, tags = self.metadata.get(_PAGE), self.metadata.get("tags")
        return Passage(
            passage_id="kb-" + hashlib.sha256(identity.encode()).hexdigest()[:24],
            document=document,
            text=text,
            collection=collection or str(self.metadata.get("collection", "")),
            page=int(page) if isinstance(page, int | float) and 1 <= page < MAX_PAGE else None,
            tags=[tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else [],
            date=_day(self.metadata.get("date")),
        )


class KnowledgeBase(PassageIndex):
    """One knowledge base, by its id or its ARN.

    All of it is one `collection`, or each document has an attribute that names its own. `user_id` is the user whose
    documents it may show to all callers, "" for a knowledge base that knows no users.
    """

    def __init__(self, client: Any, knowledge_base_id: str, collection: str, user_id: str) -> None:
        self._client, self._id = client, knowledge_base_id
        self._collection, self._user_id = collection, user_id

    @override
    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        """Return the best passages by the knowledge base's vectors.

        It cannot exclude passages by id, so more are requested and filtered here.
        """
        if self._collection and self._collection not in bounds.collections:
            return Candidates([], [])
        number = min(size + len(bounds.without), MAX_RESULTS)
        replies = self._replies(text, number, bounds)
        withheld = any(reply.get("guardrailAction") == "INTERVENED" for reply in replies)
        with unreadable_faults(NAME):
            results = [_Result.model_validate(result) for reply in replies for result in reply["retrievalResults"]]
        hits: dict[str, tuple[Passage, float]] = {}
        for result in results:
            passage = result.passage(self._collection)
            is_seen = passage.passage_id in bounds.without
            if not (withheld or result.flaw or is_seen) and _is_within(passage, bounds):
                hits.setdefault(passage.passage_id, (passage, result.score))
        flaws = Counter(result.flaw for result in results if result.flaw)
        counts = ", ".join(f"{count} {flaw}" for flaw, count in flaws.items())
        warnings = [f"Results of {NAME} that hold no text to cite were left out: {counts}."] if flaws else []
        return Candidates(
            [],
            list(hits.values())[:size],
            vector_full=number <= len(results) < MAX_RESULTS,
            warnings=[WITHHELD] if withheld else warnings,
        )

    @override
    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        """Return nothing: Retrieve takes no ids, so earlier evidence has to be searched again."""
        return []

    def _replies(self, text: str, number: int, bounds: Bounds) -> list[Json]:
        search: Json = {"numberOfResults": number}
        if conditions := _conditions(bounds, with_collection=not self._collection):
            search["filter"] = _join("andAll", conditions)
        user = {"userContext": {"userId": self._user_id}} if self._user_id else {}
        with aws_faults(NAME):
            pages = self._client.get_paginator("retrieve").paginate(
                knowledgeBaseId=self._id,
                retrievalQuery={"text": text},
                retrievalConfiguration={"vectorSearchConfiguration": search},
                PaginationConfig={"MaxItems": number},
                **user,
            )
            return list(pages)


def _conditions(bounds: Bounds, *, with_collection: bool) -> list[Json]:
    """Return a search's bounds as filters on metadata; days are numbers, such as 20260131, for texts have no order."""
    conditions: list[Json] = []
    if with_collection:
        conditions.append({"in": {"key": "collection", "value": list(bounds.collections)}})
    if bounds.documents is not None:
        keys = [name for name in bounds.documents if not name.endswith("/")]
        names = [{"startsWith": {"key": _SOURCE, "value": name}} for name in bounds.documents if name.endswith("/")]
        conditions.append(_join("orAll", [*names, *([{"in": {"key": _SOURCE, "value": keys}}] if keys else [])]))
    if bounds.tags is not None:
        conditions.append(_join("orAll", [{"listContains": {"key": "tags", "value": tag}} for tag in bounds.tags]))
    for operator, limit in (("greaterThanOrEquals", bounds.since), ("lessThanOrEquals", bounds.until)):
        if limit is not None:
            conditions.append({operator: {"key": "date", "value": int(limit.replace("-", ""))}})
    return conditions


def _join(operator: str, conditions: list[Json]) -> Json:
    """Return conditions as one; a list of filters has two members at least."""
    return conditions[0] if len(conditions) == 1 else {operator: conditions}


def _is_within(passage: Passage, bounds: Bounds) -> bool:
    document, date = passage.document, passage.date or ""
    return (
        passage.collection in bounds.collections
        and (
            bounds.documents is None
            or any(document.startswith(name) if name.endswith("/") else document == name for name in bounds.documents)
        )
        and (bounds.tags is None or not set(bounds.tags).isdisjoint(passage.tags))
        and (bounds.since is None or date >= bounds.since)
        and (bounds.until is None or "" < date <= bounds.until)
    )


def _day(value: object) -> str | None:
    """Return a day of the metadata, 20260131 or 2026-01-31, in ISO 8601; None for anything else."""
    digits = f"{value:.0f}" if isinstance(value, int | float) else str(value).replace("-", "")
    with suppress(ValueError):
        return day(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")
    return None
