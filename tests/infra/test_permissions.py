"""docs/permissions.md says what each role may do: the AWS calls of full runs, none missing and none never used."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from selfrag_cli.local.stack import INGESTION
from tests.support.aws.resources import DOCUMENTS_TABLE, TABLES
from tests.support.aws.stack import deployed_handlers
from tests.support.definition import INTAKE_MACHINE, MODEL_STEPS, snake, states
from tests.support.infra.rules import rows_of
from tests.support.infra.tools import simulator
from tests.support.roles.calls import HERE, step_of
from tests.support.roles.made_by_aws import made_by_aws
from tests.support.roles.policies import exported, reductions, statements
from tests.support.roles.recorded import Call
from tests.support.roles.roles import check_roles, decider, unneeded
from tests.support.roles.runs import every_path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "permissions.md").read_text(encoding="utf-8")
Pairs = set[tuple[str, str]]


def rows(heading: str) -> Pairs:
    """Return the (who, action) pairs of the table under a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return {(who, action) for roles, actions, _ in rows_of(section) for who in roles for action in actions}


@pytest.fixture(scope="module")
def recorded() -> set[Call]:
    with every_path() as calls:
        return set(calls)


def test_policies_allow_exactly_the_calls_that_are_made(
    recorded: set[Call], record_property: Callable[[str, str], None]
) -> None:
    check_roles(recorded)
    # Permissions within the collection are in its data access policy.
    made = {(who, action) for who, action, resource in recorded if not resource.startswith("index/")}
    assert made == rows("Calls of the code")
    callers = len({who for who, _ in made})
    figures = f"{len(made)} kinds of AWS calls by {callers} callers recorded: none missing, none never used"
    record_property("figures", figures)


_DEFINITIONS = (("workflow",), ("ingestion", INGESTION))


def test_tables_secrets_and_functions_have_only_documented_users(recorded: set[Call]) -> None:
    def users(resource: str) -> set[str]:
        return {who for who, _, arn in recorded if arn.endswith(resource)}

    verdicts, answers = TABLES["verdicts_table"][0], TABLES["answers_table"][0]
    assert users(f"table/{verdicts}") == {snake(name) for name in MODEL_STEPS}
    assert users(f"table/{answers}") == {"ask", "workflow"}
    assert users("table/selfrag-requests") == {"ask", "compose_answer"}
    assert users("table/selfrag-feedback") == {"ask"}
    assert users("selfrag/tavily-random") == {"search_web"}
    manifest = {"ask", "claim_document", "index_passages", "remove_passages", "record_document"}
    assert users(f"table/{DOCUMENTS_TABLE}") == manifest
    for machine, *definition in _DEFINITIONS:
        invoked = {step_of(arn) for who, _, arn in recorded if who == machine and ":function:" in arn}
        assert invoked == {*deployed_handlers(*definition)}


def test_each_thing_that_is_taken_out_of_roles_and_policies_is_noticed(
    recorded: set[Call], record_property: Callable[[str, str], None]
) -> None:
    simulator()
    policies, started = exported(), time.monotonic()
    by_code = unneeded(policies, recorded)
    assert unneeded(policies, recorded | made_by_aws()) == []
    count, roles = len(list(statements(policies))), len(policies) - 1
    parts = len(list(reductions(policies)))
    ours = count - len([name for name in by_code if " " not in name])
    record_property(
        "figures",
        f"{count} statements of {roles} roles removed one at a time, and {parts - count} single actions and resources: "
        f"all noticed, {ours} statements by recorded runs, {count - ours} by what AWS calls itself, "
        f"in {time.monotonic() - started:.1f} s",
    )


