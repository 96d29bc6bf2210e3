"""The settings of a deployment, read from `SELFRAG_*` environment variables by one reader.

They contain no secrets, only the ids of secrets in Secrets Manager.
"""

import unicodedata
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, StringConstraints, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from selfrag.domain.calls import Prices
from selfrag.domain.errors import Misconfigured
from selfrag.domain.policy import MAX_DEADLINE_SECONDS
from selfrag.runtime.deadline import STEP_SECONDS
from selfrag.runtime.models import DEFAULT_MODELS as DEFAULT_MODELS  # for who names the steps that ask a model
from selfrag.runtime.models import profile_models

# Raise it when the same file would be read or split differently than before: it is part of a document's version.
PASSAGES = "12"

Profile = Literal["thrifty", "balanced", "strict"]


def _one_paragraph(text: str) -> str:
    if any(unicodedata.category(letter) == "Cc" for letter in text):
        raise ValueError("it must be one paragraph, without line breaks and other control characters")
    return text


Guidance = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000), AfterValidator(_one_paragraph)]


class FromEnvironment(BaseSettings):
    """The base of all settings."""

    model_config = SettingsConfigDict(env_prefix="SELFRAG_", frozen=True, extra="ignore")


class Settings(FromEnvironment):
    """The settings of question answering: the model, the verdict cache and the web.

    `profile` is the choice of models. `models` maps steps to model ids that differ from the profile, and has all of
    them after validation; `grade_support_first` judges support before the step's own. `prices` extends or overrides the
    price table. `retrieval_guidance` describes an organisation's documents for the retrieval decision. `step_seconds`
    limits a model step, and `parallel` this process's concurrent model requests: a deployed function has one. `model`
    names a model of the chat-completions API at `model_url` that replaces Claude in all steps.
    """

    model: str = ""
    model_url: str = "http://127.0.0.1:11434/v1"
    model_provider: Literal["anthropic", "bedrock", "aws"] = "anthropic"
    model_base_url: str | None = None
    model_secret: str = ""
    model_timeout_seconds: float = Field(default=20.0, gt=0)
    step_seconds: float = Field(default=STEP_SECONDS, gt=0)
    parallel: int = Field(default_factory=lambda fields: 1 if fields["model"] else 6, ge=1)
    prices: dict[str, Prices] = {}
    profile: Profile = "balanced"
    models: Annotated[dict[str, str], AfterValidator(profile_models)] = Field(default={}, validate_default=True)

    verdicts_table: str = "selfrag-verdicts"
    verdict_ttl_days: int = Field(default=30, ge=1)

    web_base_url: str = "https://api.tavily.com"
    web_secret: str = ""
    web_include_domains: tuple[str, ...] = ()
    web_exclude_domains: tuple[str, ...] = ()
    web_timeout_seconds: float = Field(default=8.0, gt=0)

    console_links: bool = True

    retrieval_guidance: Guidance = ""


class CollectionSettings(FromEnvironment):
    """The address of the collection, and the shape of its index; `vector_dimensions` must be the embedder's."""

    collection_endpoint: str = Field(pattern=r"^https?://[^/]+/?$")
    collection_region: str | None = None
    # An idle collection answers its first request after 10 to 30 s.
    collection_timeout_seconds: float = Field(default=35.0, gt=0)
    index_name: str = Field(default="passages", pattern=r"^[a-z0-9][a-z0-9_-]*$")
    vector_dimensions: int = Field(default=512, ge=1, le=16_000)


class EmbeddingSettings(FromEnvironment):
    """The embedding of texts; `vector_dimensions` must be the index's."""

    # An environment variable is a string, which a Literal of numbers would refuse.
    vector_dimensions: Annotated[Literal[256, 512, 1024], BeforeValidator(int)] = 512
    embedding_timeout_seconds: float = Field(default=10.0, gt=0)
    embedding_region: str | None = None


class IngestionSettings(FromEnvironment):
    """The manifest and work bucket of ingestion.

    `view_seconds` is the index's refresh interval, after which a write is visible (about a minute; AWS gives no
    figure); `pipeline` identifies further inputs of the vectors: change it to reindex everything. `text_recognition` is
    Amazon Textract's mode for pages that have pictures but no text, up to `recognition_pages` per document;
    `recognized_bucket` keeps the text.
    """

    documents_table: str = "selfrag-documents"
    work_bucket: str = "selfrag-work"
    view_seconds: float = Field(default=90.0, ge=0)
    pipeline: str = "1"
    text_recognition: Literal["off", "lines"] = "off"
    recognition_pages: int = Field(default=500, ge=1, le=3000)
    recognized_bucket: str = "selfrag-recognized"

    @property
    def made_by(self) -> str:
        """Return the versions that passages and vectors depend on, besides a document's content."""
        return f"{PASSAGES} {self.pipeline}"


