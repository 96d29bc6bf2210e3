"""The profiles: which model judges what, and who is asked first."""

import json
from collections.abc import Iterator

import pytest

from selfrag import bootstrap
from selfrag.bootstrap import questions
from selfrag.domain.calls import Limits
from selfrag.domain.errors import Misconfigured
from selfrag.domain.steps import GradeSupportTask
from selfrag.question.grade_support.logic import grade
from selfrag.runtime.settings import Settings
from tests.support.asking import MemoryCalls
from tests.support.doubles.model_server import ModelServer
from tests.support.fakes import PROMPT, MemoryCache, any_secret, passage

HAIKU, SONNET = "claude-haiku-5-5", "claude-sonnet-5-5"
FIRST = "grade_support_first"


@pytest.mark.parametrize(
    ("profile", "strong", "first"),
    [
        ("thrifty", set(), None),
        ("balanced", {"generate", "grade_support"}, HAIKU),
        ("strict", {"generate", "grade_support", "grade_utility"}, None),
    ],
)
def test_a_profile_says_which_model_judges_what(
    profile: str, strong: set[str], first: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_PROFILE", profile)
    models = Settings().models
    assert {step for step, model in models.items() if model == SONNET} == strong
    assert models.get(FIRST) == first
    assert len(models) == 6 + (first is not None)


def test_balanced_is_the_profile_of_who_chooses_none() -> None:
    assert Settings() == Settings(profile="balanced")


def test_models_changes_single_steps_of_the_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_PROFILE", "thrifty")
    monkeypatch.setenv("SELFRAG_MODELS", json.dumps({"generate": "claude-opus-5-5"}))
    models = Settings().models
    assert (models["generate"], models["grade_support"]) == ("claude-opus-5-5", HAIKU)


def test_first_judge_is_set_in_any_profile_unless_it_repeats_final_judge() -> None:
    assert Settings(profile="strict", models={FIRST: HAIKU}).models[FIRST] == HAIKU
    assert FIRST not in Settings(models={"grade_support": HAIKU}).models
    assert FIRST not in Settings(models={FIRST: SONNET}).models


@pytest.mark.parametrize(
    ("name", "value"), [("SELFRAG_PROFILE", "cheap"), ("SELFRAG_MODELS", '{"generate_first": "x"}')]
)
def test_a_profile_or_step_that_is_not_there_is_named(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=name):
        bootstrap.question_settings()


@pytest.fixture
def cache() -> MemoryCache:
    return MemoryCache()


@pytest.fixture
def server(cache: MemoryCache, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Yield a model whose support verdict quotes a passage."""
    with ModelServer() as running, bootstrap.using(secrets=any_secret, verdicts=cache, recent_calls=MemoryCalls()):
        monkeypatch.setenv("SELFRAG_MODEL_BASE_URL", running.url)
        yield running


def judged(limits: Limits) -> list[str]:
    """Return the models that judge an answer, in their order."""
    bootstrap.forget()
    task = GradeSupportTask(question="?", answer="25 days.", passages=[passage()], **limits.model_dump())
    return [call.model for call in grade(task, questions.grader("grade_support", PROMPT)(limits)).calls]


@pytest.mark.parametrize(("profile", "models"), [("thrifty", [HAIKU]), ("balanced", [HAIKU]), ("strict", [SONNET])])
def test_an_answer_that_nobody_doubts_is_judged_once(
    profile: str, models: list[str], server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_PROFILE", profile)
    assert judged(Limits()) == models
    assert judged(Limits()) == []  # remembered
    assert judged(Limits(cache=False)) == models


@pytest.mark.parametrize(
    ("profile", "models"), [("thrifty", [HAIKU]), ("balanced", [HAIKU, SONNET]), ("strict", [SONNET])]
)
def test_unsupported_number_is_regraded_by_a_stronger_model(
    profile: str, models: list[str], server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SELFRAG_PROFILE", profile)
    wrong = {"claim": "Leave is 26 days a year.", "support": "full", "passages": [1], "missing": ""}
    server.answers["grade_support"] = lambda body: {"claims": [wrong]}
    assert judged(Limits()) == models


def test_result_lists_cache_key_of_each_verdict(server: ModelServer, cache: MemoryCache) -> None:
    claim = {"claim": "26 days.", "support": "full", "passages": [1], "missing": ""}
    server.answers["grade_support"] = lambda body: {"claims": [claim]}
    task = GradeSupportTask(question="?", answer="26 days.", passages=[passage()])
    result = grade(task, questions.grader("grade_support", PROMPT)(Limits()))
    assert len(result.judged) == 2
    assert {judged.key: judged.verdict for judged in result.judged} == cache.kept
    remembered = grade(task, questions.grader("grade_support", PROMPT)(Limits()))
    unremembered = grade(task, questions.grader("grade_support", PROMPT)(Limits(cache=False)))
    assert result.judged == remembered.judged == unremembered.judged
    server.answers["grade_support"] = lambda body: {"claims": []}
    assert grade(task, questions.grader("grade_support", PROMPT)(Limits(cache=False))).judged == []


def test_both_judges_share_what_the_step_may_spend(server: ModelServer) -> None:
    server.answers["grade_support"] = lambda body: {
        "claims": [{"claim": "26 days.", "support": "full", "passages": [1], "missing": ""}]
    }
    task = GradeSupportTask(question="?", answer="26 days.", passages=[passage()])
    # Enough for the small model, and not for the stronger one.
    result = grade(task, questions.grader("grade_support", PROMPT)(Limits(budget_usd=0.002)))
    assert [call.model for call in result.calls] == [HAIKU]
    assert (result.verdict.level, result.error) == ("ungraded", "BudgetExceeded")


def test_missing_verdict_is_the_reason_if_the_stronger_judge_is_unaffordable(server: ModelServer) -> None:
    server.answers["grade_support"] = lambda body: {"claims": []}
    task = GradeSupportTask(question="?", answer="26 days.", passages=[passage()])
    result = grade(task, questions.grader("grade_support", PROMPT)(Limits(budget_usd=0.002)))
    assert [call.model for call in result.calls] == [HAIKU]
    assert (result.verdict.level, result.error, result.flaw, result.attempts) == ("ungraded", None, "malformed", 1)
