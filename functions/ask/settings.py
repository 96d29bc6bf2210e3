"""The settings of the API, beside those that the steps share."""

from functools import cache

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from selfrag.errors import Misconfigured


class ApiSettings(BaseSettings):
    """Which machines answer, where answers and requests are kept, and what a caller may ask.

    `sync_deadline_seconds` is the most that POST /v1/ask may take for the question itself: API Gateway
    waits 29 s, and the response has to be composed and carried in what is left.
    """

    model_config = SettingsConfigDict(env_prefix="SELFRAG_", frozen=True, extra="ignore")

    express_machine_arn: str = Field(pattern=r"^arn:")
    standard_machine_arn: str = Field(pattern=r"^arn:")
    answers_table: str = "selfrag-answers"
    requests_table: str = "selfrag-requests"
    collections: tuple[str, ...] = Field(default=("documents",), min_length=1)
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
