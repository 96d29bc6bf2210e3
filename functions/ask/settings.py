"""The settings of the API, beside those that the steps share."""

from functools import cache
from typing import Annotated

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from selfrag.errors import Misconfigured

Collections = Annotated[tuple[str, ...], Field(min_length=1)]


class ApiSettings(BaseSettings):
    """Which machines answer, where answers, requests and documents are kept, and what a caller may ask.

    `key_collections` binds callers to collections: the id of an API key (not its value), or the ARN of an IAM user
    or role. Everyone else may ask `collections`.
    `sync_deadline_seconds` is the most that POST /v1/ask may take for the question itself: API Gateway
    waits 29 s, and the response has to be composed and carried in what is left.
    """

    model_config = SettingsConfigDict(env_prefix="SELFRAG_", frozen=True, extra="ignore")

    express_machine_arn: str = Field(pattern=r"^arn:")
    standard_machine_arn: str = Field(pattern=r"^arn:")
    answers_table: str = "selfrag-answers"
    requests_table: str = "selfrag-requests"
    documents_bucket: str = "selfrag-documents"
    collections: Collections = ("documents",)
    key_collections: dict[str, Collections] = {}
    web_search: bool = True
    sync_deadline_seconds: float = Field(default=25.0, ge=3.0, le=25.0)


@cache
def api_settings() -> ApiSettings:
    """Read the settings once per process; raises Misconfigured with the names that are wrong."""
    try:
        # mypy cannot know that the environment gives the required fields.
        return ApiSettings()  # type: ignore[call-arg]
    except ValidationError as error:
        wrong = "; ".join(f"SELFRAG_{'_'.join(map(str, e['loc'])).upper()}: {e['msg']}" for e in error.errors())
        raise Misconfigured(f"the settings of the API are wrong: {wrong}") from error
    except SettingsError as error:  # what should be JSON is not
        raise Misconfigured(f"the settings of the API are wrong: {error}") from error
