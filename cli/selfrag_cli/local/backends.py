"""Services of the laptop: the real ones when a key is there, else stand-ins that answer by rule."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

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
from selfrag_cli.local.traces import KEYS_NAME, langfuse_keys
from selfrag_cli.sample import WEB

if TYPE_CHECKING:
    from selfrag.domain.calls import Limits
    from selfrag.domain.questions import AskRequest
    from selfrag.ports.model import Claude

LOCAL_DEADLINE_SECONDS = 180.0
MODEL_SECRET, WEB_SECRET, DECIDER_SECRET = "selfrag/model-key", "selfrag/web-key", "selfrag/decider-key"
_MODEL_TIMEOUT = "SELFRAG_MODEL_TIMEOUT_SECONDS"


@dataclass(frozen=True)
class Setup:
    """Overrides of the settings: a profile ("" for none), and prompts by the step's folder."""

    profile: str = ""
    prompts: tuple[tuple[str, Prompt], ...] = ()


AS_SET = Setup()


class AdoptedGraders(Model):
    """The kind of judge of each step, and a cascade's thresholds: two variables of Terraform, and two settings here."""

    graders: dict[str, GraderKind] = {}
    decider_thresholds: dict[str, Thresholds] = {}

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings by the names of their environment variables."""
        return {f"SELFRAG_{name.upper()}": json.dumps(value) for name, value in self.model_dump().items()}

    def adopt(self, step: str, grader: GraderKind, thresholds: Thresholds | None) -> "AdoptedGraders":
        """Return the graders with this step's replaced."""
        others = {name: value for name, value in self.decider_thresholds.items() if name != step}
        adopted = {step: thresholds} if thresholds else {}
        return AdoptedGraders(graders={**self.graders, step: grader}, decider_thresholds={**others, **adopted})

    def write(self, path: Path) -> None:
        """Write a file; raises InvalidInput where that fails."""
        try:
            path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def adopted_file() -> Path:
    """Return the file that the laptop reads."""
    return home() / "graders.json"


def read_adopted(path: Path) -> AdoptedGraders:
    """Read a file, and nothing where there is none; raises Misconfigured for one that holds something else."""
    try:
        return AdoptedGraders.model_validate_json(path.read_bytes()) if path.exists() else AdoptedGraders()
    except (OSError, ValidationError) as error:
        sentence = f"{path} does not say who judges which step: delete it, and run `selfrag eval graders --adopt`."
        raise Misconfigured(sentence) from error


def check_services() -> None:
    """Raise Misconfigured for a base URL that is none, and for a setting that no step could use."""
    read(Settings)
    read(DeciderSettings)
    for name in ("ANTHROPIC_BASE_URL", "TAVILY_BASE_URL", "SELFRAG_MODEL_URL"):
        if url := os.environ.get(name):
            # It loads a client of HTTP, which the stand-in has no use for.
            from selfrag.adapters.outbound import checked_url

            checked_url(url, name)


def has_web(source: DocumentSource) -> bool:
    """Return whether questions to a source can go to the web: by a service, or by the pages of the sample documents."""
    return any(map(os.environ.get, ("TAVILY_API_KEY", "TAVILY_BASE_URL"))) or (is_offline() and source.is_sample)


def policy_fields(request: "AskRequest", source: DocumentSource) -> dict[str, bool | float]:
    """Return the fields of a question's policy that this machine decides, where the request does not.

    Who sets TAVILY_API_KEY has chosen the web for this machine; a deployment's default is no. A model of this machine
    is slow, so it has a longer deadline.
    """
    policy, names = request.policy, request.policy.model_fields_set
    web_search = has_web(source) and (policy.web_search or "web_search" not in names)
    slow = bool(os.environ.get("SELFRAG_MODEL")) and "deadline_seconds" not in names
    return {"web_search": web_search, "deadline_seconds": LOCAL_DEADLINE_SECONDS if slow else policy.deadline_seconds}


def local_model_in_short(seconds: float) -> list[str]:
    """Return a line that names the model of SELFRAG_MODEL, its server and a question's deadline; none without one."""
    if not os.environ.get("SELFRAG_MODEL"):
        return []
    from selfrag.adapters.outbound import host_of

    settings = read(Settings)
    return [f"{settings.model} at {host_of(settings.model_url)} has {seconds:g} seconds for an answer."]


