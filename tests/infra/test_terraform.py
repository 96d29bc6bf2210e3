"""The Terraform is formatted and valid, and it refuses values that could not work."""

import json
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ask.handler import handler
from ask.routes.description import DESCRIPTION
from cli.local.serving.invocation import COMPRESSED_FROM_BYTES
from infra.packages.package import FUNCTIONS
from infra.packages.zips import LAYERS, steps_of
from tests.support.infra.tools import (
    INFRA,
    can_decide,
    copy_configuration,
    environment,
    provider_mirror,
    run,
    terraform,
)
from tests.support.roles.roles import decider

# Nothing answers here: a plan that gets as far as calling AWS ends at once.
NOWHERE = "http://127.0.0.1:9"
# The routes that need no key, by path.
PATHS = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["paths"]
OPEN = {path: [method for method, route in of.items() if route.get("security") == [{}]] for path, of in PATHS.items()}
CORS = "[[for each in local.methods : each.method], local.gateway_responses]"

WRONG: dict[str, tuple[Any, str]] = {
    "name": ("Self_RAG", "name must be 3 to 21 characters"),
    "max_retries": (0, "max_retries must be"),
    "log_retention_days": (31, "log_retention_days must be"),
    "kms_key_arn": ("alias/mine", "kms_key_arn must be the ARN of a key"),
    "architecture": ("arm", "architecture must be"),
    "memory": ({"grade": 512}, "memory names a function that does not exist"),
    "account_concurrency": (9, "account_concurrency must be a whole number"),
    "log_level": ("ERROR", "log_level must be"),
    "model_provider": (
        "bedrock",
        "a Claude model for each of: decide_retrieval, generate, grade_relevance,",
    ),
    "model_base_url": ("localhost", "model_base_url must be a URL"),
    "text_recognition": (True, "text_recognition must be"),
    "prices": ({"claude": [-1, 0, 0]}, "prices cannot be negative"),
    "verdict_ttl_days": (0, "verdict_ttl_days must be"),
    "collections": ([], "collections must name at least one"),
    "key_collections": ({"key": []}, "key_collections must name at least one collection for each caller"),
    "index_writers": (["me"], "index_writers must be ARNs"),
    "index": ({"name": "Passages", "vector_dimensions": 384}, "index must have vector_dimensions that the embedding"),
    "embedding_region": ("Virginia", "embedding_region must be the name of a region"),
    "reindex_concurrency": (0, "reindex_concurrency must be a whole number"),
    "ingestion_concurrency": (0, "ingestion_concurrency must be a whole number"),
    "evaluation_concurrency": (0, "evaluation_concurrency must be a whole number"),
    "pipeline": ("", "pipeline must be"),
    "upload_origins": (["https://*"], "upload_origins must be origins"),
    "cors_origins": (["http://app.example.com"], "cors_origins must be origins with https"),
    "old_versions_days": (0.5, "old_versions_days must be"),
    "secret_recovery_days": (3, "secret_recovery_days must be"),
    "web_base_url": ("tavily", "web_base_url must be a URL"),
    "auth": ("none", "auth must be api_key or iam"),
    "api_throttle": ({"rate": 0, "burst": 1}, "api_throttle must have"),
    "key_throttle": ({"rate": 1, "burst": 0}, "key_throttle must have"),
    "key_quota_per_day": (0, "key_quota_per_day must be"),
    "web_acl_arn": ("waf", "web_acl_arn must be"),
    "selfrag_endpoint_name": ("arn:aws:sagemaker:::endpoint/e", "selfrag_endpoint_name must be the name"),
    "selfrag_generator_url": ("localhost:8000", "selfrag_generator_url must be a URL"),
    "selfrag_model_data": ("s3://models/7b", "selfrag_model_data must be"),
    "selfrag_image": ("vllm/vllm-openai:latest", "selfrag_image must be the address of an image in ECR"),
    "selfrag_instance_type": ("g5.2xlarge", "selfrag_instance_type must be an instance type"),
    "selfrag_budget": (0, "selfrag_budget must be above 0"),
    "alarm_email": ("me", "alarm_email must be"),
    "thresholds": ({"failures": 0}, "thresholds must be above 0"),
}


