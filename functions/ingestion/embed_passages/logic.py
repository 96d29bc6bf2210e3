"""Embed a batch of passages: a vector for each, beside it in the work bucket."""

from pydantic import BaseModel

from selfrag.domain.passages import Passage, embedded_text
from selfrag.ports.embedder import Embedder
from selfrag.ports.objects import Objects


class Task(BaseModel):
    """Where the passages of a batch lie."""

    passages_key: str


class Result(BaseModel):
    """Where the passages lie with their vectors."""

    vectors_key: str


def embed(task: Task, objects: Objects, embedder: Embedder) -> Result:
    """Embed the passages of a batch with their titles, as they will be searched; what was embedded is not again."""
    where = task.passages_key.replace("/passages-", "/vectors-")
    if objects.has_json(where):
        return Result(vectors_key=where)
    passages = [Passage.model_validate(value) for value in objects.get_json(task.passages_key)]
    vectors = embedder.passages([embedded_text(passage) for passage in passages])
    pairs = zip(passages, vectors, strict=True)
    objects.put_json(
        where, [{"passage": passage.model_dump(mode="json"), "vector": vector} for passage, vector in pairs]
    )
    return Result(vectors_key=where)
