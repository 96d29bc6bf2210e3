"""Embedding of a batch of passages: a vector for each, next to it in the work bucket."""

from pydantic import BaseModel

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.passages import Passage, embedded_text
from selfrag.ports.embedder import Embedder
from selfrag.ports.objects import Objects


class EmbedPassagesTask(BaseModel):
    """The key of a batch of passages."""

    passages_key: str


class EmbedPassagesResult(BaseModel):
    """The key of the passages with their vectors, which are there once it is `done`: until then, run again.

    `busy` says that the model refused a passage, so it should be left alone for a while.
    """

    vectors_key: str
    done: bool = True
    busy: bool = False


def embed(task: EmbedPassagesTask, objects: Objects, embedder: Embedder) -> EmbedPassagesResult:
    """Embed the passages of a batch with their titles, as they will be searched; finished vectors are reused.

    It never waits for a busy model: vectors that came are kept, and the next run continues from there. Raises the
    embedder's other errors.
    """
    where = task.passages_key.replace("/passages-", "/vectors-")
    if objects.has_json(where):
        return EmbedPassagesResult(vectors_key=where)
    passages = [Passage.model_validate(value) for value in objects.get_json(task.passages_key)]
    partial = task.passages_key.replace("/passages-", "/partial-")
    vectors = dict(objects.get_json(partial)) if objects.has_json(partial) else {}
    missing = [passage for passage in passages if passage.passage_id not in vectors]
    texts, stored, busy = [embedded_text(passage.title, passage.text) for passage in missing], len(vectors), False
    try:
        for passage, vector in zip(missing, embedder.passages(texts), strict=False):
            vectors[passage.passage_id] = vector
    except TemporarilyUnavailable:
        busy = True
    finally:
        if stored < len(vectors) < len(passages):
            objects.put_json(partial, vectors)
    if len(vectors) < len(passages):
        return EmbedPassagesResult(vectors_key=where, done=False, busy=busy)
    pairs = ((passage.model_dump(mode="json"), vectors[passage.passage_id]) for passage in passages)
    objects.put_json(where, [{"passage": passage, "vector": vector} for passage, vector in pairs])
    return EmbedPassagesResult(vectors_key=where)
