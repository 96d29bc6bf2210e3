"""Services of the laptop: real ones if a key is set, else rule-based stand-ins."""

import json
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from selfrag.bootstrap import Parts, question_settings, shared
from selfrag.domain.base import Model
from selfrag.domain.decisions import Thresholds
from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.domain.policy import MAX_DEADLINE_SECONDS
from selfrag.domain.verdicts import RULE_MODEL
from selfrag.judging.graders import GraderKind
from selfrag.ports.model import Prompt
from selfrag.runtime.decider_settings import DeciderSettings
from selfrag.runtime.models import DEFAULT_MODELS, FIRST
from selfrag.runtime.settings import Settings, read
from selfrag_cli.local.home import home
from selfrag_cli.local.sources.source import DocumentSource
from selfrag_cli.sample import WEB

if TYPE_CHECKING:
    from selfrag.domain.questions import AskRequest

LOCAL_DEADLINE_SECONDS = 180.0
MODEL_SECRET, WEB_SECRET, DECIDER_SECRET = "selfrag/model-key", "selfrag/web-key", "selfrag/decider-key"
LANGFUSE_KEYS = "selfrag/langfuse-keys"


@dataclass(frozen=True)
class Setup:
    """Overrides of the settings: a profile ("" for none), and prompts by the step's folder."""

    profile: str = ""
    prompts: tuple[tuple[str, Prompt], ...] = ()


DEFAULT_SETUP = Setup()


class AdoptedGraders(Model):
    """The judge of each step and the thresholds of cascades, as Terraform variables and local settings."""

    graders: dict[str, GraderKind] = {}
    decider_thresholds: dict[str, Thresholds] = {}

    def adopt(self, step: str, grader: GraderKind, thresholds: Thresholds | None) -> "AdoptedGraders":
        """Return a copy with this step's graders replaced."""
        others = {name: value for name, value in self.decider_thresholds.items() if name != step}
        adopted = {step: thresholds} if thresholds else {}
        return AdoptedGraders(graders={**self.graders, step: grader}, decider_thresholds={**others, **adopted})

    def write(self, path: Path) -> None:
        """Write a file; raises InvalidInput on failure."""
        try:
            path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def adopted_file() -> Path:
    """Return the path of the laptop's adopted graders."""
    return home() / "graders.json"


def read_adopted(path: Path) -> AdoptedGraders:
    """Read adopted graders, empty without a file; raises Misconfigured for invalid content."""
    try:
        return AdoptedGraders.model_validate_json(path.read_bytes()) if path.exists() else AdoptedGraders()
    except (OSError, ValidationError) as error:
        sentence = f"{path} does not say who judges which step: delete it, and run `selfrag eval graders --adopt`."
        raise Misconfigured(sentence) from error


def check_services() -> None:
    """Raise Misconfigured for an invalid base URL or an unusable setting."""
    read(Settings)
    read(DeciderSettings)
    for name in ("ANTHROPIC_BASE_URL", "TAVILY_BASE_URL", "SELFRAG_MODEL_URL"):
        if url := os.environ.get(name):
            # Imported late: it loads an HTTP client that the stand-in does not need.
            from selfrag.adapters.outbound import checked_url

            checked_url(url, name)


def has_web(source: DocumentSource) -> bool:
    """Return whether questions can search the web: by a service, or the sample's pages."""
    return any(map(os.environ.get, ("TAVILY_API_KEY", "TAVILY_BASE_URL"))) or (is_offline() and source.is_sample)


def policy_fields(request: "AskRequest", source: DocumentSource) -> dict[str, bool | float]:
    """Return this machine's defaults for policy fields that the request does not set.

    Setting TAVILY_API_KEY enables the web here, whereas deployments default to off. Local models are slow and get a
    longer deadline.
    """
    policy, names = request.policy, request.policy.model_fields_set
    web_search = has_web(source) and (policy.web_search or "web_search" not in names)
    slow = bool(os.environ.get("SELFRAG_MODEL")) and "deadline_seconds" not in names
    return {"web_search": web_search, "deadline_seconds": LOCAL_DEADLINE_SECONDS if slow else policy.deadline_seconds}


def local_model_in_short(seconds: float) -> list[str]:
    """Return a line on the model of SELFRAG_MODEL, its server and the deadline; None without one."""
    if not os.environ.get("SELFRAG_MODEL"):
        return []
    from selfrag.adapters.outbound import host_of

    settings = read(Settings)
    return [f"{settings.model} at {host_of(settings.model_url)} has {seconds:g} seconds for an answer."]


