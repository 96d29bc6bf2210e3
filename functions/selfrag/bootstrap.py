"""The composition root: the one place that reads the settings, makes clients and puts the parts together.

A part is made when it is first asked for and kept as long as the process lives, as a Lambda wants it; a handler has
what it needs made at its start, by `warm`. Whoever has parts of their own (the laptop, a test) hands them over with
`using`; `forget` drops what was made.

Adapters are imported where a part needs them, and nowhere else: to import all SDKs takes a function a second.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from pydantic import BaseModel

from selfrag.domain.calls import Limits
from selfrag.domain.errors import SelfragError
from selfrag.ports.bindings import Bindings
from selfrag.ports.cache import Remembering
from selfrag.ports.embedder import Embedder
from selfrag.ports.executions import Executions
from selfrag.ports.feedback import FeedbackBook
from selfrag.ports.generator import Generator, Server
from selfrag.ports.grading import Grader
from selfrag.ports.index import Index
from selfrag.ports.manifest import Manifest
from selfrag.ports.model import Claude
from selfrag.ports.objects import Objects, Uploads
from selfrag.ports.prompts import Prompt
from selfrag.ports.recent import RecentCalls
from selfrag.ports.recognizer import Recognizer
from selfrag.ports.web import Domains, WebSearch
from selfrag.runtime.clock import Clock
from selfrag.runtime.generator_settings import GeneratorSettings
from selfrag.runtime.models import first_of
from selfrag.runtime.observability import Handler, logger, step_handler
from selfrag.runtime.parts import forget as forget  # for who has changed the settings
from selfrag.runtime.parts import handed, once
from selfrag.runtime.settings import (
    ApiSettings,
    CollectionSettings,
    EmbeddingSettings,
    IngestionSettings,
    Settings,
    read,
)

if TYPE_CHECKING:
    import httpx2

    from selfrag.adapters.generators.completing import Host

Task = TypeVar("Task", bound=BaseModel)


class Parts(TypedDict, total=False):
    """Parts that may be handed over."""

    index: Index
    embedder: Embedder
    manifest: Manifest
    objects: Objects
    uploads: Uploads
    bindings: Bindings
    executions: Executions
    feedback: FeedbackBook
    requests_client: Any
    claude_client: Any
    clock: Clock
    recent_calls: RecentCalls
    recognizer: Recognizer | None
    generator_host: "Host"
    prompts: Mapping[str, Prompt]


def using(**replacements: Unpack[Parts]) -> AbstractContextManager[None]:
    """Use these parts in place of those that the settings would make, in all threads until the block ends."""
    return handed(replacements)


def warm(*parts: Callable[[], object]) -> None:
    """Make parts now if this is a Lambda that starts, which it does with a whole processor; else they wait.

    One that cannot be made is left to the first use, whose error the workflow knows what to do with.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" not in os.environ:
        return
    for part in parts:
        try:
            part()
        except SelfragError as error:
            logger.warning("a part is left to its first use", extra={"error": type(error).__name__})


# Settings


@once
def settings() -> Settings:
    """What answers questions: the model, the verdict cache and the web."""
    return read(Settings)


@once
def ingestion_settings() -> IngestionSettings:
    """Where ingestion keeps its manifest and its work."""
    return read(IngestionSettings)


@once
def api_settings() -> ApiSettings:
    """Which machines answer, and what a caller may ask."""
    return read(ApiSettings)


# What the steps of a question need


def step(task: type[Task]) -> Callable[[Callable[[Task], BaseModel]], Handler]:
    """Make a Lambda handler of a function from a task of this type to a result; it is timed, counted and logged."""
    return partial(step_handler, task=task, prices=lambda: settings().prices)


def grader(step: str, prompt: Prompt, name: str = "") -> Callable[[Limits], Grader]:
    """What makes the judge of a step within the limits of its task, loaded and warmed as `claude` does it.

    Of a step with several prompts each has a `name`; one that is handed over is named by the step alone.
    """
    model, first, said = claude(step), first_of(step), prompted(name or step, prompt)

    def within(limits: Limits) -> Grader:
        asked, rubric = model(limits), said()
        # One model for both: what the first one costs is not there for the second.
        return Grader(step, rubric, asked, Grader(first, rubric, asked) if first in settings().models else None)

    return within


