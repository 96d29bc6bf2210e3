"""The fine-tuned model in the Terraform: nothing of it unless it is asked for, and then no more than that."""

import pytest

from tests.support.infra.planned import Plan, Planner

HERE = "us-east-1:000000000000"
IMAGE = "763104351884.dkr.ecr.us-east-1.amazonaws.com/djl-inference:lmi"
ENDPOINT = {"selfrag_endpoint_name": "Mine", "selfrag_component_name": "one"}
HOSTED = {"selfrag_hosting": True, "selfrag_image": IMAGE}
ASKING = {'step["generate"]', 'step["decide_retrieval"]'}
FUNCTIONS = {f"aws_lambda_function.{name}" for name in ASKING}


@pytest.fixture
def usual(planned: Planner) -> Plan:
    """Return a deployment that knows nothing of the model."""
    return planned()


def actions(plan: Plan) -> set[tuple[str, str]]:
    """Return who may do what, as the plan has it."""
    return {
        (who, action) for who, statements in plan.allowed.items() for each in statements for action in each["actions"]
    }


def test_without_being_told_nothing_is_made_and_nobody_may_ask_the_model(usual: Plan) -> None:
    kinds = {address.split(".")[0] for address in usual.resources}
    assert len(kinds) > 30
    assert not [kind for kind in kinds if "sagemaker" in kind or "budgets" in kind]
    assert not [address for address in usual.resources if address.endswith((".generator", ".generator[0]"))]
    may = actions(usual)
    assert len(may) > 100
    assert not [action for _, action in may if action.startswith(("sagemaker:", "ecr:"))]
    assert not any(usual.told.values())
    assert {usual.resources[name]["timeout"] for name in FUNCTIONS} == {30}


def test_of_an_endpoint_of_yours_two_steps_may_invoke_it_and_nothing_else_changes(
    planned: Planner, usual: Plan
) -> None:
    found = planned(**ENDPOINT)
    assert found.resources.keys() == usual.resources.keys()
    assert actions(found) - actions(usual) == {(who, "sagemaker:InvokeEndpoint") for who in ASKING}
    for who in ASKING:
        [asks] = [each for each in found.allowed[who] if each["sid"] == "AskGenerator"]
        arn = f"arn:aws:sagemaker:{HERE}"
        assert asks["resources"] == [f"{arn}:endpoint/Mine", f"{arn}:endpoint/mine", f"{arn}:inference-component/one"]
    # Of an endpoint's model its server alone knows the name.
    names = {"SELFRAG_GENERATOR_ENDPOINT": "Mine", "SELFRAG_GENERATOR_COMPONENT": "one"}
    assert {step: of for step, of in found.told.items() if of} == {
        "ask": {"SELFRAG_GENERATOR_ENDPOINT": "Mine"}, "decide_retrieval": names, "generate": names
    }  # fmt: skip


def test_who_asks_an_endpoint_is_there_when_it_answers_after_60_seconds(planned: Planner, usual: Plan) -> None:
    found = planned(**ENDPOINT)
    of = {
        name: values["timeout"] for name, values in found.resources.items() if name.startswith("aws_lambda_function.")
    }
    changed = {name: seconds for name, seconds in of.items() if usual.resources[name]["timeout"] != seconds}
    assert changed == dict.fromkeys(FUNCTIONS, 70)


def test_of_a_server_of_yours_two_steps_read_its_key_and_no_role_may_ask_sagemaker(
    planned: Planner, usual: Plan
) -> None:
    url = {"selfrag_generator_url": "https://llm.example.com"}
    without_key = planned(**url)
    assert without_key.resources.keys() == usual.resources.keys()
    assert actions(without_key) == actions(usual)
    found = planned(**url, selfrag_generator_secret=True)
    assert found.resources.keys() - usual.resources.keys() == {"aws_secretsmanager_secret.generator[0]"}
    sids = {who: {each["sid"] for each in statements} for who, statements in found.allowed.items()}
    assert {who for who, of in sids.items() if "ReadGeneratorKey" in of} == ASKING
    assert not [action for _, action in actions(found) if action.startswith("sagemaker:")]
    assert found.told["ask"] == {"SELFRAG_GENERATOR_URL": "https://llm.example.com"}
    assert found.told["generate"].keys() - without_key.told["generate"].keys() == {"SELFRAG_GENERATOR_SECRET"}


@pytest.fixture
def hosted(planned: Planner) -> Plan:
    """Return a deployment that hosts the model."""
    return planned(**HOSTED)


