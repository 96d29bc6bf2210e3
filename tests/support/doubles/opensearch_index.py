"""One index of the double of a vector collection: a strict mapping, and queries that the laptop's index answers.

Only the requests of selfrag are understood. All else is refused, as the service refuses unknown parts.
"""

import math
import random
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import IndexEntry
from selfrag_cli.local.index import SCHEMA, EmbeddedIndex

Json = dict[str, Any]

MAX_CLAUSES = 1024
MAX_WINDOW = 10_000
MAX_TERMS = 65_536
MAX_TERM_BYTES = 32_766
ANALYZERS = ("whitespace", "cjk", "english", "standard")
# Lucene's defaults of BM25.
K1, B = 1.2, 0.75
# The fields that a search may be bounded by.
BOUNDED = ("passage_id", "collection", "document", "tags")


class Refused(Exception):
    """A request that is answered with an error: HTTP status, the error's type and its reason."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.kind, self.reason = status, kind, reason


def _cannot_search(reason: str) -> Refused:
    """Return the error of a search that is well formed and cannot be run: of several at once it alone fails."""
    return Refused(400, "search_phase_execution_exception", reason)


def _is_day(value: Any) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except (TypeError, ValueError):
        return False


def _only(value: Any, allowed: Iterable[str], where: str, kind: str = "mapper_parsing_exception") -> Json:
    if not isinstance(value, dict):
        raise Refused(400, "parsing_exception", f"[{where}] expected an object")
    unknown = sorted(set(value) - set(allowed))
    if unknown:
        raise Refused(400, kind, f"unknown parameter {unknown} in [{where}]")
    return value


def _text(value: Any) -> str:
    """Return a text with a "?" for each half of a surrogate pair, as the service stores it."""
    return str(value or "").encode(errors="replace").decode()


@dataclass
class Document:
    """A stored document; it can be found by searches numbered from `since`, before `until`."""

    id: str
    source: Json
    since: int
    until: float = math.inf


@dataclass
class Index:
    """One index: its fields, checked when it is made, and its documents."""

    body: Json
    documents: list[Document] = field(default_factory=list)
    closed: bool = False
    # Matches are counted so far, unless all are asked for.
    counts_up_to: int = MAX_WINDOW

    def __post_init__(self) -> None:
        _only(self.body, ("settings", "mappings"), "index")
        settings = _only(self.body.get("settings", {}), ("index",), "settings").get("index", {})
        index = _only(settings, ("knn",), "index", "illegal_argument_exception")
        self.knn = index.get("knn") in (True, "true")
        self.fields: dict[str, Json] = {}
        self.put(self.body.get("mappings", {}))
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.executescript(SCHEMA)
        self._laptop = EmbeddedIndex(connection)

    def put(self, mapping: Any) -> None:
        """Add fields; an existing field stays unchanged, and another type or other parameters are refused."""
        fields = _only(mapping, ("properties",), "mappings").get("properties", {})
        new = {name: self._field(name, value) for name, value in fields.items()}
        for name, value in new.items():
            there = self.fields.get(name, value)
            if value["type"] == there["type"] == "object" and there != value:
                raise Refused(500, "mapper_exception", f"the [enabled] parameter can't be updated for [{name}]")
            if there != value:
                raise Refused(400, "illegal_argument_exception", f"Mapper for [{name}] conflicts with existing mapper")
        self.fields |= new

    def _field(self, name: str, value: Any) -> Json:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind in ("keyword", "integer", "date"):
            return self._switched(_only(value, ("type", "index", "doc_values"), name), ("index", "doc_values"))
        if kind == "object":
            return self._switched(_only(value, ("type", "enabled"), name), ("enabled",))
        if kind == "text":
            self._switched(_only(value, ("type", "analyzer", "index", "fields"), name), ("index",))
            analyzer = value.get("analyzer", "standard")
            if analyzer not in ANALYZERS:
                raise Refused(400, "mapper_parsing_exception", f"analyzer [{analyzer}] has not been configured")
            for inner in value.get("fields", {}).items():
                self._field(*inner)
            return dict(value)
        if kind == "knn_vector":
            return self._vector(name, value)
        raise Refused(400, "mapper_parsing_exception", f"No handler for type [{kind}] declared on field [{name}]")

    @staticmethod
    def _switched(value: Json, switches: Iterable[str]) -> Json:
        for switch in switches:
            if value.get(switch, True) not in (True, False):
                reason = f"Failed to parse value of [{switch}]: only true or false"
                raise Refused(400, "mapper_parsing_exception", reason)
        return value

    def _vector(self, name: str, value: Json) -> Json:
        _only(value, ("type", "dimension", "method"), name)
        method = _only(value.get("method", {}), ("name", "engine", "space_type", "parameters"), "method")
        if not self.knn:
            raise Refused(400, "mapper_parsing_exception", "index.knn must be true for a knn_vector field")
        if type(value.get("dimension")) is not int or not 1 <= value["dimension"] <= 16_000:
            raise Refused(400, "mapper_parsing_exception", f"Dimension value must be from 1 to 16000 for [{name}]")
        if (method.get("name"), method.get("engine")) != ("hnsw", "faiss"):
            raise Refused(400, "mapper_parsing_exception", "only hnsw of faiss is supported in this collection")
        if method.get("space_type") != "innerproduct":
            raise Refused(400, "mapper_parsing_exception", "faiss does not support this space type")
        return {**value, "method": {"parameters": {}, **method}}

    def check(self, source: Json) -> None:
        """Raise Refused for a document that does not fit the mapping."""
        for name, value in source.items():
            if value is None:
                continue
            kind = self.fields.get(name, {}).get("type")
            if kind == "knn_vector":
                fits = self.is_vector(name, value)
            elif kind == "object":
                # Disabled objects are stored without parsing.
                fits = not self.fields[name].get("enabled", True)
            else:
                values = value if isinstance(value, list) and kind == "keyword" else [value]
                fits = kind is not None and all(self._is_of(kind, each) for each in values)
            if kind == "keyword" and any(len(each.encode(errors="replace")) > MAX_TERM_BYTES for each in values):
                raise Refused(400, "illegal_argument_exception", f"at least one immense term in field=[{name}]")
            if not fits:
                raise Refused(400, "mapper_parsing_exception", f"failed to parse field [{name}] of type [{kind}]")

    @staticmethod
    def _is_of(kind: str, value: Any) -> bool:
        return type(value) is int if kind == "integer" else type(value) is str and (kind != "date" or _is_day(value))

    def is_vector(self, name: str, value: Any) -> bool:
        """Return whether a value is a vector of the field's length."""
        return (
            isinstance(value, list)
            and len(value) == self.fields[name]["dimension"]
            and all(type(x) in (int, float) and math.isfinite(x) for x in value)
        )

    def store(self, document: Document) -> None:
        """Store a document that fits the mapping."""
        self.documents.append(document)
        source = document.source
        # The laptop's index has one passage of an id; the service's own ids let a passage be there twice.
        passage = Passage(
            passage_id=document.id,
            document=_text(source.get("document")),
            title=_text(source.get("title")),
            text=_text(source.get("text")),
            collection=_text(source.get("collection")),
            tags=source.get("tags") or [],
            date=source.get("date"),
        )
        dimension = self.fields.get("vector", {}).get("dimension", 1)
        self._laptop.add([IndexEntry(passage, source.get("vector") or [0.0] * dimension, 0)])

    def search(self, body: Any, number: int) -> tuple[list[tuple[Document, float]], Json]:
        """Return the hits of the nth search, best first, and the number of all matches as the reply has it."""
        _only(body, ("size", "_source", "query", "track_total_hits", "sort", "search_after"), "search")
        counted = body.get("track_total_hits", MAX_WINDOW)
        if counted not in (True, MAX_WINDOW):
            raise Refused(400, "parsing_exception", "[track_total_hits] is true here")
        size = body.get("size", 10)
        if type(size) is not int or not 0 <= size <= MAX_WINDOW:
            raise _cannot_search(f"Result window is too large or negative: [{size}]")
        if self.closed:
            raise Refused(400, "index_closed_exception", "closed")
        query = Query(self)
        query.read(body.get("query"))
        hits, matches = self._hits(query, {d.id: d for d in self.documents if d.since <= number < d.until}, size)
        if "sort" in body:
            hits = self._sorted(hits, body["sort"], body.get("search_after"))
        total = {"value": matches, "relation": "eq"}
        if counted is not True and matches > self.counts_up_to:
            total = {"value": self.counts_up_to, "relation": "gte"}
        return hits[:size], total

    def order(self, document: Document, sort: list[Json]) -> list[Any]:
        """Return the values that a hit is sorted by."""
        return [document.source.get(next(iter(by))) for by in sort]

    def _sorted(
        self, hits: list[tuple[Document, float]], sort: list[Json], after: list[Any] | None
    ) -> list[tuple[Document, float]]:
        for by in sort:
            name, direction = next(iter(by.items()))
            if direction != "asc" or self.fields.get(name, {}).get("type") not in ("keyword", "integer"):
                raise _cannot_search(f"No mapping found for [{name}] in order to sort on")
        # Equal scores have a different order in each search.
        shuffled = random.Random(len(hits) if after else 0).sample(hits, len(hits))
        ordered = sorted(shuffled, key=lambda hit: self.order(hit[0], sort))
        return [hit for hit in ordered if after is None or self.order(hit[0], sort) > after]

    def _hits(
        self, query: "Query", visible: dict[str, Document], size: int
    ) -> tuple[list[tuple[Document, float]], int]:
        bounds = query.bounds(self.documents, visible)
        if query.vector is not None:
            near = self._laptop.search("", query.vector, query.k, bounds).by_vector
            # The service's scores are never negative.
            return [(visible[p.passage_id], 1 + s if s >= 0 else 1 / (1 - s)) for p, s in near], len(near)
        ids = [d.id for d in visible.values() if d.id not in bounds.without]
        within = [visible[p.passage_id] for p in self._laptop.fetch(ids, bounds)]
        if query.text is None:
            return [(document, 1.0) for document in within], len(within)
        scored = self._scored(query, within, list(visible.values()))
        return sorted(scored, key=lambda hit: -hit[1]), len(scored)

    def _scored(
        self, query: "Query", within: Sequence[Document], every: Sequence[Document]
    ) -> list[tuple[Document, float]]:
        """Return the documents that match by words (BM25) or by name, with their scores; all documents are counted."""
        words = {document.id: str(document.source.get("words") or "").split() for document in every}
        average = sum(map(len, words.values())) / max(1, len(words))
        scores: dict[str, float] = {}
        for term in (query.text or "").split():
            counts = {name: own.count(term) for name, own in words.items() if term in own}
            rarity = math.log(1 + (len(words) - len(counts) + 0.5) / (len(counts) + 0.5))
            for name, count in counts.items():
                share = count / (count + K1 * (1 - B + B * len(words[name]) / average))
                scores[name] = scores.get(name, 0.0) + rarity * share
        for document in every:
            name = str(document.source.get("document") or "").lower()
            hits = sum(part in name for part in query.names)
            if hits:
                scores[document.id] = scores.get(document.id, 0.0) + hits
        return [(document, scores[document.id]) for document in within if document.id in scores]


