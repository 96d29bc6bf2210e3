"""Embedding of a batch of passages: a vector for each, next to it in the work bucket."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from selfrag.domain.errors import SelfragError
from selfrag.domain.passages import Passage, embedded_text
from selfrag.ports.embedder import Embedder
from selfrag.ports.objects import Objects


class Task(BaseModel):
    """The key of a batch of passages."""

    passages_key: str


class Result(BaseModel):
    """The key of the passages with their vectors."""

    vectors_key: str


def embed(task: Task, objects: Objects, embedder: Embedder) -> Result:
    """Embed the passages of a batch with their titles, as they will be searched; finished vectors are reused.

    Raises the embedder's errors; vectors that came before are kept, and the next run continues from there.
    """
    where = task.passages_key.replace("/passages-", "/vectors-")
    if objects.has_json(where):
        return Result(vectors_key=where)
    passages = [Passage.model_validate(value) for value in objects.get_json(task.passages_key)]
    vectors = _vectors(passages, task.passages_key.replace("/passages-", "/partial-"), objects, embedder)
    objects.put_json(
        where,
        [{"passage": passage.model_dump(mode="json"), "vector": vectors[passage.passage_id]} for passage in passages],
    )
    return Result(vectors_key=where)


def _vectors(
    passages: Sequence[Passage], partial: str, objects: Objects, embedder: Embedder
) -> Mapping[str, Sequence[float]]:
    """Return the vector of each passage, by its id; vectors at `partial` are reused."""
    vectors = dict(objects.get_json(partial)) if objects.has_json(partial) else {}
    missing = [passage for passage in passages if passage.passage_id not in vectors]
    texts = [embedded_text(passage.title, passage.text) for passage in missing]
    try:
        for passage, vector in zip(missing, embedder.passages(texts), strict=True):
            vectors[passage.passage_id] = vector
    except SelfragError:
        objects.put_json(partial, vectors)
        raise
    return vectors
