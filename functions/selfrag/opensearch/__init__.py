"""The index of passages in an OpenSearch Serverless vector collection."""

from selfrag.opensearch.collection import STORED, CollectionSettings, Json, mapping
from selfrag.opensearch.searching import TEXT_CHARACTERS, TEXT_FIELDS, WINDOW, OpenSearchPassages, open_passages
from selfrag.opensearch.writing import BATCH_BYTES, WRITE_ATTEMPTS
from selfrag.passages import Added, Entry

__all__ = [
    "BATCH_BYTES",
    "STORED",
    "TEXT_CHARACTERS",
    "TEXT_FIELDS",
    "WINDOW",
    "WRITE_ATTEMPTS",
    "Added",
    "CollectionSettings",
    "Entry",
    "Json",
    "OpenSearchPassages",
    "mapping",
    "open_passages",
]
