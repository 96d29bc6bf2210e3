"""Parts of a question's steps: Claude with its prompts and its verdict cache."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from selfrag.bootstrap import forget, question_settings, warm
from selfrag.bootstrap.decider import decider, decider_settings, prepare
from selfrag.bootstrap.shared import clock, model_slots, recent_calls, secrets, verdicts_client
from selfrag.runtime.metrics import count_event, emit
from selfrag.runtime.models import first_of
from selfrag.runtime.observability import logger
from selfrag.runtime.parts import part

if TYPE_CHECKING:
    from selfrag.adapters.claude.capabilities import Capabilities
    from selfrag.adapters.model import ServiceModel
    from selfrag.domain.calls import Limits, Prices
    from selfrag.judging.graders import DecisionGrader, Grader
    from selfrag.judging.models import CachedReplies
    from selfrag.ports.cache import VerdictCache
    from selfrag.ports.model import Claude, Prompt
    from selfrag.runtime.settings import Settings


def grader(
    step: str, prompt: "Prompt", name: str = "", guidance: "Callable[[], str]" = lambda: "", module: str = ""
) -> "Callable[[Limits], Grader]":
    """Return a factory of a step's judge for a task's limits, and warm its model.

    A step with several prompts gives each a `name` for overrides. `guidance` is appended to the prompt. `module` is the
    step's handler if a decision model may judge by its questions.yaml.
    """
    from selfrag.judging.graders import Grader
    from selfrag.judging.prompts import add_guidance

    claude, first, rubric = model(step), first_of(step), prompt_for(name or step, prompt)
    if module:
        warm(partial(prepare, module))

    def build(limits: "Limits") -> Grader:
        judge = Grader(step, add_guidance(rubric(), guidance()), claude(limits))
        if first in question_settings().models:
            # One model for both: they share the task's budget.
            judge = replace(judge, smaller=replace(judge, step=first))
        return replace(judge, decider=_decision_grader(step, module, limits, judge)) if module else judge

    return build


def _decision_grader(step: str, module: str, limits: "Limits", judge: "Grader") -> "DecisionGrader | None":
    """Return the decision model that judges a step first, or None.

    The rule-based stand-in gets no cascade, since it could not resolve doubts.
    """
    config = decider_settings()
    kind = config.grader(step)
    if kind == "claude":
        return None
    from selfrag.judging.graders import DecisionGrader
    from selfrag.judging.models import CachedDecider
    from selfrag.judging.questions import load_questions

    cached = CachedDecider(decider()(limits), _replies(step, limits))
    doubts = kind == "cascade" and judge.judged_by != "rule"
    thresholds, measured = config.thresholds(step) if doubts else None, step in config.decider_thresholds
    return DecisionGrader(step, cached, load_questions(module), thresholds, measured)


def prompt_for(step: str, prompt: "Prompt") -> "Callable[[], Prompt]":
    """Return a function that returns a step's prompt, or its override.

    Models of the chat-completions API get the shorter prompt, if the step has one.
    """
    return lambda: prompts().get(step) or (prompt.local if question_settings().model and prompt.local else prompt)


@part("prompts")
def prompts() -> "Mapping[str, Prompt]":
    """Return overrides of the steps' prompts, by step: none by default."""
    return {}


def model(step: str) -> "Callable[[Limits], Claude]":
    """Return a factory of a step's Claude for a task's limits, and warm it.

    The verdict cache is used if the task allows it.
    """
    from selfrag.judging.models import CachedClaude

    warm(claude, partial(_clients_of, step), verdicts, recent_calls)

    def build(limits: "Limits") -> "Claude":
        return CachedClaude(claude()(limits), _replies(step, limits))

    return build


def _replies(step: str, limits: "Limits") -> "CachedReplies":
    from selfrag.judging.models import CachedReplies

    return CachedReplies(verdicts() if limits.cache else None, limits.collections, partial(_cache_failed, step))


def _cache_failed(step: str, error: Exception) -> None:
    count_event(step, "VerdictCacheFailures")
    logger.warning("the verdict cache failed", extra={"error": type(error).__name__})


