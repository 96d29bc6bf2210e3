"""What the manifest says of documents, as values and as items of its table.

A document's items share its id. The part `document` tells its state; each other part, `GENERATION#NUMBER`, is a batch
of passages with the index's own ids, by which alone they can be deleted.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

DOCUMENT = "document"

DocumentStatus = Literal["ready", "failed", "removed", "working"]
Json = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """What is known of a document; `generation` is the content that the index holds, "" for none."""

    id: str
    key: str = ""
    collection: str = ""
    status: DocumentStatus = "working"
    reason: str = ""
    version: str = ""
    generation: str = ""
    title: str = ""
    passages: int = 0
    pages: int = 0
    warnings: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    date: str | None = None
    updated_at: int = 0


@dataclass(frozen=True)
class Part:
    """A batch of passages: their ids, and the index's own id of each that is known to be written.

    `writing_since` is set (seconds since the epoch) from before a write until its outcome is known.
    """

    document_id: str
    generation: str
    number: int
    passage_ids: list[str]
    ids: dict[str, str]
    writing_since: float | None = None

    @property
    def name(self) -> str:
        """The part's name in the table."""
        return f"{self.generation}#{self.number:05}"


# What is written when an execution lets a document go.
WRITTEN = (
    "key", "collection", "status", "reason", "version", "generation", "title", "passages", "pages", "warnings",
    "tags", "date", "updated_at",
)  # fmt: skip


def key_of(document_id: str, part: str) -> Json:
    """The key of an item."""
    return {"id": {"S": document_id}, "part": {"S": part}}


def index_key_of(collection: str, key: str, document_id: str) -> Json:
    """The key of a document's item in the index over collections."""
    return {**key_of(document_id, DOCUMENT), "collection": {"S": collection}, "key": {"S": key}}


def serialized(values: Json) -> Json:
    """Values as DynamoDB takes them."""
    return {name: TypeSerializer().serialize(value) for name, value in values.items()}


def record_of(item: Json) -> Record:
    """What the item of a document says."""
    known = _plain(item)
    counts = {name: int(known.get(name, 0)) for name in ("passages", "pages", "updated_at")}
    return Record(id=known["id"], **{**{name: known[name] for name in WRITTEN if name in known}, **counts})


def part_of(item: Json) -> Part:
    """What the item of a batch says."""
    known = _plain(item)
    generation, _, number = known["part"].partition("#")
    since = known.get("writing_since")
    return Part(
        known["id"],
        generation,
        int(number),
        known["passage_ids"],
        known["ids"],
        None if since is None else float(since),
    )


def _plain(item: Json) -> Json:
    return {name: TypeDeserializer().deserialize(value) for name, value in item.items()}