def prompted(step: str, prompt: Prompt) -> Callable[[], Prompt]:
    """What gives a step's prompt: its own, unless another one was handed over in its place."""
    return lambda: prompts().get(step, prompt)


@once
def prompts() -> Mapping[str, Prompt]:
    """Prompts in place of the steps' own, by step: none but those that somebody hands over."""
    return {}


def claude(step: str) -> Callable[[Limits], Claude]:
    """What makes Claude for a step within the limits of its task, with what it said before if the task allows that.

    The adapters are loaded and the clients warmed at once.
    """
    from selfrag.adapters.claude.sdk import SdkClaude
    from selfrag.adapters.verdicts import DynamoVerdicts
    from selfrag.runtime.pace import Pace

    warm(claude_client, _verdicts_client, recent_calls)

    def within(limits: Limits) -> Claude:
        config = settings()
        pace = Pace(clock(), recent_calls(), config.model_timeout_seconds, limits.deadline_ms)
        asked = SdkClaude(claude_client(), config.models, config.prices, pace, limits.budget_usd, _with_another_key)
        if not limits.cache:
            return asked
        return Remembering(
            asked, DynamoVerdicts(_verdicts_client(), config.verdicts_table, config.verdict_ttl_days, step)
        )

    return within


@once
def generator_settings() -> GeneratorSettings:
    """Where the fine-tuned model is, if there is one."""
    return read(GeneratorSettings)


def generator(step: str) -> Callable[[Limits], Generator]:
    """What makes the fine-tuned model for a step within the limits of its task.

    It is loaded at its first use: most deployments have none.
    """

    def within(limits: Limits) -> Generator:
        from selfrag.adapters.generators.completing import Completions
        from selfrag.domain.scores.vocabulary import Vocabulary
        from selfrag.runtime.pace import Pace

        config, host = generator_settings(), generator_host()
        pace = Pace(clock(), recent_calls(), config.generator_timeout_seconds, limits.deadline_ms)
        return Completions(
            host, pace, Vocabulary(config.generator_token_ids), config.generator_name, config.generator_served
        )

    return within


def generator_server() -> Server:
    """Which server runs the fine-tuned model, found out by a request of one token; raises selfrag's typed errors."""
    from selfrag.adapters.generators.checking import server_at
    from selfrag.domain.scores.vocabulary import Vocabulary

    config = generator_settings()
    ids = Vocabulary(config.generator_token_ids)
    return server_at(
        generator_host(), ids, config.generator_name, config.generator_served, config.generator_timeout_seconds
    )


@once
def generator_host() -> "Host":
    """Where the fine-tuned model runs; raises Misconfigured where no endpoint is configured."""
    from selfrag.adapters.generators.hosts import host_at

    config = generator_settings()

    def key(anew: bool) -> str:
        name = config.generator_secret
        return _secrets()(name, "SELFRAG_GENERATOR_SECRET", anew=anew) if name else ""

    return host_at(config, key)


@once
def clock() -> Clock:
    """The clock by which requests to the model wait."""
    return Clock()


@once
def recent_calls() -> RecentCalls:
    """What the deployment knows of its own recent calls to the model."""
    from selfrag.adapters.calls import DynamoCalls

    return DynamoCalls(_verdicts_client(), settings().verdicts_table, clock().now)


@once
def claude_client() -> Any:
    """The SDK's client; raises Misconfigured when its key cannot be read."""
    from selfrag.adapters.claude.sdk import client_of

    config = settings()
    key = _model_key() if config.model_provider == "anthropic" else None
    return client_of(config.model_provider, key, config.model_base_url, config.model_timeout_seconds)


def _model_key(*, anew: bool = False) -> str:
    return _secrets()(settings().model_secret, "SELFRAG_MODEL_SECRET", anew=anew)


def _with_another_key(refused: Any) -> Any | None:
    """The client with the secret's key as it is now, kept from now on; None if it is the one that was refused."""
    config = settings()
    if config.model_provider != "anthropic" or not config.model_secret or _model_key(anew=True) == refused.api_key:
        return None
    forget(claude_client.__name__)
    renewed = claude_client()
    # A client that was handed over is what it is.
    return None if renewed is refused else renewed


