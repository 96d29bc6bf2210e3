"""The whole local stack for a test: real handlers, a model server, and an index of a few passages."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from selfrag.bootstrap import Parts
from selfrag.domain.passages import Bounds, Candidates
from tests.support.asking import Skipping
from tests.support.aws.resources import TABLES, empty_table
from tests.support.aws.stack import LocalStack, deployed_handlers, running_stack
from tests.support.doubles.model_server import ModelServer
from tests.support.fakes import FakeEmbedder, FakeIndex, passage
from tests.support.roles.recorded import as_caller, recording
from tests.support.roles.roles import Allows, check_roles

PASSAGES = [passage(f"p{n}", f"Fact number {n} is {n * 10} days. More follows.", collection="c") for n in range(12)]
QUESTION: dict[str, Any] = {"question": "How many days?", "collections": ["c"], "policy": {"web_search": False}}


class FewPassages(FakeIndex):
    """An index that finds four passages for the question and four others for any other query."""

    def __init__(self) -> None:
        super().__init__(*PASSAGES)

    def search(self, text: str, vector: Sequence[float] | None, size: int, bounds: Bounds) -> Candidates:
        start = 0 if text == QUESTION["question"] else 4
        return FakeIndex(*PASSAGES[start : start + 4]).search(text, vector, size, bounds)


def few_parts() -> Parts:
    """Return the parts of a stack that searches the few passages, and skips its waits."""
    index: Any = FewPassages()
    return {"index": index, "embedder": FakeEmbedder(), "clock": Skipping().clock}


@contextmanager
def local_stack(
    model: ModelServer,
    more_secrets: Mapping[str, str] | None = None,
    also_allows: Allows = lambda who, action, resource: False,
    **environment: str,
) -> Iterator[LocalStack]:
    """Yield the stack with the deployed handlers, whose roles decide their calls afterwards; nothing waits for a retry.

    `also_allows` are additional permissions of other deployments' roles.
    """
    settings = {
        "SELFRAG_MODEL_BASE_URL": model.url,
        "SELFRAG_MODEL_SECRET": "model-key",
        "SELFRAG_WEB_SECRET": "web-key",
        **environment,
    }
    secrets = {"model-key": "test-key", "web-key": "test", **(more_secrets or {})}
    deployed = deployed_handlers()
    handlers = {name: as_caller(name, handler) for name, handler in deployed.items()}
    made: Any = {"parts": few_parts(), "handlers": handlers}
    with (
        running_stack(settings, secrets, **made, pause=lambda seconds: None) as stack,
        recording() as calls,
    ):
        yield stack
    check_roles(calls, also_allows)


def forget_verdicts() -> None:
    """Empty the table of verdicts and of recent calls: nothing of an earlier question is known."""
    empty_table(*TABLES["verdicts_table"])