def is_offline() -> bool:
    """Return whether the stand-in answers because no service is configured."""
    return not any(map(os.environ.get, ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "SELFRAG_MODEL")))


class Backends(NamedTuple):
    """The handlers' environment and secrets; `parts` are stand-ins."""

    environment: dict[str, str]
    secrets: dict[str, str]
    parts: Parts


def choose_backends(source: DocumentSource) -> Backends:
    """Choose services by ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, TAVILY_API_KEY and TAVILY_BASE_URL.

    SELFRAG_MODEL (with SELFRAG_MODEL_KEY, if required) takes precedence over Claude. The decision model of
    SELFRAG_DECIDER_URL (with SELFRAG_DECIDER_KEY, if required) also judges the stand-in's quotes; adopted graders apply
    unless the environment overrides them. The offline web pages are only for the sample documents.
    """
    key, web_key = os.environ.get("ANTHROPIC_API_KEY", ""), os.environ.get("TAVILY_API_KEY", "")
    web_url, most_seconds = os.environ.get("TAVILY_BASE_URL", ""), str(MAX_DEADLINE_SECONDS)
    environment = {
        "SELFRAG_MODEL_SECRET": MODEL_SECRET,
        "SELFRAG_WEB_SECRET": WEB_SECRET,
        "SELFRAG_LANGFUSE_SECRET": LANGFUSE_KEYS,
        "SELFRAG_CONSOLE_LINKS": "false",
        # Only the question's deadline limits steps here.
        "SELFRAG_STEP_SECONDS": most_seconds,
        "SELFRAG_SYNC_DEADLINE_SECONDS": most_seconds,
        "SELFRAG_MODEL_TIMEOUT_SECONDS": os.environ.get("SELFRAG_MODEL_TIMEOUT_SECONDS", most_seconds),
    }
    langfuse_keys = (os.environ.get(f"LANGFUSE_{kind}_KEY", "") for kind in ("PUBLIC", "SECRET"))
    secrets = {
        MODEL_SECRET: key or "offline", WEB_SECRET: web_key or "offline", LANGFUSE_KEYS: ":".join(langfuse_keys)
    }  # fmt: skip
    parts: Parts = {}
    if decider_key := os.environ.get("SELFRAG_DECIDER_KEY"):
        environment["SELFRAG_DECIDER_SECRET"] = DECIDER_SECRET
        secrets[DECIDER_SECRET] = decider_key
    if os.environ.get("SELFRAG_DECIDER_URL"):
        adopted = read_adopted(adopted_file()).model_dump()
        settings = {f"SELFRAG_{name.upper()}": json.dumps(value) for name, value in adopted.items()}
        environment |= {name: value for name, value in settings.items() if not os.environ.get(name)}
    if os.environ.get("SELFRAG_MODEL"):
        secrets[MODEL_SECRET] = os.environ.get("SELFRAG_MODEL_KEY", "")
        environment["SELFRAG_DEADLINE_SECONDS"] = str(LOCAL_DEADLINE_SECONDS)
    if base_url := os.environ.get("ANTHROPIC_BASE_URL"):
        environment["SELFRAG_MODEL_BASE_URL"] = base_url
    if web_url:
        environment["SELFRAG_WEB_BASE_URL"] = web_url
    if is_offline():
        from selfrag_cli.local.index import open_embedder
        from selfrag_cli.local.stand_in.claude import RuleClaude

        similarity = open_embedder().similarity
        environment["SELFRAG_MODELS"] = json.dumps(dict.fromkeys([*DEFAULT_MODELS, FIRST], RULE_MODEL))
        environment["SELFRAG_PRICES"] = json.dumps({RULE_MODEL: [0, 0, 0]})
        # Rules cost neither time nor money, so limits are ignored.
        parts["claude"] = lambda limits: RuleClaude(question_settings().models, shared.clock(), similarity)
        if has_web(source) and not web_key and not web_url:
            from selfrag_cli.local.stand_in.web import search_pages

            parts["web"] = lambda deadline_ms: partial(search_pages, WEB)
            environment["SELFRAG_WEB_EXCLUDE_DOMAINS"] = '["spam.example.net"]'
    return Backends(environment, secrets, parts)
