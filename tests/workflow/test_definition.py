"""Rules that every definition keeps; each test names all offenders at once."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from statelint.config import Config
from statelint.linter import Linter

from selfrag.domain import errors
from selfrag.domain.ledger import path_of
from selfrag.domain.verdicts import Critique
from selfrag.plan.segments import LEVEL_BYTES
from selfrag.runtime.deadline import LONGEST_RETRY_WAIT_SECONDS
from selfrag.text.state_budget import STATE_BUDGET_BYTES
from selfrag_cli.local.runner.lane import MAX_BYTES
from selfrag_cli.local.stack import INGESTION, QUESTION, placeholders
from tests.support.definition import (
    INGESTION_MACHINE,
    INGESTION_RAW,
    INTAKE,
    INTAKE_MACHINE,
    INTAKE_RAW,
    MACHINE,
    RAW,
    REINDEX,
    REINDEX_MACHINE,
    REINDEX_RAW,
    State,
    all_states,
    expressions_in,
    lambda_tasks,
    snake,
    starts,
    states,
    tasks,
)
from tests.support.jsonata_rules import check, depth_of

ROOT = Path(__file__).parents[2]
LAMBDA_ERRORS = {
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.TooManyRequestsException",
    # Lambda's API reference says of these to wait and to try again.
    "Lambda.ResourceNotReadyException",
    "Lambda.ResourceConflictException",
    "Lambda.ENINotReadyException",
    "Lambda.EC2ThrottledException",
    "Lambda.SnapStartNotReadyException",
}
BUILT_IN = re.compile(r"\$(\w+)\s*\(")
DEFINITIONS = {
    "question": QUESTION,
    "ingestion": INGESTION,
    "intake": INTAKE,
    "reindex": REINDEX,
}
MACHINES = {
    "question": MACHINE,
    "ingestion": INGESTION_MACHINE,
    "intake": INTAKE_MACHINE,
    "reindex": REINDEX_MACHINE,
}
RAWS = {
    "question": RAW,
    "ingestion": INGESTION_RAW,
    "intake": INTAKE_RAW,
    "reindex": REINDEX_RAW,
}
# A state that is another use of a step: where one has failed.
OTHER_USES = {"RecordFailure": "record_document", "CountLoss": "compose_answer"}
# A question waits for its caller, a document for no one.
LONGEST_WAIT = {
    "question": LONGEST_RETRY_WAIT_SECONDS,
    "ingestion": 60,
    "intake": 60,
    "reindex": 120,
}
# The intake tries for over an hour to record an event, which nothing else holds.
MAX_ATTEMPTS = {"question": 6, "ingestion": 20, "intake": 150, "reindex": 8}
STATES_FIELDS = {"input", "context", "result", "errorOutput"}


def each_task() -> Iterator[tuple[str, State]]:
    yield from ((name, task) for name, machine in MACHINES.items() for task in tasks(machine))


def test_every_task_has_comment_timeout_bounded_retry_and_catch_all() -> None:
    for name, task in each_task():
        body = task.body
        assert body["Comment"].endswith("."), task.name
        assert "TimeoutSeconds" in body, task.name
        assert body["Catch"][-1]["ErrorEquals"] == ["States.ALL"], task.name
        for retrier in body["Retry"]:
            assert retrier["JitterStrategy"] == "FULL", task.name
            assert retrier["MaxDelaySeconds"] <= LONGEST_WAIT[name], task.name
            assert 1 <= retrier["MaxAttempts"] <= MAX_ATTEMPTS[name], task.name
            assert "States.ALL" not in retrier["ErrorEquals"], task.name


def test_lambdas_own_errors_and_ours_share_one_count_of_tries() -> None:
    for machine in MACHINES.values():
        for task in lambda_tasks(machine):
            retrier, *others = task.body["Retry"]
            # Rights that were just given: a document can wait for them, a person cannot.
            assert [other["ErrorEquals"] for other in others] in ([], [[errors.Misconfigured.__name__]]), task.name
            assert set(retrier["ErrorEquals"]) == LAMBDA_ERRORS | {errors.TemporarilyUnavailable.__name__}, task.name


def test_every_next_names_a_state_beside_it() -> None:
    for state in all_states():
        assert set(state.targets) <= state.neighbours, state.name
        if state.body["Type"] not in ("Choice", "Succeed", "Fail"):
            assert ("Next" in state.body) != bool(state.body.get("End")), state.name


def test_every_state_can_be_reached() -> None:
    for machine in MACHINES.values():
        for scope, begin in starts(machine).items():
            inside = {state.name: state for state in states(machine) if state.scope == scope}
            reached, ahead = set(), [begin]
            while ahead:
                name = ahead.pop()
                if name not in reached:
                    reached.add(name)
                    ahead += inside[name].targets
            assert reached == set(inside)


def test_state_names_are_unique_in_the_whole_machine() -> None:
    for machine in MACHINES.values():
        names = [state.name for state in states(machine)]
        assert len(names) == len(set(names))


def test_expressions_are_such_as_aws_accepts() -> None:
    for state in all_states():
        for expression in state.expressions:
            check(expression)
            assert "$hash" not in expression, state.name
            assert "$uuid" not in expression, state.name
            assert set(re.findall(r"\$states\.(\w+)", expression)) <= STATES_FIELDS, state.name


def test_no_state_writes_a_variable_of_an_outer_scope() -> None:
    for state in all_states():
        outer = {
            name
            for other in states(state.machine)
            if other.scope != state.scope and other.scope == state.scope[: len(other.scope)]
            for name in other.assigned
        }
        assert not state.assigned & outer, state.name


def test_every_variable_is_set_before_it_is_read() -> None:
    for state in all_states():
        begin = starts(state.machine)
        around = {state.scope[:depth] for depth in range(len(state.scope) + 1)}
        first = {
            name for s in states(state.machine) if s.scope in around and s.name == begin[s.scope] for name in s.assigned
        }
        for expression in state.expressions:
            local = set(re.findall(r"\$(\w+)\s*:=", expression)) | parameters(expression)
            read = set(re.findall(r"\$(\w+)", expression)) - set(BUILT_IN.findall(expression)) - local - {"states"}
            assert read <= first, (state.name, read - first)


def parameters(expression: str) -> set[str]:
    return {name for names in re.findall(r"function\(([^)]*)\)", expression) for name in re.findall(r"\$(\w+)", names)}


def test_results_are_read_only_where_there_is_one() -> None:
    for state in all_states():
        if state.body["Type"] in ("Choice", "Pass", "Succeed"):
            assert not any("$states.result" in expression for expression in state.expressions), state.name
        inside_catch = [e for catcher in state.body.get("Catch", []) for e in expressions_in(catcher)]
        assert not any("$states.result" in expression for expression in inside_catch), state.name
        outside = [e for e in state.expressions if e not in inside_catch]
        assert not any("errorOutput" in expression for expression in outside), state.name


@pytest.mark.parametrize("name", RAWS)
def test_statelint_finds_nothing(name: str) -> None:
    # statelint 3.1 does not know that AWS takes JSONata for these, so a number stands in for it.
    text = re.sub(r'"(TimeoutSeconds|MaxConcurrency|Seconds)": "\{%[^"]*%\}"', r'"\1": 28', RAWS[name])
    # Nor that a file of items has a format.
    assert Linter.validate(text.replace('{"InputType": "JSONL"}', "{}"), Config()) == []


def test_state_names_folders_and_test_folders_match_one_to_one() -> None:
    for room, machine in (("question", MACHINE), ("ingestion", INGESTION_MACHINE)):
        folders = {handler.parent.name for handler in (ROOT / "functions" / "selfrag" / room).glob("*/handler.py")}
        used = {(task.name, task.body["Arguments"]["FunctionName"].strip("${}")) for task in lambda_tasks(machine)}
        assert all(folder == OTHER_USES.get(name, snake(name)) for name, folder in used)
        tested = {test.parent.name for test in (ROOT / "tests" / "unit" / room).glob("*/test_*.py")}
        assert {folder for _, folder in used} == folders == tested


def test_each_question_step_is_defined_once_and_selected_by_name() -> None:
    inside = [task for task in tasks(MACHINE) if task.scope]
    (select,) = (state.body for state in states(MACHINE) if state.name == "SelectStep")
    selected = {rule["Next"]: rule["Condition"] for rule in select["Choices"]}
    assert selected == {name: f'{{% $states.input.step = "{name}" %}}' for name in selected}
    assert {*selected, select["Default"]} == {task.name for task in inside}
    assert [task.name for task in lambda_tasks(MACHINE) if not task.scope] == ["Plan", "ComposeAnswer", "CountLoss"]


def test_a_path_names_every_step_in_the_order_of_the_definition() -> None:
    inside = [task.name for task in lambda_tasks(MACHINE) if task.scope]
    assert path_of((0, name) for name in inside) == inside


def test_answer_graders_match_critique_verdicts() -> None:
    graders = {task.name for task in lambda_tasks(MACHINE) if task.name.startswith("Grade")} - {"GradeRelevance"}
    assert graders == {f"Grade{name.capitalize()}" for name in Critique.model_fields}


def test_every_step_reports_its_name_and_id_whether_or_not_it_fails() -> None:
    told = {"step": "{% $states.input.step %}", "id": "{% $states.input.id %}"}
    for task in tasks(MACHINE):
        if task.scope:
            (catcher,) = task.body["Catch"]
            assert catcher["Output"] == {**told, "error": "{% $states.errorOutput.Error %}"}, task.name
            assert told.items() <= task.body["Output"].items(), task.name
            assert "result" in task.body["Output"], task.name


def test_choice_conditions_only_test_empty_plans_and_step_names() -> None:
    choices = [rule["Condition"] for state in states(MACHINE) for rule in state.body.get("Choices", [])]
    others = [text for text in choices if not re.fullmatch(r'\{% \$states\.input\.step = "\w+" %\}', text)]
    assert others == ["{% $count($plan.steps) > 0 %}"]


def test_terraform_can_fill_the_placeholders_in() -> None:
    assert "%{" not in "".join(path.read_text(encoding="utf-8") for path in DEFINITIONS.values())
    assert placeholders(QUESTION) == {
        *(OTHER_USES.get(task.name, snake(task.name)) for task in lambda_tasks(MACHINE)),
        "answers_table",
        "step_seconds",
    }


def test_passages_leave_room_in_the_state() -> None:
    assert STATE_BUDGET_BYTES <= MAX_BYTES - 64 * 1024
    assert LEVEL_BYTES <= STATE_BUDGET_BYTES - 48 * 1024


@pytest.mark.parametrize("machine", [MACHINE, INGESTION_MACHINE, REINDEX_MACHINE])
def test_no_expression_comes_near_the_depth_at_which_aws_gives_up(machine: dict[str, Any]) -> None:
    found = {text: depth_of(text) for state in states(machine) for text in state.expressions}
    assert max(found.values()) <= 30, max(found, key=lambda text: found[text])


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
def test_each_retry_is_written_once(definition: Path) -> None:
    # An alias or a merged key is the very object of its anchor, so equal retriers are one object.
    machine = yaml.safe_load(definition.read_text(encoding="utf-8"))
    retriers = [retrier for task in tasks(machine) for retrier in task.body["Retry"]]
    assert len({id(retrier) for retrier in retriers}) == len({json.dumps(retrier) for retrier in retriers})


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
def test_terraform_and_python_read_the_same_words(definition: Path) -> None:
    # YAML 1.1 booleans: Terraform's yamldecode converts N and the like, PyYAML only some of them.
    plain = [t for t in yaml.scan(definition.read_text(encoding="utf-8")) if getattr(t, "plain", False)]
    assert not [t for t in plain if t.value.lower() in ("y", "n", "yes", "no", "on", "off")]


def test_every_state_has_a_comment() -> None:
    assert not [state.name for state in all_states() if not state.body.get("Comment", "").endswith(".")]


def test_recalled_answer_is_read_strongly_consistent() -> None:
    reads = [task for _, task in each_task() if task.body["Resource"].endswith(":dynamodb:getItem")]
    assert [(task.name, task.body["Arguments"].get("ConsistentRead")) for task in reads] == [("RecallAnswer", True)]


def test_aws_gets_nothing_that_is_there_for_the_anchors_alone() -> None:
    for machine in MACHINES.values():
        assert set(machine) <= {"Comment", "QueryLanguage", "StartAt", "TimeoutSeconds", "States"}


def test_the_definition_is_the_one_that_is_deployed() -> None:
    assert all(
        path == ROOT / "functions" / "selfrag" / "workflows" / f"{name}.asl.yaml" for name, path in DEFINITIONS.items()
    )