class ApiSettings(FromEnvironment):
    """The machines, tables and buckets of the API.

    If a guardrail checks answers, running questions are `guarded`: their texts are hidden. Without `uploads` the
    documents come from elsewhere. `collection_sleeps` if the collection scales to zero. `sync_deadline_seconds` limits
    the question in POST /v1/ask: API Gateway waits 29 s, which includes composing and returning the response.
    `max_cost_usd` and `deadline_seconds` apply to policies without these fields.
    """

    express_machine_arn: str = Field(pattern=r"^arn:")
    standard_machine_arn: str = Field(pattern=r"^arn:")
    answers_table: str = "selfrag-answers"
    requests_table: str = "selfrag-requests"
    feedback_table: str = "selfrag-feedback"
    documents_bucket: str = "selfrag-documents"
    web_search: bool = False
    guarded: bool = False
    uploads: bool = True
    collection_sleeps: bool = False
    sync_deadline_seconds: float = Field(default=25.0, ge=3.0, le=MAX_DEADLINE_SECONDS)
    max_cost_usd: float | None = Field(default=None, gt=0, le=100)
    deadline_seconds: float | None = Field(default=None, ge=3.0, le=MAX_DEADLINE_SECONDS)


class RelaySettings(FromEnvironment):
    """The function of the API, by its alias."""

    ask_function: str = Field(pattern=r"^arn:")


class AgentSettings(RelaySettings):
    """The functions that answer agents: the API's, and the one that searches."""

    retrieve_function: str = Field(pattern=r"^arn:")


class SpendingSettings(FromEnvironment):
    """The most dollars that all questions of a day may cost (None is no cap), and the table that has their sum."""

    daily_max_usd: float | None = Field(default=None, gt=0)
    requests_table: str = "selfrag-requests"


class SpanSettings(FromEnvironment):
    """The services that traces are sent to, the secrets with their headers and keys, and who sends.

    The variables of OpenTelemetry and Langfuse have the names that they have everywhere.
    """

    otlp_endpoint: str = Field(default="", validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    otlp_secret: str = ""
    otel_service: str = Field(default="selfrag", validation_alias="OTEL_SERVICE_NAME")
    otel_logs: str = Field(default="otlp", validation_alias="OTEL_LOGS_EXPORTER")
    langfuse_host: str = Field(default="", validation_alias=AliasChoices("LANGFUSE_BASE_URL", "LANGFUSE_HOST"))
    langfuse_secret: str = ""
    # Reasons of verdicts are sent where it is `true`, and no other text ever.
    capture: str = Field(default="", validation_alias="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")


class CallerSettings(FromEnvironment):
    """The authentication of callers (`none` on the laptop), and the origins whose pages browsers may call from.

    `callers_table` binds callers to collections. `cors_origins` has commas between origins, and is `*` for every page.
    """

    auth: Literal["api_key", "iam", "authorizer", "none"] = "api_key"
    callers_table: str = "selfrag-callers"
    cors_origins: str = ""

    @property
    def origins(self) -> tuple[str, ...]:
        """Return the origins, one by one."""
        return tuple(filter(None, self.cors_origins.split(",")))


S = TypeVar("S", bound=BaseSettings)


def read(kind: type[S], **values: Any) -> S:
    """Return settings of a kind as given, else as the environment has them.

    Raises Misconfigured with the names of the wrong ones.
    """
    try:
        return kind(**values)
    except ValidationError as error:
        wrong = "; ".join(f"SELFRAG_{'_'.join(map(str, e['loc'])).upper()}: {e['msg']}" for e in error.errors())
    except SettingsError as error:  # invalid JSON; the message has the field's name in quotes
        wrong = (
            f'SELFRAG_{str(error).split(chr(34))[1].upper()}: it is not valid JSON; write it like {{"name": "value"}}'
        )
    raise Misconfigured(f"the settings are wrong: {wrong}")