def test_a_statement_an_action_and_a_resource_that_nothing_uses_are_noticed(recorded: set[Call]) -> None:
    simulator()
    policies = exported()
    more = {"Sid": "More", "Effect": "Allow", "Action": "s3:DeleteObject", "Resource": "arn:aws:s3:::selfrag-work/*"}
    policies["split_document"]["Statement"].append(more)
    [put] = [each for each in policies["parse_document"]["Statement"] if each["Sid"] == "WriteWork"]
    put["Action"] = ["s3:PutObject", "s3:DeleteObject"]
    [invoke] = [each for each in policies["ingestion"]["Statement"] if each["Sid"] == "RunSteps"]
    other = invoke["Resource"][0].replace("split_document", "generate")
    invoke["Resource"].append(other)
    assert unneeded(policies, recorded | made_by_aws()) == [
        f"ingestion.RunSteps {other}", "parse_document.WriteWork s3:DeleteObject", "split_document.More",
    ]  # fmt: skip


@pytest.mark.parametrize(("key", "may"), [("place/upload/0", True), ("place/deletion/0", True), ("1f3c", False)])
def test_previous_release_may_take_places_but_not_change_documents(key: str, may: bool) -> None:
    table = f"arn:aws:dynamodb:{HERE}:table/selfrag-documents"
    assert (
        decider().allows(exported()["intake"], "dynamodb:UpdateItem", table, context={"dynamodb:LeadingKeys": [key]})
        is may
    )


@pytest.mark.parametrize(("namespace", "may"), [("selfrag", True), ("another", False)])
def test_the_intake_reports_metrics_of_its_own_deployment_alone(namespace: str, may: bool) -> None:
    context = {"cloudwatch:namespace": namespace}
    assert decider().allows(exported()["intake"], "cloudwatch:PutMetricData", "*", context=context) is may


@pytest.mark.parametrize(("key", "may"), [("reservation#1f3c", True), ("spending#2026-11-27", True), ("ask#1f", False)])
def test_compose_answer_may_settle_cost_but_not_change_requests(key: str, may: bool) -> None:
    table, context = f"arn:aws:dynamodb:{HERE}:table/selfrag-requests", {"dynamodb:LeadingKeys": [key]}
    for action in ("dynamodb:DeleteItem", "dynamodb:UpdateItem"):
        assert decider().allows(exported()["compose_answer"], action, table, context=context) is may


def test_the_intake_uses_its_own_table_alone() -> None:
    calls = [state.body for state in states(INTAKE_MACHINE) if "dynamodb" in state.body.get("Resource", "")]
    assert {body["Arguments"]["TableName"] for body in calls} == {"${intake_table}"}
    actions = {body["Resource"].rpartition(":")[2] for body in calls}
    assert actions == {"updateItem", "deleteItem", "query"}
    for action in ("DeleteItem", "Query", "UpdateItem"):
        table = f"arn:aws:dynamodb:{HERE}:table/selfrag-intake"
        assert decider().allows(exported()["intake"], f"dynamodb:{action}", table)


# AWS's examples give it to every reader and writer; that it can be left out was not tried there.
NEVER_ASKED = {
    ("retrieve", "aoss:DescribeIndex", "index/selfrag-nextgen/passages"),
    ("ask", "aoss:DescribeIndex", "index/selfrag-nextgen/passages"),
    ("remove_passages", "aoss:DescribeIndex", "index/selfrag-nextgen/passages"),
    # Only an index that a former release made lacks a field: tests/contract/test_mapping.py.
    ("index_passages", "aoss:UpdateIndex", "index/selfrag-nextgen/passages"),
}


def test_data_access_policy_matches_recorded_calls(recorded: set[Call]) -> None:
    allowed = {
        (principal.rpartition("/selfrag-")[2], permission, index)
        for grant in exported()["collection"]
        for principal in grant["Principal"]
        for rule in grant["Rules"]
        for permission in rule["Permission"]
        for index in rule["Resource"]
    }
    assert {call for call in recorded if call[2].startswith("index/")} == allowed - NEVER_ASKED
    assert allowed >= NEVER_ASKED


def test_no_action_is_a_wildcard() -> None:
    allowed = rows("Calls of the code") | rows("Calls of AWS itself")
    assert len(allowed) > 20
    assert not [action for _, action in allowed if "*" in action]