def is_offline() -> bool:
    """Return whether the stand-in answers, for no service is named."""
    return not any(map(os.environ.get, ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "SELFRAG_MODEL")))


@dataclass
class Backends:
    """The handlers' environment, the secrets they read, and whether there is a web; `parts` are the stand-in's."""

    environment: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    parts: Parts = field(default_factory=lambda: Parts())
    has_web: bool = False


def _by_rule() -> "Callable[[Limits], Claude]":
    """Return a factory of the stand-in, which has no use for the limits of a task: it spends neither time nor money."""
    from selfrag_cli.local.index import open_embedder
    from selfrag_cli.local.stand_in.claude import RuleClaude

    similarity = open_embedder().similarity
    return lambda limits: RuleClaude(question_settings().models, shared.clock(), similarity)


@contextmanager
def chosen_backends(source: DocumentSource) -> Iterator[Backends]:
    """Choose by ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, TAVILY_API_KEY and TAVILY_BASE_URL.

    The model of SELFRAG_MODEL, with the key SELFRAG_MODEL_KEY if its server wants one, comes before Claude.
    The decision model of SELFRAG_DECIDER_URL, which judges what the stand-in quotes, too, has SELFRAG_DECIDER_KEY where
    it wants a key; who judges which step, and from which probability on, is what was adopted here, unless the
    environment says it.
    The pages of the offline web belong to the sample documents, so no other directory gets them, nor a named
    collection.
    """
    backends = Backends(
        environment={
            "SELFRAG_MODEL_SECRET": MODEL_SECRET,
            "SELFRAG_WEB_SECRET": WEB_SECRET,
            "SELFRAG_LANGFUSE_SECRET": KEYS_NAME,
            "SELFRAG_CONSOLE_LINKS": "false",
            # The deadline of a question is its only limit here.
            "SELFRAG_STEP_SECONDS": str(MAX_DEADLINE_SECONDS),
            "SELFRAG_SYNC_DEADLINE_SECONDS": str(MAX_DEADLINE_SECONDS),
            "SELFRAG_MODEL_TIMEOUT_SECONDS": os.environ.get(_MODEL_TIMEOUT, str(MAX_DEADLINE_SECONDS)),
        }
    )
    key, base_url = os.environ.get("ANTHROPIC_API_KEY", ""), os.environ.get("ANTHROPIC_BASE_URL", "")
    web_key, web_url = os.environ.get("TAVILY_API_KEY", ""), os.environ.get("TAVILY_BASE_URL", "")
    if decider_key := os.environ.get("SELFRAG_DECIDER_KEY"):
        backends.environment["SELFRAG_DECIDER_SECRET"] = DECIDER_SECRET
        backends.secrets[DECIDER_SECRET] = decider_key
    if os.environ.get("SELFRAG_DECIDER_URL"):
        adopted = read_adopted(adopted_file()).settings
        backends.environment |= {name: value for name, value in adopted.items() if not os.environ.get(name)}
    offline = is_offline()
    backends.has_web = has_web(source)
    backends.secrets |= {MODEL_SECRET: key or "offline", WEB_SECRET: web_key or "offline", KEYS_NAME: langfuse_keys()}
    if os.environ.get("SELFRAG_MODEL"):
        backends.secrets[MODEL_SECRET] = os.environ.get("SELFRAG_MODEL_KEY", "")
        backends.environment["SELFRAG_DEADLINE_SECONDS"] = str(LOCAL_DEADLINE_SECONDS)
    if base_url:
        backends.environment["SELFRAG_MODEL_BASE_URL"] = base_url
    if web_url:
        backends.environment["SELFRAG_WEB_BASE_URL"] = web_url
    if offline:
        backends.environment["SELFRAG_MODELS"] = json.dumps(dict.fromkeys([*DEFAULT_MODELS, FIRST], RULE_MODEL))
        backends.environment["SELFRAG_PRICES"] = json.dumps({RULE_MODEL: [0, 0, 0]})
        backends.parts = {"claude": _by_rule()}
        if backends.has_web and not web_key and not web_url:
            from selfrag_cli.local.stand_in.web import SamplePages

            pages = SamplePages(WEB)
            backends.parts["web"] = lambda deadline_ms: pages
            backends.environment["SELFRAG_WEB_EXCLUDE_DOMAINS"] = '["spam.example.net"]'
    yield backends
