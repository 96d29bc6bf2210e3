"""An evaluation as its definition says it: how a question is named, what of it is kept, how many fit into a run.

Its runs are in tests/infra/test_evaluation.py: the interpreter of the laptop cannot start one machine from another.
"""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from cli.lab.gold.question_sets import GoldQuestion
from cli.lab.runs.machine import MOST_ANSWERS, item_of
from cli.lab.runs.tasks import Task

from cli.lab.runs.variants import read_variants
from cli.local.definitions import EVALUATION, definition_json, placeholders
from cli.local.jsonata import evaluate
from selfrag.domain.questions import AskRequest
from tests.support.definition import EVALUATION_MACHINE, IN_EXPRESSIONS, MACHINE, QUESTION_MACHINE
from tests.support.emulated_aws.strictness import MAX_VARIABLE_BYTES
from tests.support.templates import template

ASKING = EVALUATION_MACHINE["States"]["AskQuestions"]
STATES = ASKING["ItemProcessor"]["States"]
[VARIANT] = read_variants(['small={"top_k": 2}'])
TASK = Task(GoldQuestion(id="q1", question='Of "a" {b}\\?'), VARIANT)
GIVEN = {"run": "a" * 32, "collections": ["c"], "item": item_of(TASK), "tries": 0}


def filled(body: Any, given: Any, result: Any = None) -> Any:
    return template(body, {"states": {"input": given, "result": result}})


def started(given: dict[str, Any]) -> dict[str, Any]:
    """Return what is started for an item."""
    arguments: dict[str, Any] = filled(STATES["AskQuestion"]["Arguments"], given)
    return arguments


def routed(status: str, tries: int) -> tuple[str, Any]:
    """Return where an answer that is recalled leads to, and with what."""
    given = {**GIVEN, "tries": tries, "seconds": 1.0, "response": {"status": status}}
    for choice in STATES["RouteRecalled"]["Choices"]:
        if evaluate(choice["Condition"][2:-2], {"states": {"input": given}}):
            return choice["Next"], filled(choice.get("Output", given), given)
    return STATES["RouteRecalled"]["Default"], given


def test_a_question_is_asked_as_by_the_api_whatever_it_holds() -> None:
    item = template(
        ASKING["ItemSelector"]["item"], {"states": {"context": {"Map": {"Item": {"Value": item_of(TASK)}}}}}
    )
    given = started({**GIVEN, "item": item})["Input"]
    request = AskRequest(question=TASK.question.question, policy=VARIANT.policy).execution_input(["c"])
    assert given == {name: request[name] for name in ("question", "collections", "policy")}
    assert (given["policy"]["top_k"], given["policy"]["cache"], given["policy"]["web_search"]) == (2, False, True)


def test_what_is_asked_has_a_name_of_its_own_that_stays_the_same_until_it_has_failed() -> None:
    name, again = started(GIVEN)["Name"], started({**GIVEN, "item": item_of(TASK)})["Name"]
    assert name == again
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,80}", started({**GIVEN, "tries": 50})["Name"])
    [policy] = read_variants(['small={"top_k": 3}'])
    others = [
        {**GIVEN, "tries": 1},
        {**GIVEN, "run": "b" * 32},
        {**GIVEN, "item": item_of(replace(TASK, variant=policy))},
        {**GIVEN, "item": item_of(replace(TASK, question=GoldQuestion(id="q1", question="Else?")))},
    ]
    assert len({name, *(started(other)["Name"] for other in others)}) == 5


def test_where_a_deployment_searches_no_web_an_evaluation_does_not() -> None:
    names = {**IN_EXPRESSIONS, "web_search": "false"}
    machine = json.loads(definition_json(EVALUATION, names))
    states = machine["States"]["AskQuestions"]["ItemProcessor"]["States"]
    assert filled(states["AskQuestion"]["Arguments"], GIVEN)["Input"]["policy"]["web_search"] is False


@pytest.mark.parametrize("run", [{"run": "r"}, {"run": "r", "collections": ["documents"]}])
def test_without_collections_all_of_the_deployment_are_asked(run: dict[str, Any]) -> None:
    assert filled(EVALUATION_MACHINE["States"]["ReadRun"]["Output"], run)["collections"] == ["documents"]


def test_a_question_that_was_asked_before_is_looked_up_under_the_name_it_was_asked_under() -> None:
    [taken, _] = STATES["AskQuestion"]["Catch"]
    assert taken["Next"] == "RecallAnswer"
    passed_on = filled(taken["Output"], GIVEN)
    assert passed_on == GIVEN
    arn = filled(STATES["RecallAnswer"]["Arguments"], passed_on)["ExecutionArn"]
    executions = "arn:aws:states:us-east-1:000000000000:execution:selfrag-standard"
    assert arn == f"{executions}:{started(GIVEN)['Name']}"


