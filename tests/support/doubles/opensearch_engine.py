"""What a vector collection does with mappings, documents and queries; k-NN is exact where the service approximates.

Only what selfrag uses is understood; everything else is refused, as the service refuses what it does not know.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from tests.support.doubles.opensearch_analysis import ANALYZERS

Json = dict[str, Any]

MAX_CLAUSES = 1024
MAX_WINDOW = 10_000
MAX_TERMS = 65_536
MAX_TERM_BYTES = 32_766


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


def _length(words: int) -> int:
    """Return the length of a text as Lucene keeps it in one byte: above 40 words only its first four bits count."""
    above = words - 24
    lost = max(above.bit_length() - 4, 0) if above > 0 else 0
    return words if lost == 0 else 24 + (above >> lost << lost)


def _only(value: Any, allowed: Iterable[str], where: str, kind: str = "mapper_parsing_exception") -> Json:
    if not isinstance(value, dict):
        raise Refused(400, "parsing_exception", f"[{where}] expected an object")
    unknown = sorted(set(value) - set(allowed))
    if unknown:
        raise Refused(400, kind, f"unknown parameter {unknown} in [{where}]")
    return value


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

    def __post_init__(self) -> None:
        _only(self.body, ("settings", "mappings"), "index")
        settings = _only(self.body.get("settings", {}), ("index",), "settings").get("index", {})
        index = _only(settings, ("knn",), "index", "illegal_argument_exception")
        self.knn = index.get("knn") in (True, "true")
        self.fields: dict[str, Json] = {}
        self.texts: dict[str, tuple[str, str]] = {}
        self.put(self.body.get("mappings", {}))

    def put(self, mapping: Any) -> None:
        """Take fields in; one that is there stays as it is, and is refused with another type or other parameters."""
        fields = _only(mapping, ("properties",), "mappings").get("properties", {})
        new = {name: self._field(name, value) for name, value in fields.items()}
        for name, value in new.items():
            there = self.fields.get(name, value)
            if value["type"] == there["type"] == "object" and there != value:
                raise Refused(500, "mapper_exception", f"the [enabled] parameter can't be updated for [{name}]")
            if there != value:
                raise Refused(400, "illegal_argument_exception", f"Mapper for [{name}] conflicts with existing mapper")
        self.fields |= new
        for name, value in new.items():
            if value["type"] == "text":
                self.texts[name] = name, value.get("analyzer", "standard")
                for inner, sub in value.get("fields", {}).items():
                    self.texts[f"{name}.{inner}"] = name, sub.get("analyzer", "standard")

    def _field(self, name: str, value: Any) -> Json:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind in ("keyword", "integer", "date"):
            return self._switched(_only(value, ("type", "index", "doc_values"), name), ("index", "doc_values"))
        if kind == "object":
            return self._switched(_only(value, ("type", "enabled"), name), ("enabled",))
        if kind == "text":
            analyzer = _only(value, ("type", "analyzer", "fields"), name).get("analyzer", "standard")
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
                raise Refused(
                    400, "mapper_parsing_exception", f"Failed to parse value of [{switch}]: only true or false"
                )
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
        if method.get("space_type") not in ("l2", "innerproduct"):
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
                # What is not enabled is stored and not read, whatever it is.
                fits = not self.fields[name].get("enabled", True)
            else:
                values = value if isinstance(value, list) and kind == "keyword" else [value]
                fits = kind is not None and all(self._is_of(kind, one) for one in values)
            if kind == "keyword" and any(len(one.encode(errors="replace")) > MAX_TERM_BYTES for one in values):
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

    def search(self, body: Any, number: int) -> tuple[list[tuple[Document, float]], Json]:
        """Return the hits of the nth search, best first, and the number of all matches as the reply has it."""
        _only(body, ("size", "_source", "query", "track_total_hits"), "search")
        counted = body.get("track_total_hits", MAX_WINDOW)
        if counted not in (True, MAX_WINDOW):
            raise Refused(400, "parsing_exception", "[track_total_hits] is true here")
        size = body.get("size", 10)
        if type(size) is not int or not 0 <= size <= MAX_WINDOW:
            raise _cannot_search(f"Result window is too large or negative: [{size}]")
        if self.closed:
            raise Refused(400, "index_closed_exception", "closed")
        query = Query(self, [d for d in self.documents if d.since <= number < d.until])
        scores = query.run(body.get("query"))
        if query.clauses > MAX_CLAUSES:
            raise _cannot_search("maxClauseCount is set to 1024")
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:size]
        by_id = {d.id: d for d in query.documents}
        total = {"value": len(scores), "relation": "eq"}
        if counted is not True and len(scores) > MAX_WINDOW:
            total = {"value": MAX_WINDOW, "relation": "gte"}
        return [(by_id[i], score) for i, score in ranked], total


class Query:
    """One query over the documents that can be seen; each clause gives scores by document id."""

    def __init__(self, index: Index, documents: Sequence[Document]) -> None:
        self.index, self.documents, self.clauses = index, documents, 0

    def run(self, query: Any) -> dict[str, float]:
        if not isinstance(query, dict) or len(query) != 1:
            raise Refused(400, "parsing_exception", "[query] must have exactly one clause")
        ((name, value),) = query.items()
        clauses = {
            "bool": self._bool,
            "knn": self._knn,
            "terms": self._terms,
            "range": self._range,
            "multi_match": self._multi_match,
            "match_all": lambda _: {d.id: 1.0 for d in self.documents},
        }
        if name not in clauses:
            raise Refused(400, "parsing_exception", f"unknown query [{name}]")
        return clauses[name](value)

    def _bool(self, value: Any) -> dict[str, float]:
        _only(value, ("must", "filter", "must_not"), "bool", "x_content_parse_exception")
        must = [self.run(query) for query in value.get("must", [])]
        filters = [self.run(query) for query in value.get("filter", [])]
        ids = {d.id for d in self.documents}.intersection(*must, *filters)
        ids -= {i for query in value.get("must_not", []) for i in self.run(query)}
        return {i: sum(scores[i] for scores in must) for i in ids}

    def _terms(self, value: Any) -> dict[str, float]:
        if not isinstance(value, dict) or len(value) != 1:
            raise Refused(400, "parsing_exception", "[terms] takes exactly one field")
        ((name, wanted),) = value.items()
        if not isinstance(wanted, list):
            raise Refused(400, "parsing_exception", f"[terms] needs a list: [{name}]")
        if len(wanted) > MAX_TERMS:
            raise _cannot_search(f"The number of terms [{len(wanted)}] is more than [{MAX_TERMS}]")
        field = self.index.fields.get(name)
        if field is None:  # also what is inside an object that is not enabled
            return {}
        if field["type"] != "keyword":
            raise Refused(400, "parsing_exception", f"[terms] needs a keyword field and a list: [{name}]")
        if not field.get("index", True):
            raise _cannot_search(f"Cannot search on field [{name}] since it is not indexed.")
        held = {d.id: d.source.get(name) for d in self.documents}
        lists = {i: value if isinstance(value, list) else [value] for i, value in held.items() if value is not None}
        return {i: 1.0 for i, values in lists.items() if not set(values).isdisjoint(wanted)}

    def _range(self, value: Any) -> dict[str, float]:
        if not isinstance(value, dict) or len(value) != 1:
            raise Refused(400, "parsing_exception", "[range] takes exactly one field")
        ((name, ends),) = value.items()
        _only(ends, ("gte", "lte"), "range")
        if self.index.fields.get(name, {}).get("type") != "date" or not all(map(_is_day, ends.values())):
            raise _cannot_search(f"[range] needs a date field and days: [{name}]")
        first, last = ends.get("gte", "0001-01-01"), ends.get("lte", "9999-12-31")
        days = {d.id: d.source.get(name) for d in self.documents}
        return {i: 1.0 for i, day in days.items() if day is not None and first <= day <= last}

    def _knn(self, value: Any) -> dict[str, float]:
        if not isinstance(value, dict) or len(value) != 1:
            raise Refused(400, "parsing_exception", "[knn] takes exactly one field")
        ((name, query),) = value.items()
        _only(query, ("vector", "k", "filter"), "knn", "x_content_parse_exception")
        if type(query.get("k")) is not int or not 1 <= query["k"] <= MAX_WINDOW:
            raise Refused(400, "illegal_argument_exception", "[knn] requires k to be in the range (0, 10000]")
        mapped = self.index.fields.get(name, {})
        if mapped.get("type") != "knn_vector":
            raise _cannot_search(f"Field '{name}' is not knn_vector type.")
        if not self.index.is_vector(name, query.get("vector")):
            raise _cannot_search("Query vector has invalid dimension")
        allowed = self.run(query["filter"]) if "filter" in query else {d.id: 1.0 for d in self.documents}
        scores = {}
        for document in self.documents:
            if document.id in allowed and document.source.get(name) is not None:
                pairs = zip(query["vector"], document.source[name], strict=True)
                scores[document.id] = self._closeness(pairs, mapped["method"]["space_type"])
        return dict(sorted(scores.items(), key=lambda item: -item[1])[: query["k"]])

    @staticmethod
    def _closeness(pairs: Iterable[tuple[float, float]], space: str) -> float:
        if space == "l2":
            return 1 / (1 + sum((a - b) ** 2 for a, b in pairs))
        product = sum(a * b for a, b in pairs)
        # The service's scores are never negative.
        return 1 + product if product >= 0 else 1 / (1 - product)

    def _multi_match(self, value: Any) -> dict[str, float]:
        _only(value, ("query", "fields", "type"), "multi_match")
        if not isinstance(value.get("query"), str) or value.get("type", "best_fields") != "most_fields":
            raise Refused(400, "parsing_exception", "[multi_match] needs a query, and a type that is known here")
        total: Counter[str] = Counter()
        for name in value.get("fields", []):
            if name not in self.index.texts:  # a field that is not there finds nothing
                continue
            total.update(self._bm25(*self.index.texts[name], value["query"]))
        return dict(total)

    def _bm25(self, name: str, analyzer: str, query: str) -> dict[str, float]:
        words = ANALYZERS[analyzer](query)
        self.clauses += len(words)
        texts = {d.id: Counter(ANALYZERS[analyzer](d.source.get(name) or "")) for d in self.documents}
        texts = {i: counts for i, counts in texts.items() if counts}
        average = sum(map(Counter.total, texts.values())) / max(len(texts), 1) or 1.0
        scores: dict[str, float] = {}
        for word in words:
            found = {i: counts for i, counts in texts.items() if counts[word]}
            rarity = math.log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            for i, counts in found.items():
                often = counts[word]
                weight = 2.2 * often / (often + 1.2 * (0.25 + 0.75 * _length(counts.total()) / average))
                scores[i] = scores.get(i, 0.0) + rarity * weight
        return scores
