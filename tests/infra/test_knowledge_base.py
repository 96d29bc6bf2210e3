"""A knowledge base in the Terraform: the searching function may query it, and loses unused permissions."""

import json

import pytest

from tests.support.infra.planned import Plan, Planner

ID, COLLECTION, USER = (f"SELFRAG_KNOWLEDGE_BASE_{name}" for name in ("ID", "COLLECTION", "USER_ID"))
ARN = "arn:aws:bedrock:eu-central-1:210987654321:knowledge-base/KB01234567"


def actions_of(plan: Plan, who: str) -> dict[str, list[str]]:
    return {action: each["resources"] for each in plan.allowed[f'step["{who}"]'] for action in each["actions"]}


def principals(plan: Plan) -> int:
    """Return the number of roles that may search the collection."""
    policy = json.loads(plan.resources["aws_opensearchserverless_access_policy.data[0]"]["policy"])
    return len(policy[0]["Principal"])


def test_retrieve_may_query_knowledge_base_but_not_collection_or_embedder(planned: Planner) -> None:
    plan = planned(knowledge_base={"id": "KB01234567", "collection": "handbook", "user_id": "all@example.com"})
    assert plan.told["retrieve"] == {ID: "KB01234567", COLLECTION: "handbook", USER: "all@example.com"}
    assert {step for step, settings in plan.told.items() if ID in settings} == {"retrieve"}
    actions = actions_of(plan, "retrieve")
    (arn,) = actions["bedrock:Retrieve"]
    assert arn.endswith(":knowledge-base/KB01234567")
    assert not {"aoss:APIAccessAll", "bedrock:InvokeModel"} & actions.keys()
    assert principals(plan) == principals(planned()) - 1
    others = [who for who in plan.told if who != "retrieve" and "bedrock:Retrieve" in actions_of(plan, who)]
    assert others == []


def test_knowledge_base_of_another_account_is_named_by_arn(planned: Planner) -> None:
    plan = planned(knowledge_base={"id": ARN})
    assert plan.told["retrieve"] == {ID: ARN}
    assert actions_of(plan, "retrieve")["bedrock:Retrieve"] == [ARN]


def test_uploads_are_closed_where_nothing_would_find_them(planned: Planner) -> None:
    assert planned(knowledge_base={"id": "KB01234567"}).told["ask"] == {"SELFRAG_UPLOADS": "false"}


def test_default_plan_has_no_knowledge_base_and_unchanged_roles(planned: Planner) -> None:
    assert not any(planned().told.values())
    actions = actions_of(planned(), "retrieve")
    assert {"aoss:APIAccessAll", "bedrock:InvokeModel"} <= actions.keys()
    assert "bedrock:Retrieve" not in actions


@pytest.mark.parametrize("wrong", ["short", "arn:aws:bedrock:eu-central-1:210987654321:guardrail/KB01234567"])
def test_invalid_knowledge_base_is_refused_by_the_plan(planned: Planner, wrong: str) -> None:
    with pytest.raises(AssertionError, match="Invalid value for variable"):
        planned(knowledge_base={"id": wrong})
