"""`selfrag doctor` has Step Functions read the definitions before anything is deployed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfrag_cli.doctor import definitions
from selfrag_cli.doctor.definitions import recorded_states
from selfrag_cli.doctor.findings import Finding, Severity
from selfrag_cli.local.definitions import QUESTION, REINDEX, definition_of
from tests.support.doubles.aws_account import NOT_ALLOWED, Refused
from tests.support.examined import findings
from tests.support.recorded_states import NAMES, left

Change = Callable[[Any], None]


def examined_with(monkeypatch: pytest.MonkeyPatch, path: Path, change: Change) -> list[Finding]:
    """Return the findings of a release whose definition differs so."""

    def changed(definition: Path, names: Any) -> Any:
        read = definition_of(definition, names)
        if definition == path:
            change(read["States"])
        return read

    monkeypatch.setattr(definitions, "definition_of", changed)
    return findings("definitions")


def blocking(results: list[Finding]) -> list[str]:
    return [each.says for each in results if each.level is Severity.BLOCKS]


def test_step_functions_is_asked_of_every_definition_and_of_the_states_that_carry_a_question() -> None:
    results = findings("definitions")
    assert [each.level for each in results] == [Severity.FINE, Severity.FINE]
    assert "all 5 machines" in results[0].says
    assert "Plan, RunSteps, ComposeAnswer" in results[1].says


def test_what_was_recorded_is_what_this_releases_definition_does() -> None:
    assert tuple(recorded_states()) == NAMES
    for name, visit in recorded_states().items():
        output, following, variables = left(name, visit.model_dump())
        assert (output, following) == (visit.output, visit.next)
        assert visit.assigned
        assert {variable: variables[variable] for variable in visit.assigned} == visit.assigned
    assert recorded_states()["RunSteps"].assigned["passages"]


@pytest.mark.parametrize(
    ("path", "state", "field", "expression"),
    [
        (QUESTION, "Plan", "plan", "{% $states.result.Payload.( %}"),
        (QUESTION, "RunSteps", "results", "{% state %}"),
        (QUESTION, "ReadRequest", "began_ms", "{% $eval('1') %}"),
    ],
    ids=["does not end", "a name without a context", "a function that AWS has not"],
)
def test_an_expression_that_aws_would_not_take_is_named_by_state_and_field(
    monkeypatch: pytest.MonkeyPatch, path: Path, state: str, field: str, expression: str
) -> None:
    def change(states: Any) -> None:
        states[state]["Assign"][field] = expression

    sentences = blocking(examined_with(monkeypatch, path, change))
    assert f"/States/{state}/Assign/{field}" in sentences[0]
    assert "the definition of express (question.asl.yaml)" in sentences[0]


@pytest.mark.parametrize(
    ("state", "field", "expression"),
    [
        ("Plan", "deadline_ms", "{% $states.result.Payload.state.brief.dead_line %}"),
        ("RunSteps", "passages", "{% $states.result.nothing %}"),
        ("ComposeAnswer", "response", "{% $states.result.Body %}"),
    ],
)
def test_an_expression_that_gives_nothing_is_named_by_state_and_field(
    monkeypatch: pytest.MonkeyPatch, state: str, field: str, expression: str
) -> None:
    def change(states: Any) -> None:
        states[state]["Assign"][field] = expression

    [says] = blocking(examined_with(monkeypatch, QUESTION, change))
    assert f"the state {state} otherwise: FAILED, States.QueryEvaluationError" in says
    assert f"Assign/{field}" in says


def test_an_expression_with_another_value_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(states: Any) -> None:
        states["RunSteps"]["Assign"]["results"] = "{% $states.result %}"

    assert blocking(examined_with(monkeypatch, QUESTION, change)) == [
        "Step Functions evaluates the state RunSteps otherwise: its Assign of results differs."
    ]


def test_a_state_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(states: Any) -> None:
        next(iter(states.values()))["Next"] = "Nowhere"

    [says] = blocking(examined_with(monkeypatch, REINDEX, change))
    assert "the definition of reindex (reindex.asl.yaml)" in says
    assert "Nowhere" in says


@pytest.mark.parametrize("code", ["UnknownOperationException", "InvalidAction"])
def test_a_service_without_the_calls_is_no_refused_definition(code: str) -> None:
    calls = ("ValidateStateMachineDefinition", "TestState")
    results = findings("definitions", {f"stepfunctions.{call}": Refused(code) for call in calls})
    assert [each.level for each in results] == [Severity.UNKNOWN] * 2
    assert "Step Functions here has no ValidateStateMachineDefinition." in results[0].says


def test_whoever_may_not_ask_is_told_what_to_allow() -> None:
    results = findings("definitions", {"stepfunctions.ValidateStateMachineDefinition": NOT_ALLOWED})
    assert [each.level for each in results] == [Severity.UNKNOWN, Severity.FINE]
    assert "states:ValidateStateMachineDefinition" in results[0].do


def test_a_busy_service_is_no_refused_definition() -> None:
    results = findings("definitions", {"stepfunctions.TestState": Refused("ThrottlingException")})
    assert [each.level for each in results] == [Severity.FINE, Severity.UNKNOWN]
