"""A vector for each passage, and none twice."""

from collections.abc import Iterator
from typing import Any

import pytest

from selfrag.domain.errors import Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.ingestion.embed_passages.logic import EmbedPassagesTask, embed
from tests.support.fakes import FakeWork, passage


class CountingEmbedder:
    """Embeds a text as its length, and remembers the texts."""

    spread_floor = 0.0

    def __init__(self) -> None:
        self.texts: list[str] = []

    def query(self, text: str) -> list[float]:
        return [1.0]

    def passages(self, texts: Any) -> list[list[float]]:
        self.texts += texts
        return [[float(len(text))] for text in texts]


def test_passages_are_embedded_with_the_headings_above_them() -> None:
    values = [passage("p1", "Leave is 25 days.", title="Leave > Days").model_dump(mode="json")]
    work, embedder = FakeWork(**{"d/g/passages-00000.json": values}), CountingEmbedder()
    result = embed(EmbedPassagesTask(passages_key="d/g/passages-00000.json"), work, embedder)  # type: ignore[arg-type]
    assert embedder.texts == ["Leave > Days\nLeave is 25 days."]
    (kept,) = work.kept[result.vectors_key]
    assert (kept["passage"]["passage_id"], kept["vector"]) == ("p1", [30.0])


def test_a_batch_that_was_embedded_is_not_embedded_again() -> None:
    work, embedder = FakeWork(**{"d/g/vectors-00000.json": []}), CountingEmbedder()
    embed(EmbedPassagesTask(passages_key="d/g/passages-00000.json"), work, embedder)  # type: ignore[arg-type]
    assert embedder.texts == []


class StoppingEmbedder(CountingEmbedder):
    """Embeds some passages and then fails."""

    def __init__(self, gives: int, error: SelfragError) -> None:
        super().__init__()
        self.gives, self.error = gives, error

    def passages(self, texts: Any) -> Iterator[list[float]]:  # type: ignore[override]
        for text in texts[: self.gives]:
            yield from super().passages([text])
        raise self.error


class SlowEmbedder(CountingEmbedder):
    """Embeds four passages in the time that it has."""

    def passages(self, texts: Any) -> list[list[float]]:
        return super().passages(texts[:4])


def batch(number: int) -> tuple[list[Any], FakeWork, EmbedPassagesTask]:
    """Return so many passages, where they are kept, and the task to embed them."""
    values = [passage(f"p{n}", f"text {n}", title="").model_dump(mode="json") for n in range(number)]
    return (
        values,
        FakeWork(**{"d/g/passages-00000.json": values}),
        EmbedPassagesTask(passages_key="d/g/passages-00000.json"),
    )


def test_busy_embedder_keeps_finished_vectors_and_retries_only_the_rest() -> None:
    values, work, task = batch(6)
    for first in (0, 3):
        stopping = StoppingEmbedder(3 - first, TemporarilyUnavailable("busy"))
        result = embed(task, work, stopping)  # type: ignore[arg-type]
        assert (result.done, result.busy) == (False, True)
        assert stopping.texts == [f"text {n}" for n in range(first, 3)]
        assert "d/g/vectors-00000.json" not in work.kept, "who finds this object takes the batch for whole"
    last = CountingEmbedder()
    result = embed(task, work, last)  # type: ignore[arg-type]
    assert (result.done, result.busy) == (True, False)
    assert last.texts == ["text 3", "text 4", "text 5"]
    assert [(one["passage"], one["vector"]) for one in work.kept[result.vectors_key]] == [
        (value, [6.0]) for value in values
    ]


def test_embedder_timeout_is_not_busy_and_misconfiguration_is_an_error() -> None:
    _, work, task = batch(6)
    result = embed(task, work, SlowEmbedder())  # type: ignore[arg-type]
    assert (result.done, result.busy) == (False, False)
    with pytest.raises(Misconfigured):
        embed(task, work, StoppingEmbedder(1, Misconfigured("no access")))  # type: ignore[arg-type]
    assert len(work.kept["d/g/partial-00000.json"]) == 5
