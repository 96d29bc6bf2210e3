"""The settings of the decision model's server, which most deployments leave empty, and of who judges each step."""

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from selfrag.domain.decisions import Thresholds
from selfrag.judging.graders import GraderKind
from selfrag.runtime.encryption import check_encrypted
from selfrag.runtime.settings import FromEnvironment, Profile

GRADERS = ("decide_retrieval", "grade_relevance", "grade_support", "grade_utility")
DeciderProtocol = Literal["systemone", "completions"]
# The default judges with a decision model, by profile.
_BY_PROFILE: dict[Profile, GraderKind] = {"thrifty": "decider", "balanced": "cascade", "strict": "claude"}


def _check_settings(url: str) -> str:
    if url and urlsplit(url).scheme not in ("http", "https"):
        raise ValueError("it must begin with https:// or http://")
    return check_encrypted(url)


def _check_graders(steps: dict[str, object]) -> dict[str, object]:
    if unknown := sorted(set(steps) - set(GRADERS)):
        raise ValueError(f"no such grader: {', '.join(unknown)}; the graders are {', '.join(GRADERS)}")
    return steps


class DeciderSettings(FromEnvironment):
    """The decision model: its server, its name and its key's secret, "" if it needs none.

    `decider_window_tokens` is the most that the model reads, questions included. `decider_price` is in US dollars per
    million input tokens. `decider_thresholds` are those of each step's cascade, and `graders` says who judges a step;
    without it, the profile does. `decider_protocol` is TypeSafe's, or `completions` of the paper's own model, whose
    reflection tokens are read.
    """

    profile: Profile = "balanced"
    decider_url: Annotated[str, AfterValidator(_check_settings)] = ""
    decider_protocol: DeciderProtocol = "systemone"
    decider_model: str = ""
    decider_secret: str = ""
    decider_window_tokens: int = Field(default=4096, ge=256)
    decider_price: float = Field(default=0.0, ge=0.0)
    decider_timeout_seconds: float = Field(default=5.0, gt=0)
    decider_thresholds: Annotated[dict[str, Thresholds], AfterValidator(_check_graders)] = {}
    graders: Annotated[dict[str, GraderKind], AfterValidator(_check_graders)] = {}

    @model_validator(mode="after")
    def _check_model(self) -> Self:
        if self.decider_url and not self.decider_model:
            raise ValueError("SELFRAG_DECIDER_URL names a server; name its model in SELFRAG_DECIDER_MODEL, too")
        if not self.decider_url and set(self.graders.values()) - {"claude"}:
            raise ValueError("a grader needs a decision model; name its server in SELFRAG_DECIDER_URL")
        return self

    def grader(self, step: str) -> GraderKind:
        """Return who judges a step."""
        return self.graders.get(step, _BY_PROFILE[self.profile]) if self.decider_url else "claude"

    def thresholds(self, step: str) -> Thresholds:
        """Return the thresholds of a step's cascade."""
        return self.decider_thresholds.get(step, Thresholds())