@pytest.fixture(scope="module")
def infra(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("terraform")
    copy_configuration(directory)
    run([terraform(), "init", "-input=false", "-backend=false", *provider_mirror()], directory, environment(directory))
    return directory


def test_every_file_is_formatted(tmp_path: Path) -> None:
    done = run([terraform(), "fmt", "-check", "-recursive", "-diff"], INFRA, environment(tmp_path), check=False)
    assert done.stdout == ""
    assert done.returncode == 0


def test_the_configuration_is_valid_and_without_warnings(infra: Path) -> None:
    found = json.loads(run([terraform(), "validate", "-json"], infra, environment(infra)).stdout)
    assert found["valid"]
    assert found["diagnostics"] == []


def test_each_wrong_value_is_refused_with_its_reason(infra: Path) -> None:
    said = _plan(infra, {name: value for name, (value, _) in WRONG.items()})
    assert [name for name, (_, reason) in WRONG.items() if reason not in said] == []


STEPS = ["decide_retrieval", "generate", "grade_relevance", "grade_support", "grade_utility", "rewrite_question"]
ON_BEDROCK = dict.fromkeys(STEPS, "us.anthropic.claude-sonnet-5-5")


def test_a_profile_that_is_not_there_is_refused(infra: Path) -> None:
    assert "profile must be thrifty, balanced or strict" in _plan(
        infra, {"collection_public": True, "profile": "cheap"}
    )


@pytest.mark.parametrize(
    ("profile", "models", "refusal"),
    [
        ("balanced", ON_BEDROCK, "rewrite_question, grade_support_first."),
        ("balanced", {**ON_BEDROCK, "grade_support_first": "claude"}, "rewrite_question, grade_support_first."),
        ("balanced", {**ON_BEDROCK, "grade_support_first": "anthropic.claude-haiku-5-5"}, ""),
        ("strict", ON_BEDROCK, ""),
        ("thrifty", {**ON_BEDROCK, "generate_first": "anthropic.claude"}, "models may name only the steps"),
    ],
)
def test_on_bedrock_the_balanced_profile_needs_the_id_of_the_model_that_judges_support_first(
    infra: Path, profile: str, models: dict[str, str], refusal: str
) -> None:
    chosen = {"collection_public": True, "model_provider": "bedrock", "profile": profile, "models": models}
    said = _plan(infra, chosen)
    assert refusal in said
    assert ("models m" in said) == bool(refusal)


def test_the_check_of_support_may_invoke_both_of_its_models_and_no_other_step_may(infra: Path) -> None:
    models = {**ON_BEDROCK, "grade_support_first": "anthropic.claude-haiku-5-5"}
    allowed = _worked_out(infra, "local.models_of", model_provider="bedrock", models=models)
    assert allowed == {step: [models[step]] for step in STEPS} | {"grade_support": list(dict.fromkeys(models.values()))}


def test_a_model_behind_a_profile_may_be_invoked_by_way_of_that_profile_alone(infra: Path) -> None:
    known = {"partition": "aws", "region": "us-east-1", "account": "123456789012", "here": "us-east-1:123456789012"}
    (infra / "known_override.tf.json").write_text(json.dumps({"locals": known}))
    models = {**ON_BEDROCK, "generate": "eu.anthropic.claude-sonnet-5-5", "grade_support_first": "anthropic.claude-h"}
    found = _worked_out(infra, "local.model_statements", model_provider="bedrock", models=models)
    profile = f"arn:aws:bedrock:{known['here']}:inference-profile/{models['generate']}"
    actions = ["bedrock:InvokeModel"]
    assert found["generate"] == [
        {"sid": "AskModel", "actions": actions, "resources": [profile]},
        {"sid": "AskModelByProfile", "actions": actions, "profiles": [profile],
         "resources": ["arn:aws:bedrock:*::foundation-model/anthropic.claude-sonnet-5-5"]},
    ]  # fmt: skip
    own = "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-h"
    assert own in found["grade_support"][0]["resources"]
    if can_decide():
        policy = {"Version": "2012-10-17", "Statement": [_as_aws_has_it(each) for each in found["generate"]]}
        elsewhere = "arn:aws:bedrock:eu-west-3::foundation-model/anthropic.claude-sonnet-5-5"
        decide = partial(decider().allows, policy, *actions)
        assert decide(profile)
        assert decide(elsewhere, context={"bedrock:InferenceProfileArn": profile})
        assert not decide(elsewhere)
        assert not decide(elsewhere, context={"bedrock:InferenceProfileArn": profile.replace("/eu.", "/global.")})


def _as_aws_has_it(statement: dict[str, Any]) -> dict[str, Any]:
    """Return a statement of the locals as the data source makes it."""
    condition = {"StringEquals": {"bedrock:InferenceProfileArn": statement.get("profiles")}}
    made = {"Sid": statement["sid"], "Effect": "Allow", "Action": statement["actions"]}
    more = {"Condition": condition} if "profiles" in statement else {}
    return {**made, "Resource": statement["resources"], **more}


CHOOSE = "Choose how the collection is reached"
PRIVATE = {"collection_vpc_endpoint_ids": ["vpce-1"], "subnet_ids": ["subnet-1"], "security_group_ids": ["sg-1"]}


@pytest.mark.parametrize(
    ("chosen", "refusal"),
    [
        ({}, CHOOSE),
        ({**PRIVATE, "collection_public": True}, CHOOSE),
        ({**PRIVATE, "collection_vpc_endpoint_ids": ["vpc-1"]}, "must be ids that start with vpce-"),
        ({**PRIVATE, "subnet_ids": [], "security_group_ids": []}, "A private collection needs subnet_ids"),
        ({**PRIVATE, "security_group_ids": []}, "subnet_ids and security_group_ids belong together"),
    ],
)
def test_how_the_collection_is_reached_has_to_be_chosen(infra: Path, chosen: dict[str, Any], refusal: str) -> None:
    assert refusal in _plan(infra, chosen)


@pytest.mark.parametrize(
    ("chosen", "refusal"),
    [
        (
            {"selfrag_hosting": True, "selfrag_endpoint_name": "e"},
            "Choose one: selfrag_hosting = true, selfrag_endpoint",
        ),
        ({"selfrag_generator_url": "http://s", "selfrag_endpoint_name": "e"}, "Choose one: selfrag_hosting = true"),
        ({"selfrag_hosting": True}, "selfrag_hosting needs selfrag_image"),
        ({"selfrag_endpoint_name": "e", "selfrag_component_name": "a/b"}, "selfrag_component_name must be the name"),
        ({"selfrag_component_name": "one"}, "selfrag_component_name belongs to selfrag_endpoint_name"),
        ({"selfrag_generator_secret": True}, "selfrag_generator_secret belongs to selfrag_generator_url"),
    ],
)
def test_what_belongs_to_a_choice_of_the_fine_tuned_model_needs_that_choice(
    infra: Path, chosen: dict[str, Any], refusal: str
) -> None:
    assert refusal in _plan(infra, {"collection_public": True, **chosen})


def test_packages_of_another_processor_are_refused(infra: Path, tmp_path: Path) -> None:
    (tmp_path / "architecture").write_text("arm64\n")
    chosen = {"collection_public": True, "package_directory": str(tmp_path)}
    refusal = "run `make package ARCHITECTURE=x86_64`"
    assert refusal in _plan(infra, {**chosen, "architecture": "x86_64"})
    assert refusal not in _plan(infra, {**chosen, "architecture": "arm64"})


def test_what_others_may_ask_are_collections(infra: Path) -> None:
    said = _plan(infra, {"collection_public": True, "collections": ["a"], "default_collections": ["b"]})
    assert "default_collections must be among collections" in said


@pytest.mark.parametrize(
    ("limit", "share", "rate"), [(None, -1, None), (10, -1, 0.3), (119, -1, 4.5), (120, 20, 4.6), (2000, 333, 50)]
)
def test_the_door_takes_what_the_account_carries_and_leaves_aws_the_hundred_that_it_keeps(
    infra: Path, limit: int | None, share: int, rate: float | None
) -> None:
    reserved, throttles = _worked_out(infra, "[local.ask_share, local.question_throttles]", account_concurrency=limit)
    assert reserved == share
    asked = {throttles[path]["rate"] for path in ("~1v1~1ask/POST", "~1v1~1questions/POST")} if limit else {None}
    assert asked == {rate}
    assert all(throttle["burst"] >= 2 for throttle in throttles.values())


def test_a_reservation_that_aws_would_refuse_is_refused_by_the_plan(infra: Path) -> None:
    refusal = "leave fewer than 100 of account_concurrency"
    chosen = {"collection_public": True, "account_concurrency": 200, "reserved_concurrency": {"ask": 80, "plan": -1}}
    assert refusal not in _plan(infra, chosen)
    assert refusal in _plan(infra, {**chosen, "reserved_concurrency": {"ask": 80, "plan": 21}})
    assert "must be whole numbers" in _plan(infra, {**chosen, "reserved_concurrency": {"retrieve": -2}})
    # A share for `ask` is reserved, too.
    assert refusal in _plan(infra, {**chosen, "reserved_concurrency": {"plan": 80}})


def test_the_gateway_says_of_its_health_what_the_function_says_and_is_asked_seldom(infra: Path) -> None:
    healthy, throttles, all_others = _worked_out(infra, "[local.healthy, local.open_throttles, var.api_throttle]")
    request = {"httpMethod": "GET", "path": "/v1/health", "headers": {}, "requestContext": {"requestId": "r"}}
    assert json.loads(healthy) == json.loads(handler(request, None)["body"])
    opened = {path.replace("/", "~1") for path, of in OPEN.items() if of}
    assert throttles.keys() == {f"{path}/{method}" for path in [*opened, "~1"] for method in ("GET", "HEAD")}
    assert all(throttle["rate"] < all_others["rate"] / 10 for throttle in throttles.values())


def test_the_gateway_compresses_replies_from_the_size_that_the_laptop_does(infra: Path) -> None:
    assert _worked_out(infra, "local.compressed_from") == COMPRESSED_FROM_BYTES


PAGE = ("GET", "/", True)


def test_the_gateway_has_a_route_for_each_request_that_the_api_describes_and_for_the_page(infra: Path) -> None:
    described = {(method.upper(), path, method in OPEN[path]) for path, of in PATHS.items() for method in of}
    assert _listed(infra, "local.routes") == described | {PAGE}
    assert _listed(infra, "local.routes", auth="iam") == described, "a browser cannot sign"


def test_any_other_method_is_for_the_function_to_answer_once_a_key_was_shown(infra: Path) -> None:
    routes, methods = _listed(infra, "local.routes"), _listed(infra, "local.methods")
    assert {each for each in methods - routes if each[0] == "ANY"} == {("ANY", path, False) for _, path, _ in routes}
    heads = {("HEAD", path, True) for _, path, is_open in routes if is_open}
    assert {each for each in methods - routes if each[0] != "ANY"} == heads


def test_pages_from_elsewhere_may_ask_only_if_their_origins_are_named(infra: Path) -> None:
    kinds, headers = _worked_out(infra, CORS)
    assert "OPTIONS" not in kinds
    assert "Access-Control" not in json.dumps(headers)
    kinds, headers = _worked_out(infra, CORS, cors_origins=["https://app.example.com", "https://b.example.com"])
    # Everywhere but at the page, which no other origin has to read.
    assert kinds.count("OPTIONS") == len(PATHS)
    for of in (response["responseParameters"] for response in headers.values()):
        assert of["gatewayresponse.header.Access-Control-Allow-Origin"] == "'*'"
        assert "Retry-After" in of["gatewayresponse.header.Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    ("origins", "refused"),
    [
        (["*"], False),
        (["https://a.example.com:8443", "https://b.example.com"], False),
        (["*", "https://a.example.com"], True),
        (["https://*.example.com"], True),
        (["https://a.example.com/"], True),
        (["https://a.example.com,https://b.example.com"], True),
    ],
)
def test_an_origin_is_a_name_with_https_or_all_are(infra: Path, origins: list[str], refused: bool) -> None:
    said = _plan(infra, {"collection_public": True, "cors_origins": origins})
    assert ("cors_origins must be origins" in said) == refused


SAME_NAME, NO_NAME = "give the new index a new name", "search_index must have a name and vector_dimensions"


@pytest.mark.parametrize(
    ("index", "search_index", "refusals"),
    [
        ({"vector_dimensions": 256}, {"name": "passages"}, {SAME_NAME}),
        ({"name": "new", "vector_dimensions": 256}, {"name": "passages"}, set()),
        ({}, {"name": "_all"}, {NO_NAME}),
        ({}, {"name": "old", "vector_dimensions": 384}, {NO_NAME}),
    ],
)
def test_two_indices_at_a_time_must_differ_in_name(
    infra: Path, index: dict[str, Any], search_index: dict[str, Any], refusals: set[str]
) -> None:
    said = _plan(infra, {"collection_public": True, "index": index, "search_index": search_index})
    assert {refusal for refusal in (SAME_NAME, NO_NAME) if refusal in said} == refusals


def _listed(directory: Path, routes: str, **values: Any) -> set[tuple[str, str, bool]]:
    """Of routes the method, the path, and whether they are open."""
    found = _worked_out(directory, f"[for each in {routes} : [each.method, each.path, each.open]]", **values)
    return {tuple(each) for each in found}


def test_a_change_that_would_empty_the_collection_is_refused_unless_it_is_allowed(
    infra: Path, record_property: Any
) -> None:
    for package in [*steps_of(FUNCTIONS), *LAYERS]:
        (infra / f"{package}.zip").touch()
    shutil.copy(Path(__file__).with_name("collection.tftest.hcl"), infra)
    done = run([terraform(), "test", "-no-color"], infra, environment(infra), check=False)
    record_property("figures", done.stdout.strip().splitlines()[-1])
    assert "7 passed, 0 failed" in done.stdout, done.stdout


def test_the_stamp_of_a_document_names_its_collection(infra: Path) -> None:
    stamps = [
        _worked_out(infra, "local.environments.claim_document.SELFRAG_PIPELINE", collection_endpoint=endpoint)
        for endpoint in ("https://abc.us-east-1.aoss.amazonaws.com", "https://def.us-east-1.aoss.amazonaws.com")
    ]
    assert stamps == ["1/passages/512/abc", "1/passages/512/def"]


def _worked_out(directory: Path, expression: str, **values: Any) -> Any:
    """Return the value of an expression with these values of the variables."""
    (directory / "chosen.json").write_text(json.dumps({"collection_public": True, **values}))
    command = [terraform(), "console", "-var-file=chosen.json"]
    env = environment(directory)
    asked = f"jsonencode({expression})"
    done = subprocess.run(command, input=asked, cwd=directory, env=env, capture_output=True, text=True, check=True)
    return json.loads(json.loads(done.stdout))


def _plan(directory: Path, values: dict[str, Any]) -> str:
    """Return what a plan with these values says; it cannot succeed, since there is no AWS."""
    (directory / "values.json").write_text(json.dumps({"max_retries": 1, **values}))
    command = [terraform(), "plan", "-input=false", "-no-color", "-refresh=false", "-var-file=values.json"]
    done = run(command, directory, environment(directory, AWS_ENDPOINT_URL=NOWHERE), check=False)
    assert done.returncode != 0
    return " ".join(done.stderr.replace("│", " ").split())
