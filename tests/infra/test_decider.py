"""A decision model in the Terraform: nothing of it unless it is asked for, and then the four graders alone have it."""

import json

import pytest

from tests.support.infra.planned import Planner

GRADERS = {"decide_retrieval", "grade_relevance", "grade_support", "grade_utility"}
MEASURED = {grader: {"upper": 0.95, "lower": 0.2} for grader in ("decide_retrieval", "grade_support")}
JEV = {"url": "https://api.typesafe.ai", "model": "jev-latest", "window_tokens": 32000, "price": 0.042}


def test_without_one_no_function_is_told_of_it(planned: Planner) -> None:
    usual = planned()
    assert not any(usual.told.values())
    assert not [address for address in usual.resources if ".decider" in address]


def test_the_four_graders_have_its_settings_and_nobody_else(planned: Planner) -> None:
    found = planned(
        decider={**JEV, "thresholds": {"grade_utility": {"upper": 0.8, "lower": 0.3}}},
        graders={"grade_support": "cascade"},
        decider_thresholds=MEASURED,
    )
    told = {step: settings for step, settings in found.told.items() if settings}
    assert told.keys() == GRADERS
    for settings in told.values():
        assert settings["SELFRAG_DECIDER_URL"] == JEV["url"]
        assert json.loads(settings["SELFRAG_GRADERS"]) == {"grade_support": "cascade"}
        limits = json.loads(settings["SELFRAG_DECIDER_THRESHOLDS"])
        assert limits == {"grade_utility": {"upper": 0.8, "lower": 0.3}, **MEASURED}
        assert "SELFRAG_DECIDER_SECRET" not in settings
    assert found.resources.keys() == planned().resources.keys()


def test_plan_warns_of_decider_without_thresholds(planned: Planner) -> None:
    with pytest.raises(AssertionError, match="Check block assertion failed"):
        planned(decider={**JEV, "thresholds": {"grade_support": MEASURED["grade_support"]}})


def test_decider_key_secret_is_empty_and_readable_by_graders_only(planned: Planner) -> None:
    found = planned(decider={**JEV, "secret": True, "thresholds": MEASURED})
    assert found.resources.keys() - planned().resources.keys() == {"aws_secretsmanager_secret.decider[0]"}
    readers = {
        who
        for who, statements in found.allowed.items()
        if "ReadDeciderKey" in {statement["sid"] for statement in statements}
    }
    assert readers == {f'step["{step}"]' for step in GRADERS}