class Query:
    """A query: the text or the vector that it searches for, and its filters."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.text: str | None = None
        self.vector: Sequence[float] | None = None
        self.k = 0
        self.names: list[str] = []
        self._terms: dict[str, set[str]] = {}
        self._days: Json = {}
        self._without: set[str] = set()

    def bounds(self, documents: Sequence[Document], visible: Iterable[str]) -> Bounds:
        """Return the filters as the laptop's index takes them: documents by the service's ids."""
        wanted, seen = self._terms.get("passage_id"), set(visible)
        hidden = [
            d.id
            for d in documents
            if d.id not in seen
            or d.source.get("passage_id") in self._without
            or (wanted is not None and d.source.get("passage_id") not in wanted)
        ]
        lists = {name: None if values is None else sorted(values) for name, values in self._lists().items()}
        every = {str(d.source.get("collection") or "") for d in documents}
        collections = sorted(every) if lists["collection"] is None else lists["collection"]
        return Bounds(
            collections,
            lists["document"],
            lists["tags"],
            self._days.get("gte"),
            self._days.get("lte"),
            without=hidden,
        )

    def _lists(self) -> dict[str, set[str] | None]:
        return {name: self._terms.get(name) for name in ("collection", "document", "tags")}

    def read(self, query: Any) -> None:
        """Read a query, or a part of one; raises Refused for unsupported parts."""
        name, value = self._one(query, "query")
        clauses = {
            "bool": self._bool,
            "knn": self._knn,
            "terms": self._of_terms,
            "range": self._range,
            "match": self._match,
            "match_all": lambda _: None,
        }
        if name not in clauses:
            raise Refused(400, "parsing_exception", f"unknown query [{name}]")
        clauses[name](value)

    @staticmethod
    def _one(value: Any, where: str) -> tuple[str, Any]:
        if not isinstance(value, dict) or len(value) != 1:
            raise Refused(400, "parsing_exception", f"[{where}] takes exactly one field")
        return next(iter(value.items()))

    def _bool(self, value: Any) -> None:
        _only(
            value, ("must", "filter", "must_not", "should", "minimum_should_match"), "bool", "x_content_parse_exception"
        )
        if value.get("minimum_should_match"):
            self._any_match(value["should"])
        elif "should" in value:
            self._documents(value["should"])
        for query in [*value.get("must", []), *value.get("filter", [])]:
            self.read(query)
        for query in value.get("must_not", []):
            name, unwanted = self._one(query["terms"], "must_not")
            if name != "passage_id":
                raise Refused(400, "parsing_exception", "[must_not] takes passage ids here")
            self._without |= set(self._values(name, unwanted))

    def _any_match(self, queries: Any) -> None:
        """Read a search by words or names of documents."""
        for query in queries:
            if "wildcard" not in query:
                self.read(query)
                continue
            name, pattern = self._one(query["wildcard"], "wildcard")
            _only(pattern, ("value", "case_insensitive"), "wildcard")
            if self.index.fields.get(name, {}).get("type") != "keyword" or not isinstance(pattern.get("value"), str):
                raise Refused(400, "parsing_exception", f"[wildcard] needs a keyword field and a text: [{name}]")
            self.names.append(pattern["value"].strip("*").lower())

    def _documents(self, queries: Any) -> None:
        """Read any of: terms of `document`, and prefixes of it, which are folders here."""
        documents: set[str] = set()
        for query in queries:
            kind, value = self._one(query, "should")
            name, values = self._one(value, kind)
            folder = kind == "prefix" and isinstance(values, str) and values.endswith("/")
            if name != "document" or not (folder or kind == "terms"):
                raise Refused(400, "parsing_exception", "[should] takes documents and folders here")
            documents |= {values} if folder else set(self._values(name, values))
        self._terms["document"] = self._terms.get("document", documents) & documents

    def _of_terms(self, value: Any) -> None:
        name, values = self._one(value, "terms")
        values = self._values(name, values)
        mapped = self.index.fields.get(name)
        if mapped is None:  # also inside a disabled object
            self._terms["collection"] = set()
            return
        if not mapped.get("index", True):
            raise _cannot_search(f"Cannot search on field [{name}] since it is not indexed.")
        if mapped["type"] != "keyword" or name not in BOUNDED:
            raise Refused(400, "parsing_exception", f"[terms] needs a keyword field: [{name}]")
        self._terms[name] = self._terms.get(name, set(values)) & set(values)

    @staticmethod
    def _values(name: str, values: Any) -> list[str]:
        if not isinstance(values, list):
            raise Refused(400, "parsing_exception", f"[terms] needs a list: [{name}]")
        if len(values) > MAX_TERMS:
            raise _cannot_search(f"The number of terms [{len(values)}] is more than [{MAX_TERMS}]")
        return values

    def _range(self, value: Any) -> None:
        name, ends = self._one(value, "range")
        _only(ends, ("gte", "lte"), "range")
        if self.index.fields.get(name, {}).get("type") != "date" or not all(map(_is_day, ends.values())):
            raise _cannot_search(f"[range] needs a date field and days: [{name}]")
        self._days = ends

    def _knn(self, value: Any) -> None:
        name, query = self._one(value, "knn")
        _only(query, ("vector", "k", "filter"), "knn", "x_content_parse_exception")
        if type(query.get("k")) is not int or not 1 <= query["k"] <= MAX_WINDOW:
            raise Refused(400, "illegal_argument_exception", "[knn] requires k to be in the range (0, 10000]")
        if self.index.fields.get(name, {}).get("type") != "knn_vector":
            raise _cannot_search(f"Field '{name}' is not knn_vector type.")
        if not self.index.is_vector(name, query.get("vector")):
            raise _cannot_search("Query vector has invalid dimension")
        self.vector, self.k = query["vector"], query["k"]
        if "filter" in query:
            self.read(query["filter"])

    def _match(self, value: Any) -> None:
        name, text = self._one(value, "match")
        if self.index.fields.get(name, {}).get("analyzer") != "whitespace" or not isinstance(text, str):
            raise Refused(400, "parsing_exception", f"[match] takes a field of words and a text here: [{name}]")
        self.text = _text(text)
        if len(self.text.split()) > MAX_CLAUSES:
            raise _cannot_search("maxClauseCount is set to 1024")
