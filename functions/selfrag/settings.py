"""The settings of a deployment, read from `SELFRAG_*` environment variables.

No secret stands here: secrets are named by their id in Secrets Manager.
"""

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ImportString, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from selfrag.errors import Misconfigured
from selfrag.profiles import Prices

Provider = Literal["anthropic", "bedrock", "aws"]

GRADER = "claude-haiku-5-5"
WRITER = "claude-sonnet-5-5"
DEFAULT_MODELS: dict[str, str] = {
    "decide_retrieval": GRADER,
    "grade_relevance": GRADER,
    "generate": WRITER,
    "grade_support": WRITER,
    "grade_utility": GRADER,
    "rewrite_question": GRADER,
}


def _with_defaults(models: dict[str, str]) -> dict[str, str]:
    unknown = sorted(set(models) - set(DEFAULT_MODELS))
    if unknown:
        raise ValueError(f"no such step: {', '.join(unknown)}; the steps are {', '.join(DEFAULT_MODELS)}")
    return {**DEFAULT_MODELS, **models}


class Settings(BaseSettings):
    """One deployment's configuration.

    `models` maps a step's folder to a model id and may name only the steps to change.
    `prices` adds models to the price table, or replaces their prices.
    `passage_index` and `embedder` are import paths of factories without arguments, which
    give a `selfrag.passages.PassageIndex` and a `selfrag.embeddings.Embedder`.
    """

    model_config = SettingsConfigDict(env_prefix="SELFRAG_", frozen=True, extra="ignore")

    model_provider: Provider = "anthropic"
    model_base_url: str | None = None
    model_secret: str = ""
    model_timeout_seconds: float = Field(default=20.0, gt=0)
    prices: dict[str, Prices] = {}
    models: Annotated[dict[str, str], AfterValidator(_with_defaults)] = Field(default=DEFAULT_MODELS)

    verdicts_table: str = "selfrag-verdicts"
    verdict_ttl_days: int = Field(default=30, ge=1)

    passage_index: ImportString[Any] | None = None
    embedder: ImportString[Any] | None = None

    web_base_url: str = "https://api.tavily.com"
    web_secret: str = ""
    web_include_domains: tuple[str, ...] = ()
    web_exclude_domains: tuple[str, ...] = ()
    web_timeout_seconds: float = Field(default=8.0, gt=0)

    console_links: bool = True


@cache
def settings() -> Settings:
    """Read the settings once per process; raises Misconfigured with the names that are wrong."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = "; ".join(f"SELFRAG_{'_'.join(map(str, e['loc'])).upper()}: {e['msg']}" for e in error.errors())
        raise Misconfigured(f"the settings are wrong: {wrong}") from error