def test_a_question_is_asked_by_the_machine_that_answers_questions() -> None:
    assert started(GIVEN)["StateMachineArn"] == QUESTION_MACHINE


def test_an_answer_that_is_recalled_is_kept_and_one_that_failed_is_asked_anew_for_so_many_times() -> None:
    assert routed("abstained", 0)[0] == "KeepAnswer"
    assert routed("failed", 0) == ("AskQuestion", {**GIVEN, "tries": 1})
    assert routed("failed", 50)[0] == "NotAnswered"


@pytest.mark.parametrize(
    "moments", [(1_000, 3_500), ("2026-11-22T10:00:00.000Z", "2026-11-22T10:00:02.500Z")], ids=["numbers", "texts"]
)
def test_seconds_are_those_of_the_execution_of_the_question(moments: tuple[Any, Any]) -> None:
    result = {"StartDate": moments[0], "StopDate": moments[1], "Output": {"status": "answered"}}
    output = filled(STATES["AskQuestion"]["Output"], GIVEN, result)
    assert output == {**GIVEN, "seconds": 2.5, "release": None, "response": {"status": "answered"}}
    assert filled(STATES["RecallAnswer"]["Output"]["seconds"], GIVEN, result) == 2.5
    assert filled(STATES["RecallAnswer"]["Output"]["seconds"], GIVEN, {"Status": "RUNNING"}) is None


def test_an_answer_is_kept_with_the_release_that_gave_it_when_it_is_asked_and_when_it_is_recalled() -> None:
    result = {"StateMachineVersionArn": f"{QUESTION_MACHINE.removesuffix(':live')}:12", "Status": "RUNNING"}
    result |= {"StartDate": 1_000, "StopDate": 2_000, "Output": {"status": "answered"}}
    asked, recalled = (filled(STATES[name]["Output"], GIVEN, result) for name in ("AskQuestion", "RecallAnswer"))
    assert (asked["release"], recalled["release"]) == ("12", "12")
    assert filled(STATES["KeepAnswer"]["Arguments"]["Body"], asked)["release"] == "12"


def kept(cost: float | None) -> dict[str, Any]:
    """Return what an answer of this cost counts as."""
    given = {"response": {"status": "abstained", "usage": {"cost_usd": cost}}}
    counted: dict[str, Any] = filled(STATES["KeepAnswer"]["Output"], given)
    return counted


def test_what_as_many_answers_as_a_run_may_have_count_as_fits_into_the_state() -> None:
    longest = [kept(99.123456789), kept(None), STATES["NotAnswered"]["Output"]]
    assert MOST_ANSWERS * max(len(json.dumps(one)) + 2 for one in longest) < MAX_VARIABLE_BYTES


def test_answers_are_counted_by_status_and_dollars_where_they_are_known() -> None:
    statuses = ["answered", "partial", "abstained", "failed", "answered"]
    results = [
        {"status": status, "usd": usd} for status, usd in zip(statuses, (0.1, 0.2, None, None, 0.4), strict=True)
    ]
    output = filled(ASKING["Output"], {"run": "r"}, results)
    counts = {"asked": 5, "answered": 2, "partial": 1, "abstained": 1, "failed": 1, "usd": 0.7}
    assert counts.items() <= output.items()
    nothing = filled(ASKING["Output"], {"run": "r"}, [])
    assert (nothing["asked"], nothing["usd"]) == (0, 0)


def test_an_answer_has_one_key_however_often_it_is_written() -> None:
    given = {**GIVEN, "seconds": 1.0, "release": "1", "response": {"status": "answered"}}
    keys = {filled(STATES["KeepAnswer"]["Arguments"]["Key"], {**given, "tries": tries}) for tries in (0, 1)}
    assert keys == {f"evaluations/{GIVEN['run']}/results/{GIVEN['item']['id']}.json"}


def test_whatever_fails_in_an_item_is_counted_and_the_others_go_on() -> None:
    assert ASKING["ToleratedFailurePercentage"] == 100
    assert {state["Catch"][-1]["Next"] for state in STATES.values() if state["Type"] == "Task"} == {"NotAnswered"}
    assert not [name for name, state in STATES.items() if state["Type"] == "Fail"]


def test_an_execution_of_a_question_may_take_all_of_its_time() -> None:
    assert STATES["AskQuestion"]["TimeoutSeconds"] > MACHINE["TimeoutSeconds"]


def test_nothing_inside_an_item_reads_a_variable_for_a_distributed_map_sees_none() -> None:
    functions = r"exists|string|merge|replace|split|type|round|toMillis|parse"
    assert not re.findall(rf"\$(?!states\b|(?:{functions})\()\w+", json.dumps(STATES).replace("${", ""))


def test_terraform_fills_in_all_placeholders_of_the_definition() -> None:
    text = (EVALUATION.parents[1] / "machines.tf").read_text(encoding="utf-8")
    assert all(re.search(rf"^ +{name} += ", text, re.M) for name in placeholders(EVALUATION))