@part("claude")
def claude() -> "Callable[[Limits], Claude]":
    """Return a factory of Claude for a task's limits, without a cache.

    The client is loaded with the first request; cached verdicts need none.
    """
    from selfrag.judging.models import LazyModel

    def build(limits: "Limits") -> "Claude":
        from selfrag.adapters.claude.cost_budget import CostBudget
        from selfrag.runtime.pace import Pace

        config, seconds = question_settings(), question_settings().model_timeout_seconds
        # All models of a task share its time and budget.
        pace = Pace(clock(), recent_calls(), seconds, limits.deadline_ms, config.step_seconds, model_slots())
        cost_budget = CostBudget(limits.budget_usd, {**_free_models(config), **config.prices})

        def make(model: str) -> "Claude":
            service = service_of(config, model)
            return service(_client_for(model), config.models, pace, cost_budget, capabilities(), _rotate_key)

        return LazyModel(config.models, make)

    return build


def _free_models(config: "Settings") -> "dict[str, Prices]":
    """Return zero prices for models of a local server."""
    if not config.model:
        return {}
    from selfrag.adapters.outbound import is_loopback

    return dict.fromkeys(config.models.values(), (0.0, 0.0, 0.0)) if is_loopback(config.model_url) else {}


def service_of(config: "Settings", model: str) -> "type[ServiceModel]":
    """Return the class for the API of a model's service."""
    if config.model:
        from selfrag.adapters.chat import ChatModel

        return ChatModel
    if _converses(config, model):
        from selfrag.adapters.converse import ConverseModel

        return ConverseModel
    # The layer of the functions has no anthropic SDK, whose import takes four fifths of a cold start.
    if find_spec("anthropic") is None:
        from selfrag.adapters.claude.http import HttpClaude

        return HttpClaude
    from selfrag.adapters.claude.sdk import SdkClaude

    return SdkClaude


@part("capabilities")
def capabilities() -> "Capabilities":
    """Create the record of refused features, which lives as long as the function."""
    from selfrag.adapters.claude.capabilities import Capabilities

    return Capabilities(_feature_refused, lambda model: service_of(question_settings(), model).profile(model))


def _feature_refused(model: str, feature: str) -> None:
    emit({"feature": feature}, {"RefusedFeatures": 1})
    logger.warning("a model refused a feature of requests", extra={"model": model, "feature": feature})


@part("verdicts")
def verdicts() -> "VerdictCache":
    """Make the verdict cache."""
    from selfrag.adapters.verdicts import DynamoVerdicts

    config = question_settings()
    return DynamoVerdicts(verdicts_client(), config.verdicts_table, config.verdict_ttl_days)


@part("claude_client")
def claude_client() -> Any:
    """Make the client of the model's service; raises Misconfigured when its key cannot be read."""
    config = question_settings()
    needs_key = config.model_secret if config.model else config.model_provider == "anthropic"
    return service_of(config, "").connect(config, _model_key() if needs_key else "")


@part("converse_client")
def converse_client() -> Any:
    """Make the clients of other vendors' models on Bedrock."""
    from selfrag.adapters.converse import ConverseModel

    return ConverseModel.connect(question_settings(), "")


def _clients_of(step: str) -> None:
    models = question_settings().models
    for name in {step, first_of(step)} & models.keys():
        _client_for(models[name])


def _client_for(model: str) -> Any:
    return converse_client() if _converses(question_settings(), model) else claude_client()


def _converses(config: "Settings", model: str) -> bool:
    """Return whether a model is another vendor's on Bedrock."""
    from selfrag.adapters.claude.profiles import is_claude

    return config.model_provider == "bedrock" and not config.model and not is_claude(model)


def _model_key(*, anew: bool = False) -> str:
    return secrets()(question_settings().model_secret, "SELFRAG_MODEL_SECRET", anew=anew)


def _rotate_key(refused: Any) -> Any | None:
    """Return a client with the secret's current key, kept from now on; None if it is the refused one."""
    config = question_settings()
    if config.model_provider != "anthropic" or not config.model_secret or _model_key(anew=True) == refused.api_key:
        return None
    forget(claude_client)
    renewed = claude_client()
    # An override stays.
    return None if renewed is refused else renewed
