"""A vector for each passage, and none twice."""

from typing import Any

from ingestion.embed_passages.logic import Task, embed
from tests.support.fakes import passage


class FakeWork:
    """Work in progress, in a dict."""

    def __init__(self, **kept: Any) -> None:
        self.kept = kept

    def has_json(self, key: str) -> bool:
        return key in self.kept

    def get_json(self, key: str) -> Any:
        return self.kept[key]

    def put_json(self, key: str, value: Any) -> None:
        self.kept[key] = value


class CountingEmbedder:
    """Embeds a text as its length, and remembers the texts."""

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
    result = embed(Task(passages_key="d/g/passages-00000.json"), work, embedder)  # type: ignore[arg-type]
    assert embedder.texts == ["Leave > Days\nLeave is 25 days."]
    (kept,) = work.kept[result.vectors_key]
    assert (kept["passage"]["passage_id"], kept["vector"]) == ("p1", [30.0])


def test_a_batch_that_was_embedded_is_not_embedded_again() -> None:
    work, embedder = FakeWork(**{"d/g/vectors-00000.json": []}), CountingEmbedder()
    embed(Task(passages_key="d/g/passages-00000.json"), work, embedder)  # type: ignore[arg-type]
    assert embedder.texts == []
