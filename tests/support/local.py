"""The whole local stack for a test: real handlers, a model server, and an index of a few passages."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cli.local.aws.stack import LocalStack, running_stack
from selfrag.bootstrap import Parts
from selfrag.domain.passages import Bounds, Candidates, Passage
from tests.support.fakes import passage
from tests.support.model_server import ModelServer

PASSAGES = [passage(f"p{n}", f"Fact number {n} is {n * 10} days. More follows.", collection="c") for n in range(12)]
QUESTION: dict[str, Any] = {"question": "How many days?", "collections": ["c"], "policy": {"web_search": False}}


class FewPassages:
    """An index that finds four passages for the question and four others for any other query."""

    def search(self, text: str, vector: Sequence[float], size: int, bounds: Bounds) -> Candidates:
        start = 0 if text == QUESTION["question"] else 4
        found = [(p, 9.0 - n) for n, p in enumerate(PASSAGES[start : start + 4]) if p.collection in bounds.collections]
        return Candidates(found, found)

    def fetch(self, passage_ids: Sequence[str], bounds: Bounds) -> list[Passage]:
        return [p for p in PASSAGES if p.passage_id in passage_ids and p.collection in bounds.collections]


class FlatEmbedder:
    """An embedder to whom all texts are the same."""

    def query(self, text: str) -> list[float]:
        return [1.0]

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


def few_parts() -> Parts:
    """The parts of a stack that searches the few passages."""
    index: Any = FewPassages()
    return {"index": index, "embedder": FlatEmbedder()}


@contextmanager
def local_stack(model: ModelServer, **environment: str) -> Iterator[LocalStack]:
    """The stack with the deployed handlers; nothing waits between retries."""
    settings = {
        "SELFRAG_MODEL_BASE_URL": model.url,
        "SELFRAG_MODEL_SECRET": "model-key",
        "SELFRAG_WEB_SECRET": "web-key",
        **environment,
    }
    secrets = {"model-key": "test-key", "web-key": "test"}
    with running_stack(settings, secrets, parts=few_parts(), pause=lambda seconds: None) as stack:
        yield stack