@once
def index() -> Index:
    """The index of passages; raises Misconfigured without credentials or region."""
    from selfrag.adapters.opensearch.collection import connect
    from selfrag.adapters.opensearch.searching import OpenSearchPassages

    config = read(CollectionSettings)
    client = connect(config.collection_endpoint, config.collection_region, config.collection_timeout_seconds)
    return OpenSearchPassages(client, config.index_name, config.vector_dimensions)


@once
def embedder() -> Embedder:
    """What turns texts into vectors."""
    from selfrag.adapters.clients import bedrock_client
    from selfrag.adapters.titan import TitanEmbedder

    config = read(EmbeddingSettings)
    client = bedrock_client(config.embedding_region, config.embedding_timeout_seconds)
    return TitanEmbedder(client, config.vector_dimensions)


def web() -> Callable[[float | None], WebSearch]:
    """What makes the web search for a deadline, past which it makes no call; it is loaded as `grader` does it."""
    from selfrag.adapters.tavily import Tavily

    warm(_secrets, _web_client)

    def until(deadline_ms: float | None) -> WebSearch:
        config = settings()
        key = _secrets()(config.web_secret, "SELFRAG_WEB_SECRET")
        return Tavily(_web_client(), config.web_base_url, key, config.web_timeout_seconds, deadline_ms)

    return until


def web_domains() -> Domains:
    """Which domains the web search may bring results of."""
    config = settings()
    return Domains(included=config.web_include_domains, excluded=config.web_exclude_domains)


@once
def _verdicts_client() -> Any:
    from selfrag.adapters.clients import verdicts_client

    return verdicts_client()


@once
def _web_client() -> "httpx2.Client":
    """Kept from one search to the next: to read the certificates that it trusts takes as long as a short search."""
    from selfrag.adapters.outbound import http_client_for

    return http_client_for(settings().web_base_url)


@once
def _secrets() -> Callable[..., str]:
    from selfrag.adapters.clients import secrets_client
    from selfrag.adapters.secrets import secrets_manager

    return secrets_manager(secrets_client())


# What the steps of ingestion need beside


@once
def objects() -> Objects:
    """The buckets."""
    from selfrag.adapters.clients import objects_client
    from selfrag.adapters.objects import S3Objects

    return S3Objects(objects_client(), ingestion_settings().work_bucket)


@once
def recognizer() -> Recognizer | None:
    """What reads the text off pictures of pages; None where text recognition is not switched on."""
    if not ingestion_settings().text_recognition:
        return None
    from selfrag.adapters.clients import objects_client, textract_client
    from selfrag.adapters.objects import S3Objects
    from selfrag.adapters.textract import TextractRecognizer

    return TextractRecognizer(textract_client(), S3Objects(objects_client(), ingestion_settings().recognized_bucket))


@once
def manifest() -> Manifest:
    """What is known of each document."""
    from selfrag.adapters.clients import manifest_client
    from selfrag.adapters.manifest import DynamoManifest

    return DynamoManifest(manifest_client(), ingestion_settings().documents_table)


# What the API needs beside


@once
def executions() -> Executions:
    """The state machines and the table of answers."""
    from selfrag.adapters.clients import states_client
    from selfrag.adapters.executions import Machines, StatesExecutions

    config = api_settings()
    machines = Machines(
        config.express_machine_arn, config.standard_machine_arn, config.answers_table, config.other_machines
    )
    return StatesExecutions(states_client(), requests_client(), machines)


@once
def requests_client() -> Any:
    """boto3's client of the tables of the API, also for Powertools' idempotency."""
    from selfrag.adapters import clients

    return clients.requests_client()


@once
def bindings() -> Bindings:
    """Which callers are bound to which collections."""
    from selfrag.adapters.bindings import DynamoBindings

    return DynamoBindings(requests_client(), api_settings().callers_table)


@once
def feedback() -> FeedbackBook:
    """What people said of answers."""
    from selfrag.adapters.feedback import DynamoFeedback

    return DynamoFeedback(requests_client(), api_settings().feedback_table)


@once
def uploads() -> Uploads:
    """The bucket that documents are dropped into."""
    from selfrag.adapters.clients import uploads_client
    from selfrag.adapters.objects import S3Uploads

    return S3Uploads(uploads_client(), api_settings().documents_bucket)
