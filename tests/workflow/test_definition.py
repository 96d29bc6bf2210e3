"""What AWS would refuse, and what the design asks of every state, checked on the definition itself."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from statelint.config import Config
from statelint.linter import Linter

from cli.local.aws.definitions import CANDIDATES, EVALUATION, INGESTION, QUESTION, REINDEX, SEGMENTS, placeholders
from cli.local.aws.jsonata import check
from cli.local.aws.strictness import MAX_VARIABLE_BYTES
from selfrag.domain import errors
from selfrag.domain.ledger import path_of
from selfrag.domain.questions import Policy
from selfrag.domain.verdicts import Critique
from selfrag.runtime.deadline import LONGEST_RETRY_WAIT_SECONDS
from selfrag.text.budget import STATE_BUDGET_BYTES
from tests.support.definition import (
    CANDIDATES_MACHINE,
    CANDIDATES_RAW,
    EVALUATION_MACHINE,
    EVALUATION_RAW,
    INGESTION_MACHINE,
    INGESTION_RAW,
    MACHINE,
    RAW,
    REINDEX_MACHINE,
    REINDEX_RAW,
    SEGMENTS_MACHINE,
    SEGMENTS_RAW,
    State,
    all_states,
    expressions_in,
    lambda_tasks,
    snake,
    starts,
    states,
    tasks,
)
from tests.support.walks.remembered import template

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
# The machines that answer questions, and where each is written.
QUESTIONS = {"question": MACHINE, "candidates": CANDIDATES_MACHINE, "segments": SEGMENTS_MACHINE}
DEFINITIONS = {
    "question": QUESTION,
    "candidates": CANDIDATES,
    "segments": SEGMENTS,
    "ingestion": INGESTION,
    "reindex": REINDEX,
    "evaluation": EVALUATION,
}
# States that are another use of a step: where one has failed, and where one request is for all passages.
OTHER_USES = {
    "RecordFailure": "record_document",
    "GenerateCandidates": "generate",
    "GenerateSegments": "generate",
    "DecideNext": "decide_retrieval",
    # What a tree does ahead, side by side.
    "GradeRelevanceBeside": "grade_relevance",
    "GenerateBeside": "generate",
    "GradeSupportBeside": "grade_support",
    "DecideNextBeside": "decide_retrieval",
}
MACHINES = {
    **QUESTIONS,
    "ingestion": INGESTION_MACHINE,
    "reindex": REINDEX_MACHINE,
    "evaluation": EVALUATION_MACHINE,
}
ALL_TASKS = [task for machine in MACHINES.values() for task in tasks(machine)]
ALL_LAMBDA_TASKS = [task for machine in MACHINES.values() for task in lambda_tasks(machine)]
# A question waits for its caller, a document for nobody.
LONGEST_WAIT = {
    **{id(machine): LONGEST_RETRY_WAIT_SECONDS for machine in QUESTIONS.values()},
    id(INGESTION_MACHINE): 60,
    id(REINDEX_MACHINE): 120,
    id(EVALUATION_MACHINE): 120,
}
MOST_ATTEMPTS = {
    **{id(machine): 3 for machine in QUESTIONS.values()},
    id(INGESTION_MACHINE): 20,
    id(REINDEX_MACHINE): 8,
    id(EVALUATION_MACHINE): 8,
}
STATES_FIELDS = {"input", "context", "result", "errorOutput"}


def ids(state: State) -> str:
    return state.name


@pytest.mark.parametrize("task", ALL_TASKS, ids=ids)
def test_every_task_has_the_five_properties(task: State) -> None:
    body = task.body
    assert body["Comment"].endswith(".")
    assert "TimeoutSeconds" in body
    assert body["Catch"][-1]["ErrorEquals"] == ["States.ALL"]
    assert body["Retry"]
    for retrier in body["Retry"]:
        assert retrier["JitterStrategy"] == "FULL"
        assert retrier["MaxDelaySeconds"] <= LONGEST_WAIT[id(task.machine)]
        assert 1 <= retrier["MaxAttempts"] <= MOST_ATTEMPTS[id(task.machine)]
        assert "States.ALL" not in retrier["ErrorEquals"]


@pytest.mark.parametrize("task", ALL_LAMBDA_TASKS, ids=ids)
def test_lambdas_own_errors_and_ours_share_one_count_of_tries(task: State) -> None:
    (retrier,) = task.body["Retry"]
    assert set(retrier["ErrorEquals"]) == LAMBDA_ERRORS | {errors.TemporarilyUnavailable.__name__}


def test_the_share_of_tasks_with_all_five_properties_is_printed(record_property: Any) -> None:
    five = ("Comment", "TimeoutSeconds", "Retry", "Catch")
    whole = [t for t in ALL_TASKS if all(key in t.body for key in five) and "MaxDelaySeconds" in t.body["Retry"][0]]
    record_property("figures", f"{len(whole)} of {len(ALL_TASKS)} Tasks have all five properties")
    assert len(whole) == len(ALL_TASKS)


@pytest.mark.parametrize("state", all_states(), ids=ids)
def test_every_next_names_a_state_beside_it(state: State) -> None:
    assert set(state.targets) <= state.neighbours
    if state.body["Type"] not in ("Choice", "Succeed", "Fail"):
        assert ("Next" in state.body) != bool(state.body.get("End"))


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_every_state_can_be_reached(machine: dict[str, Any]) -> None:
    reached, ahead = set(), [machine["StartAt"]]
    top = {state.name: state for state in states(machine) if not state.scope}
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += top[name].targets
    assert reached == set(top)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_state_names_are_unique_in_the_whole_machine(machine: dict[str, Any]) -> None:
    names = [state.name for state in states(machine)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("state", all_states(), ids=ids)
def test_expressions_are_such_as_aws_accepts(state: State) -> None:
    for expression in state.expressions:
        check(expression)
        assert "$hash" not in expression
        assert "$uuid" not in expression
        assert set(re.findall(r"\$states\.(\w+)", expression)) <= STATES_FIELDS


@pytest.mark.parametrize("state", all_states(), ids=ids)
def test_variables_obey_the_scope_rules(state: State) -> None:
    """No state writes a variable of an outer scope, and no name stands in an outer and an inner scope."""
    outer = {
        name
        for other in states(state.machine)
        if other.scope != state.scope and other.scope == state.scope[: len(other.scope)]
        for name in other.assigned
    }
    assert not state.assigned & outer


@pytest.mark.parametrize("state", all_states(), ids=ids)
def test_every_variable_is_set_before_it_is_read(state: State) -> None:
    begin = starts(state.machine)
    around = {state.scope[:depth] for depth in range(len(state.scope) + 1)}
    first = {
        name for s in states(state.machine) if s.scope in around and s.name == begin[s.scope] for name in s.assigned
    }
    # What every way into Read sets, in the scope of its branch.
    branch = [other for other in states(state.machine) if other.scope == state.scope[:1] and "Read" in other.targets]
    first |= set.intersection(*(other.assigned for other in branch)) if branch else set()
    late = {"recalled_item": "MayRecall UsePrevious", "response": "RememberAnswer Done"}
    for expression in state.expressions:
        local = set(re.findall(r"\$(\w+)\s*:=", expression)) | parameters(expression)
        read = set(re.findall(r"\$(\w+)", expression)) - set(BUILT_IN.findall(expression)) - local - {"states"}
        assert all(name in first or state.name in late.get(name, "") for name in read), (state.name, read - first)


def parameters(expression: str) -> set[str]:
    return {name for names in re.findall(r"function\(([^)]*)\)", expression) for name in re.findall(r"\$(\w+)", names)}


@pytest.mark.parametrize("state", all_states(), ids=ids)
def test_results_are_read_only_where_there_is_one(state: State) -> None:
    if state.body["Type"] in ("Choice", "Pass", "Succeed"):
        assert not any("$states.result" in expression for expression in state.expressions)
    inside_catch = [e for catcher in state.body.get("Catch", []) for e in expressions_in(catcher)]
    assert not any("$states.result" in expression for expression in inside_catch)
    outside = [e for e in state.expressions if e not in inside_catch]
    assert not any("errorOutput" in expression for expression in outside)


@pytest.mark.parametrize(
    "raw", [RAW, CANDIDATES_RAW, SEGMENTS_RAW, INGESTION_RAW, REINDEX_RAW, EVALUATION_RAW], ids=MACHINES
)
def test_statelint_finds_nothing(raw: str) -> None:
    # statelint 3.1 does not know that AWS takes JSONata for these two, so a number stands in for it.
    text = re.sub(r'"(TimeoutSeconds|MaxConcurrency)": "\{%[^"]*%\}"', r'"\1": 28', raw)
    # Nor that a file of items has a format.
    assert Linter.validate(text.replace('{"InputType": "JSONL"}', "{}"), Config()) == []


def test_statelint_would_find_a_fault() -> None:
    broken = json.loads(RAW)
    broken["States"]["KeepBest"]["Next"] = "Nowhere"
    del broken["States"]["NextTry"]["Choices"]
    assert len(Linter.validate(json.dumps(broken), Config())) >= 2


def test_state_names_folders_and_test_folders_match_one_to_one() -> None:
    for room, machines in (("question", [*QUESTIONS.values()]), ("ingestion", [INGESTION_MACHINE])):
        folders = {handler.parent.name for handler in (ROOT / "functions" / room).glob("*/handler.py")}
        used = {
            (task.name, task.body["Arguments"]["FunctionName"].strip("${}"))
            for m in machines
            for task in lambda_tasks(m)
        }
        assert all(folder == OTHER_USES.get(name, snake(name)) for name, folder in used)
        tested = {test.parent.name for test in (ROOT / "tests" / "unit" / room).glob("*/test_*.py")}
        assert {folder for _, folder in used} == folders == tested


@pytest.mark.parametrize("task", [task for machine in QUESTIONS.values() for task in lambda_tasks(machine)], ids=ids)
def test_every_step_folder_has_the_same_form(task: State) -> None:
    folder = ROOT / "functions" / "question" / OTHER_USES.get(task.name, snake(task.name))
    assert (folder / "logic.py").exists()
    uses_model = "Payload.calls" in json.dumps(task.body.get("Assign", task.body.get("Output")))
    assert (folder / "prompt.md").exists() == uses_model


@pytest.mark.parametrize("machine", [MACHINE, CANDIDATES_MACHINE], ids=["question", "candidates"])
def test_what_grades_an_answer_has_a_verdict_in_the_critique_and_the_other_way_round(machine: dict[str, Any]) -> None:
    inside = [task.name for task in lambda_tasks(machine) if any(part.startswith("Reflect") for part in task.scope)]
    graders = [name for name in inside if name.startswith("Grade")]
    assert graders == [f"Grade{name.capitalize()}" for name in Critique.model_fields]


def test_the_steps_of_a_question_run_in_the_passes_of_gather_and_reflect() -> None:
    passes = {task.scope[0].split("[")[0] for task in lambda_tasks(MACHINE) if task.scope}
    assert passes == {"Gather", "Reflect"}
    outside = [task.name for task in lambda_tasks(MACHINE) if not task.scope]
    assert outside == ["ComposeAnswer"]


# Of a tree the use is judged at its end.
@pytest.mark.parametrize("machine", [MACHINE, CANDIDATES_MACHINE], ids=["question", "candidates"])
def test_a_path_names_every_step_in_the_order_of_the_definition(machine: dict[str, Any]) -> None:
    inside = [task.name for task in lambda_tasks(machine) if task.name not in (*OTHER_USES, "ComposeAnswer")]
    assert path_of((0, name) for name in inside) == inside


def test_terraform_can_fill_the_placeholders_in() -> None:
    assert "%{" not in "".join(path.read_text(encoding="utf-8") for path in DEFINITIONS.values())
    for name, machine in QUESTIONS.items():
        steps = {OTHER_USES.get(task.name, snake(task.name)) for task in lambda_tasks(machine)}
        assert placeholders(DEFINITIONS[name]) == {*steps, "answers_table"}


def test_the_policy_defaults_of_each_definition_are_those_of_the_edge() -> None:
    bindings = {"states": {"input": {"question": "?", "collections": ["c"]}}}
    policies = {name: machine["States"]["ReadRequest"]["Assign"]["policy"] for name, machine in QUESTIONS.items()}
    for strategy, name in {"self_rag": "question", "candidates": "candidates", "segments": "segments"}.items():
        assert template(policies[name], bindings) == Policy(strategy=strategy).model_dump(mode="json")
        assert template(policies[name], {"states": {"input": {"policy": {"top_k": 7}}}})["top_k"] == 7


def test_passages_leave_room_in_the_state() -> None:
    assert STATE_BUDGET_BYTES <= MAX_VARIABLE_BYTES - 64 * 1024


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_questions_definitions_are_short_enough_to_be_read(name: str) -> None:
    assert len(DEFINITIONS[name].read_text(encoding="utf-8").splitlines()) <= 1000


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
def test_each_retry_is_written_once(definition: Path) -> None:
    # An alias or a merged key is the very object of its anchor, so equal retriers are one object.
    machine = yaml.safe_load(definition.read_text(encoding="utf-8"))
    retriers = [retrier for task in tasks(machine) for retrier in task.body["Retry"]]
    assert len({id(retrier) for retrier in retriers}) == len({json.dumps(retrier) for retrier in retriers})


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
def test_terraform_and_python_read_the_same_words(definition: Path) -> None:
    # Of N and the like terraform's yamldecode makes true or false, PyYAML of some and not of others.
    plain = [t for t in yaml.scan(definition.read_text(encoding="utf-8")) if getattr(t, "plain", False)]
    assert not [t for t in plain if t.value.lower() in ("y", "n", "yes", "no", "on", "off")]


@pytest.mark.parametrize("state", all_states(), ids=ids)
def test_every_state_has_a_comment(state: State) -> None:
    assert state.body["Comment"].endswith(".")


@pytest.mark.parametrize("task", [*tasks(), *tasks(CANDIDATES_MACHINE)], ids=ids)
def test_every_task_leaves_one_entry_in_the_ledger_whether_or_not_it_fails(task: State) -> None:
    if task.name in ("ComposeAnswer", "RememberAnswer", "RememberFailure"):  # these run when it is complete
        return
    where, names = ("Output", {"entry", "entries"}) if task.scope else ("Assign", {"ledger"})
    for part in (task.body, *task.body["Catch"]):
        assert names & set(part[where])


@pytest.mark.parametrize("task", tasks(SEGMENTS_MACHINE), ids=ids)
def test_every_task_of_a_tree_leaves_one_entry_in_the_ledger_whether_or_not_it_fails(task: State) -> None:
    if task.name in ("ComposeAnswer", "RememberAnswer", "RememberFailure"):  # these run when it is complete
        return
    for part in (task.body, *task.body["Catch"]):
        left = json.dumps(part["Output" if task.scope else "Assign"])
        assert len(re.findall(r'step\\?": \\?"\w+', left)) == 1, left


def test_the_passages_of_a_level_leave_room_in_the_states_budget() -> None:
    [bound] = [
        task.body["Arguments"]["Payload"]["bytes_used"]
        for task in lambda_tasks(SEGMENTS_MACHINE)
        if task.name == "Retrieve"
    ]
    assert [int(number) for number in re.findall(r"\d+", bound)] == [STATE_BUDGET_BYTES, 104 * 1024]


def test_what_was_just_written_is_read_by_who_asks_at_once() -> None:
    reads = [task for task in ALL_TASKS if task.body["Resource"].endswith(":dynamodb:getItem")]
    assert [task.name for task in reads] == ["RecallAnswer"] * len(QUESTIONS)
    assert all(task.body["Arguments"].get("ConsistentRead") is True for task in reads)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_aws_gets_nothing_that_is_there_for_the_anchors_alone(machine: dict[str, Any]) -> None:
    assert set(machine) <= {"Comment", "QueryLanguage", "StartAt", "TimeoutSeconds", "States"}


def test_the_definition_is_the_one_that_is_deployed() -> None:
    assert all(path == ROOT / "infra" / "workflows" / f"{name}.asl.yaml" for name, path in DEFINITIONS.items())
