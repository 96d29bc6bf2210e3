"""The composition root: reads the settings, creates clients and assembles the components.

A component is created on first use and kept for the life of the process; `warm` creates a handler's components while
its Lambda starts. Tests and the local stack override components with `using(...)`. `forget` drops them, for instance
after a change of the settings.
This module has the components of several kinds of Lambda; `questions`, `ingestion` and `api` have the rest. Adapters
and ports are imported where they are needed: loading all SDKs takes a second.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from pydantic import BaseModel

from selfrag.domain.errors import SelfragError
from selfrag.runtime.observability import Handler, logger, step_handler
from selfrag.runtime.parts import forget as forget
from selfrag.runtime.parts import override, part
from selfrag.runtime.settings import CollectionSettings, EmbeddingSettings, Settings, SpendingSettings, read

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.idempotency import BasePersistenceLayer

    from selfrag.adapters.spending import DynamoSpending
    from selfrag.domain.calls import Limits
    from selfrag.ports.bindings import Bindings
    from selfrag.ports.cache import VerdictCache
    from selfrag.ports.decider import Decider
    from selfrag.ports.embedder import Embedder
    from selfrag.ports.executions import Executions
    from selfrag.ports.feedback import FeedbackBook
    from selfrag.ports.guardrail import Guardrail
    from selfrag.ports.index import Index, PassageIndex
    from selfrag.ports.manifest import Manifest
    from selfrag.ports.model import Claude, Prompt
    from selfrag.ports.objects import Objects, Uploads
    from selfrag.ports.recent import RecentCalls
    from selfrag.ports.recognizer import Recognizer
    from selfrag.ports.secrets import Secrets
    from selfrag.ports.web import WebSearch
    from selfrag.runtime.clock import Clock
    from selfrag.runtime.decider_settings import DeciderSettings

Task = TypeVar("Task", bound=BaseModel)


class Parts(TypedDict, total=False):
    """Components that `using` accepts, by key."""

    index: "Index"
    knowledge_base: "PassageIndex | None"
    embedder: "Embedder"
    # Components of questions. Factories are called per task, with its limits or its deadline in epoch milliseconds.
    claude: "Callable[[Limits], Claude]"
    claude_client: Any
    prompts: "Mapping[str, Prompt]"
    verdicts: "VerdictCache"
    recent_calls: "RecentCalls"
    clock: "Clock"
    decider: "Callable[[Limits], Decider]"
    decider_settings: "DeciderSettings"
    web: "Callable[[float | None], WebSearch]"
    guardrail: "Guardrail | None"
    secrets: "Secrets"
    spending: "DynamoSpending | None"
    # Components of ingestion.
    objects: "Objects"
    recognizer: "Recognizer | None"
    manifest: "Manifest"
    # components of the API
    executions: "Executions"
    bindings: "Bindings"
    feedback: "FeedbackBook"
    uploads: "Uploads"
    idempotency: "Callable[[], BasePersistenceLayer]"


def using(**replacements: Unpack[Parts]) -> AbstractContextManager[None]:
    """Override these components in all threads for the block."""
    return override(replacements)


def warm(*parts: Callable[[], object]) -> None:
    """Create components while a Lambda starts with a full processor; elsewhere on first use.

    A failure is repeated on first use, where the workflow handles it.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" not in os.environ:
        return
    for component in parts:
        try:
            component()
        except SelfragError as error:
            logger.warning("a part is left to its first use", extra={"error": type(error).__name__})


def step(name: str, task: type[Task]) -> Callable[[Callable[[Task], BaseModel]], Handler]:
    """Create a Lambda handler from a function of this task type; its name appears in metrics and logs."""
    return partial(step_handler, name=name, task=task, prices=lambda: question_settings().prices)


@part("question_settings")
def question_settings() -> Settings:
    """Read the settings of the models, the verdict cache and the web search."""
    return read(Settings)


@part("spending")
def spending() -> "DynamoSpending | None":
    """Create the daily cost cap; None if the deployment has none."""
    config = read(SpendingSettings)
    if config.daily_max_usd is None:
        return None
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.spending import DynamoSpending

    return DynamoSpending(make_client("spending"), config.requests_table, config.daily_max_usd)


@part("index")
def index() -> "Index":
    """Connect to the index of passages; raises Misconfigured without credentials or region."""
    from selfrag.adapters.opensearch.collection import connect
    from selfrag.adapters.opensearch.search import OpenSearchPassages

    config = read(CollectionSettings)
    client = connect(config.collection_endpoint, config.collection_region, config.collection_timeout_seconds)
    return OpenSearchPassages(client, config.index_name, config.vector_dimensions)


@part("embedder")
def embedder() -> "Embedder":
    """Make the embedder of queries and passages."""
    from selfrag.adapters.clients import bedrock_client
    from selfrag.adapters.titan import TitanEmbedder

    config = read(EmbeddingSettings)
    client = bedrock_client(config.embedding_region, config.embedding_timeout_seconds)
    return TitanEmbedder(client, config.vector_dimensions)
