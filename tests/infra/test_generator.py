"""The fine-tuned model in the Terraform: nothing of it unless it is asked for, and then no more than that."""

import pytest

from tests.support.infra.planned import Plan, Planner

ASKING = {'step["generate"]', 'step["decide_retrieval"]'}


@pytest.fixture
def usual(planned: Planner) -> Plan:
    """Return a deployment that knows nothing of the model."""
    return planned()


def actions(plan: Plan) -> set[tuple[str, str]]:
    """Return who may do what, as the plan has it."""
    return {
        (who, action) for who, statements in plan.allowed.items() for each in statements for action in each["actions"]
    }


def test_without_a_url_nothing_is_made_and_no_step_has_the_model(usual: Plan) -> None:
    assert not [address for address in usual.resources if address.endswith((".generator", ".generator[0]"))]
    assert len(actions(usual)) > 100
    assert not any(usual.told.values())


def test_of_a_server_of_yours_two_steps_read_its_key(planned: Planner, usual: Plan) -> None:
    url = {"selfrag_generator_url": "https://llm.example.com"}
    without_key = planned(**url)
    assert without_key.resources.keys() == usual.resources.keys()
    assert actions(without_key) == actions(usual)
    found = planned(**url, selfrag_generator_secret=True)
    assert found.resources.keys() - usual.resources.keys() == {"aws_secretsmanager_secret.generator[0]"}
    sids = {who: {each["sid"] for each in statements} for who, statements in found.allowed.items()}
    assert {who for who, of in sids.items() if "ReadGeneratorKey" in of} == ASKING
    assert found.told["ask"] == {"SELFRAG_GENERATOR_URL": "https://llm.example.com"}
    assert found.told["generate"].keys() - without_key.told["generate"].keys() == {"SELFRAG_GENERATOR_SECRET"}