def test_a_model_that_is_hosted_has_an_endpoint_a_role_two_alarms_and_a_budget(hosted: Plan, usual: Plan) -> None:
    assert hosted.resources.keys() - usual.resources.keys() == {
        "aws_budgets_budget.generator[0]",
        "aws_cloudwatch_log_group.generator[0]",
        'aws_cloudwatch_metric_alarm.alarm["endpoint-errors"]',
        'aws_cloudwatch_metric_alarm.alarm["endpoint-latency"]',
        "aws_iam_role.generator[0]",
        "aws_iam_role_policy.generator[0]",
        "aws_sagemaker_endpoint.generator[0]",
        "aws_sagemaker_endpoint_configuration.generator[0]",
        "aws_sagemaker_model.generator[0]",
        "data.aws_iam_policy_document.generator[0]",
    }
    [variant] = hosted.resources["aws_sagemaker_endpoint_configuration.generator[0]"]["production_variants"]
    assert (variant["instance_type"], variant["initial_instance_count"]) == ("ml.g5.2xlarge", 1)
    [container] = hosted.resources["aws_sagemaker_model.generator[0]"]["primary_container"]
    assert container["image"] == IMAGE
    assert container["environment"]["HF_MODEL_ID"] == "selfrag/selfrag_llama2_7b"
    assert container["environment"]["OPTION_MAX_MODEL_LEN"] == "4096"
    for name in ("errors", "latency"):
        alarm = hosted.resources[f'aws_cloudwatch_metric_alarm.alarm["endpoint-{name}"]']
        assert alarm["dimensions"] == {"EndpointName": "selfrag-generator", "VariantName": variant["variant_name"]}


def test_the_role_of_a_hosted_model_fetches_its_image_and_writes_its_log_and_no_more(hosted: Plan, usual: Plan) -> None:
    statements = {each["sid"]: each for each in hosted.allowed["generator[0]"]}
    assert statements.keys() == {"Log", "Measure", "LogIntoRegistry", "FetchImage"}
    assert statements["FetchImage"]["resources"] == ["arn:aws:ecr:us-east-1:763104351884:repository/djl-inference"]
    assert {who for who, _ in actions(hosted) - actions(usual)} == {"generator[0]", *ASKING}
    for who in ASKING:
        [asks] = [each for each in hosted.allowed[who] if each["sid"] == "AskGenerator"]
        assert asks["resources"] == [f"arn:aws:sagemaker:{HERE}:endpoint/selfrag-generator"]
    assert hosted.told["generate"]["SELFRAG_GENERATOR_ENDPOINT"] == "selfrag-generator"


def test_what_a_hosted_model_costs_above_its_budget_is_told_to_the_topic_of_the_alarms(
    hosted: Plan, usual: Plan
) -> None:
    budget = hosted.resources["aws_budgets_budget.generator[0]"]
    assert (budget["limit_amount"], budget["limit_unit"], budget["time_unit"]) == ("1200", "USD", "MONTHLY")
    assert {each["notification_type"] for each in budget["notification"]} == {"ACTUAL", "FORECASTED"}
    speaks = {
        name: {service for each in plan.allowed["alarms"] for of in each["principals"] for service in of["identifiers"]}
        for name, plan in {"hosted": hosted, "usual": usual}.items()
    }
    assert speaks["usual"] == {"cloudwatch.amazonaws.com"}
    assert speaks["hosted"] == {"cloudwatch.amazonaws.com", "budgets.amazonaws.com"}


def test_weights_of_yours_are_read_from_their_place_alone_and_the_container_has_no_network(planned: Planner) -> None:
    found = planned(**HOSTED, selfrag_model_data="s3://models/selfrag/7b/")
    model = found.resources["aws_sagemaker_model.generator[0]"]
    assert model["enable_network_isolation"] is True
    [container] = model["primary_container"]
    [source] = container["model_data_source"][0]["s3_data_source"]
    assert (source["s3_uri"], container["environment"]["HF_MODEL_ID"]) == ("s3://models/selfrag/7b/", "/opt/ml/model")
    statements = {each["sid"]: each for each in found.allowed["generator[0]"]}
    assert statements["ReadWeights"]["resources"] == ["arn:aws:s3:::models/selfrag/7b/*"]
    assert statements["ListWeights"]["resources"] == ["arn:aws:s3:::models"]
    assert statements["ListWeights"]["condition"][0]["values"] == ["selfrag/7b/*"]
