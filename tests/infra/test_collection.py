"""The collection: NextGen by a stack of CloudFormation, which scales to zero, or classic, and how it is kept awake."""

import json
import re
from pathlib import Path
from typing import Any

import boto3
import jsonschema
import pytest

from selfrag.domain.steps import RetrieveTask
from tests.support.infra.asking import at
from tests.support.infra.emulator import Stack, emulator
from tests.support.infra.planned import Plan, Planner
from tests.support.infra.tools import ROOT

NEXTGEN, CLASSIC = "aws_cloudformation_stack.collection[0]", "aws_opensearchserverless_collection.passages[0]"
POLICIES = ("security_policy.encryption", "security_policy.network", "access_policy.data")
OTHER = {"Rules": [{"ResourceType": "collection", "Resource": ["collection/taken*"]}], "AWSOwnedKey": True}
# AWS's schemas of the two types.
SCHEMAS = json.loads((ROOT / "tests/support/emulated/collection_groups.json").read_text(encoding="utf-8"))


def template_of(plan: Plan) -> Any:
    return json.loads(plan.resources[NEXTGEN]["template_body"])


def test_new_deployment_has_a_collection_that_scales_to_zero_with_a_limit(planned: Planner) -> None:
    assert CLASSIC not in planned().resources
    resources = template_of(planned(collection_max_ocus=16))["Resources"]
    group, collection = (resources[name]["Properties"] for name in ("Group", "Collection"))
    assert (group["Generation"], group["StandbyReplicas"]) == ("NEXTGEN", "ENABLED")
    assert set(group["CapacityLimits"].items()) == {
        ("MinIndexingCapacityInOcu", 0), ("MinSearchCapacityInOcu", 0),
        ("MaxIndexingCapacityInOcu", 16), ("MaxSearchCapacityInOcu", 16),
    }  # fmt: skip
    assert (collection["Type"], collection["CollectionGroupName"]) == ("VECTORSEARCH", group["Name"])


def test_the_template_is_one_that_cloudformation_takes(planned: Planner) -> None:
    template = template_of(planned(name="a" * 21))
    for resource in template["Resources"].values():
        schema = SCHEMAS[resource["Type"]]
        jsonschema.Draft7Validator(schema).validate(resource["Properties"])
        assert not {f"/properties/{name}" for name in resource["Properties"]} & set(schema["readOnlyProperties"])
    collection = SCHEMAS[template["Resources"]["Collection"]["Type"]]
    for output in template["Outputs"].values():
        name, attribute = output["Value"]["Fn::GetAtt"]
        assert (name, f"/properties/{attribute}" in collection["readOnlyProperties"]) == ("Collection", True)


def test_an_update_that_would_replace_the_collection_is_denied_by_the_stack(planned: Planner) -> None:
    statements = json.loads(planned().resources[NEXTGEN]["policy_body"])["Statement"]
    [denied] = [statement for statement in statements if statement["Effect"] == "Deny"]
    assert set(denied["Action"]) == {"Update:Delete", "Update:Replace"}


def test_classic_collection_is_chosen_by_name_with_same_policies(planned: Planner) -> None:
    classic = planned(collection="classic", standby_replicas=False).resources
    assert NEXTGEN not in classic
    assert classic[CLASSIC]["standby_replicas"] == "DISABLED"
    for policy in (f"aws_opensearchserverless_{each}[0]" for each in POLICIES):
        nextgen = planned().resources[policy]["policy"]
        assert classic[policy]["policy"] == nextgen.replace("selfrag-nextgen", "selfrag")
        assert re.search('/selfrag-nextgen[/"]', nextgen)


def test_collection_is_kept_awake_only_in_named_hours(planned: Planner) -> None:
    assert not [address for address in planned().resources if "aws_scheduler" in address]
    plan = planned(keep_awake={"timezone": "Europe/Berlin"})
    [schedule] = [values for address, values in plan.resources.items() if "aws_scheduler" in address]
    assert (schedule["schedule_expression"], schedule["schedule_expression_timezone"]) == (
        "cron(0/5 7-18 ? * MON-FRI *)", "Europe/Berlin"
    )  # fmt: skip
    # Retrieve takes the event as one of its tasks, and looks for a passage that no collection has.
    task = RetrieveTask.model_validate_json(schedule["target"][0]["input"])
    assert (task.passage_ids, task.queries) == (["none"], [])
    [statement] = plan.allowed["keep_warm"]
    assert (statement["actions"], len(statement["resources"])) == (["lambda:InvokeFunction"], 1)


@pytest.mark.long
def test_deployment_moves_to_nextgen_and_failed_stack_keeps_its_collection(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    with emulator(tmp_path) as aws:
        stack = Stack(aws, tmp_path / "stack", packages, {"collection": "classic"})
        client = boto3.client("opensearchserverless", **at(stack))

        def apply() -> None:
            stack.apply("aws_opensearchserverless_collection.passages", "aws_cloudformation_stack.collection")

        def made() -> dict[str, str]:
            found = client.batch_get_collection(names=["selfrag", "selfrag-nextgen"])["collectionDetails"]
            return {each["name"]: each["id"] for each in found}

        apply()
        assert made().keys() == {"selfrag"}
        stack.set(collection="nextgen")
        apply()
        moved = made()
        assert moved.keys() == {"selfrag-nextgen"}
        stack.set(tags={"team": "search"})
        with pytest.raises(pytest.fail.Exception, match="Action denied by stack policy"):
            apply()
        assert made() == moved
        stack.set(name="taken", tags={})
        client.create_security_policy(name="other", type="encryption", policy=json.dumps(OTHER))
        client.create_collection(name="taken-nextgen", type="SEARCH")
        with pytest.raises(pytest.fail.Exception, match="A collection with name taken-nextgen already exists"):
            apply()


def test_a_search_has_the_time_of_its_function(planned: Planner) -> None:
    seconds = planned().resources['aws_lambda_function.step["retrieve"]']["timeout"]
    assert f"$min([{seconds}, " in (ROOT / "functions/selfrag/workflows/question.asl.yaml").read_text(encoding="utf-8")
