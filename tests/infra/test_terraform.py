"""The Terraform is formatted and valid, and it refuses values that could not work."""

import json
import shutil
import subprocess
from collections.abc import Callable
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from selfrag.api.edge.cors import SECURITY_HEADERS
from selfrag.api.handler import handler
from selfrag.api.routes.description import DESCRIPTION
from selfrag_cli.local.serving.gateway import COMPRESSED_FROM_BYTES
from tests.support.infra.planned import Plan, Planner
from tests.support.infra.tools import INFRA, NOWHERE, can_decide, environment, run, terraform
from tests.support.roles.roles import decider

# The routes that need no key, by path.
PATHS = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["paths"]
OPEN = {path: [method for method, route in of.items() if route.get("security") == [{}]] for path, of in PATHS.items()}

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
        "its vendor's name, for each of: decide_retrieval, generate, grade_relevance, grade_support, grade_utility, "
        "rewrite_question, grade_support_first.",
    ),
    "model_base_url": ("localhost", "model_base_url must be a URL"),
    "text_recognition": (True, "text_recognition must be"),
    "prices": ({"claude": [-1, 0, 0]}, "prices cannot be negative"),
    "retrieval_guidance": ("two\nlines", "retrieval_guidance must be one paragraph"),
    "budget": ({"monthly_usd": 100, "emails": []}, "budget must have monthly_usd of more than 0"),
    "max_cost_usd": (0, "max_cost_usd must be more than 0"),
    "verdict_ttl_days": (0, "verdict_ttl_days must be"),
    "collection": ("serverless", "collection must be nextgen or classic"),
    "collection_max_ocus": (12, "collection_max_ocus must be 2, 4, 8, 16 or a multiple of 16"),
    "collections": ([], "collections must name at least one"),
    "callers": (
        {"key": {"collections": [], "actions": ["delete"]}},
        "callers must have actions among ask and upload",
    ),
    "index_writers": (["me"], "index_writers must be ARNs"),
    "index": ({"name": "Passages", "vector_dimensions": 384}, "index must have vector_dimensions that the embedding"),
    "embedding_region": ("Virginia", "embedding_region must be the name of a region"),
    "reindex_concurrency": (0, "reindex_concurrency must be a whole number"),
    "ingestion_concurrency": (0, "ingestion_concurrency must be a whole number"),
    "pipeline": ("", "pipeline must be"),
    "upload_origins": (["https://*"], "upload_origins must be origins"),
    "cors_origins": (["http://app.example.com"], "cors_origins must be origins with https"),
    "old_versions_days": (0.5, "old_versions_days must be"),
    "secret_recovery_days": (3, "secret_recovery_days must be"),
    "web_base_url": ("tavily", "web_base_url must be a URL"),
    "network": ("some", "network must be collection or all"),
    "endpoint_type": ("EDGE", "endpoint_type must be REGIONAL or PRIVATE"),
    "api_throttle": ({"rate": 0, "burst": 1}, "api_throttle must have"),
    "key_throttle": ({"rate": 1, "burst": 0}, "key_throttle must have"),
    "key_question_throttle": ({"rate": 0, "burst": 1}, "key_question_throttle must have"),
    "key_quota_per_day": (0, "key_quota_per_day must be"),
    "web_acl_arn": ("waf", "web_acl_arn must be"),
    "decider": ({"url": "http://llm.example.com", "model": "m"}, "decider.url must begin with https://"),
    "decider_thresholds": ({"grade_support": {"upper": 0.1, "lower": 0.9}}, "decider_thresholds are from 0 to 1"),
    "alarm_email": ("me", "alarm_email must be"),
    "observability": ("none", "observability must be full or small"),
    "thresholds": ({"failures": 0}, "thresholds must be above 0"),
}


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
TWO_MODELS = {**ON_BEDROCK, "grade_support_first": "anthropic.claude-haiku-5-5"}
NO_CLAUDE = {**ON_BEDROCK, "grade_support_first": "claude-haiku-4.5"}
PRIVATE = {
    "collection_public": False,
    "collection_vpc_endpoint_ids": ["vpce-1"],
    "subnet_ids": ["subnet-1"],
    "security_group_ids": ["sg-1"],
}
FEW_LEFT = "leave fewer than 100 of account_concurrency"
FULL = {"account_concurrency": 200, "reserved_concurrency": {"ask": 80, "plan": -1}}
NO_MODEL = "models must give a Bedrock id"
NO_ORIGIN = "cors_origins must be origins"
SAME_NAME, NO_NAME = "give the new index a new name", "search_index must have a name and vector_dimensions"
Cases = list[tuple[dict[str, Any], str]]
# Related values, and the plan's error, "" if they are valid. A plan reports all errors: the first case of each kind is
# in one plan, the second in the next one.
MODELS: Cases = [
    ({"model_provider": "bedrock", "profile": "balanced", "models": ON_BEDROCK}, NO_MODEL),
    ({"model_provider": "bedrock", "profile": "balanced", "models": NO_CLAUDE}, NO_MODEL),
    ({"model_provider": "bedrock", "profile": "balanced", "models": TWO_MODELS}, ""),
    ({"model_provider": "bedrock", "profile": "strict", "models": ON_BEDROCK}, ""),
    ({"profile": "thrifty", "models": {"generate_first": "anthropic.claude"}}, "models may name only the steps"),
    ({"profile": "cheap"}, "profile must be thrifty, balanced or strict"),
]
REACHED: Cases = [
    ({"collection_public": False}, "Choose how the collection is reached"),
    ({**PRIVATE, "collection_public": True}, "Choose how the collection is reached"),
    ({**PRIVATE, "collection_vpc_endpoint_ids": ["vpc-1"]}, "must be ids that start with vpce-"),
    ({**PRIVATE, "subnet_ids": [], "security_group_ids": []}, "A private collection needs subnet_ids"),
    ({**PRIVATE, "security_group_ids": []}, "subnet_ids and security_group_ids belong together"),
    ({"network": "all"}, 'network = "all" needs subnet_ids'),
    ({**PRIVATE, "network": "all"}, ""),
]
COLLECTION = "https://abc.us-east-1.aoss.amazonaws.com"
GENERATIONS: Cases = [
    ({"standby_replicas": False}, 'standby_replicas = false needs collection = "classic"'),
    ({"standby_replicas": False, "collection": "classic"}, ""),
    ({"standby_replicas": False, "collection_endpoint": COLLECTION}, ""),
    ({"keep_awake": {"expression": "always"}}, "keep_awake.expression must be"),
    ({"keep_awake": {}, "collection": "classic"}, 'keep_awake needs collection = "nextgen"'),
    ({"keep_awake": {"expression": "rate(15 minutes)"}}, "keep_awake.expression must be"),
    ({"keep_awake": {"expression": "rate(5 minutes)"}}, ""),
    ({"keep_awake": {}, "collection_endpoint": COLLECTION}, 'keep_awake needs collection = "nextgen"'),
    ({"keep_awake": {}, "collection": "classic", "collection_endpoint": "https://c.aoss.eu-west-1.on.aws"}, ""),
    ({"keep_awake": {}, "knowledge_base": {"id": "KB01234567"}}, 'keep_awake needs collection = "nextgen"'),
]
DECIDED: Cases = [
    # These depend on the decider, and are not checked while it is invalid.
    ({"graders": {"grade_support": "cascade"}}, "graders that are not claude need a decider"),
    ({"graders": {"generate": "claude"}}, "graders are decide_retrieval"),
]
# The functions depend on the collector: while its address is invalid, their models and copies are not checked.
COLLECTOR: Cases = [
    ({}, ""),
    ({"otlp_endpoint": "https://otlp.example.com/team"}, ""),
    ({"otlp_secret": True}, "otlp_secret belongs to otlp_endpoint"),
    ({"otlp_endpoint": "https://otlp.example.com", "otlp_secret": True}, ""),
    ({"otlp_endpoint": "https://otlp.example.com:4318"}, ""),
    ({"otlp_content": True}, "otlp_content belongs to otlp_endpoint or langfuse_host"),
    ({"langfuse_host": "https://langfuse.example.com", "otlp_content": True}, ""),
    ({"langfuse_host": "https://pk:sk@langfuse.example.com"}, "langfuse_host must be a URL with https"),
    ({"otlp_endpoint": "http://otlp.example.com"}, "otlp_endpoint must be a URL with https"),
    ({"otlp_endpoint": "https://user:key@otlp.example.com"}, "otlp_endpoint must be a URL with https"),
]
PROCESSOR: Cases = [
    ({"architecture": "x86_64"}, "run `make package ARCHITECTURE=x86_64`"),
    ({"architecture": "arm64"}, ""),
]
LONG = [f"department-{number:03}-of-the-organisation" for number in range(500)]
CALLERS: Cases = [
    ({"callers": {"key": {"collections": []}}}, "callers must name at least one collection for each caller"),
    ({"callers": {"key": {"collections": ["a"]}, "default": {"collections": ["a"], "actions": ["upload"]}}}, ""),
    ({"callers": {"key": {"all_collections": True}}}, ""),
    ({"callers": {"key": {"collections": [f"{number:0400}é" for number in range(1000)]}}}, "at most 360 KB"),
    ({"default_collections": ["a"]}, "default_collections must be among collections"),
    ({"collections": LONG, "default_collections": LONG}, "default_collections must take at most 16 KB"),
]
SPENDING: Cases = [
    ({"daily_max_usd": 5}, "daily_max_usd needs max_cost_usd"),
    ({"daily_max_usd": 5, "max_cost_usd": 5.5}, "daily_max_usd needs max_cost_usd"),
    ({"daily_max_usd": 5, "max_cost_usd": 5}, ""),
]
RESERVED: Cases = [
    (FULL, ""),
    ({**FULL, "reserved_concurrency": {"ask": 80, "plan": 21}}, FEW_LEFT),
    ({**FULL, "reserved_concurrency": {"retrieve": -2}}, "must be whole numbers"),
    # A share for `ask` is reserved, too.
    ({**FULL, "reserved_concurrency": {"plan": 80}}, FEW_LEFT),
]
ORIGINS: Cases = [
    ({"cors_origins": ["*"]}, ""),
    ({"cors_origins": ["https://a.example.com:8443", "https://b.example.com"]}, ""),
    ({"cors_origins": ["*", "https://a.example.com"]}, NO_ORIGIN),
    ({"cors_origins": ["https://*.example.com"]}, NO_ORIGIN),
    ({"cors_origins": ["https://a.example.com/"]}, NO_ORIGIN),
    ({"cors_origins": ["https://a.example.com,https://b.example.com"]}, NO_ORIGIN),
]
INDICES: Cases = [
    ({"index": {"vector_dimensions": 256}, "search_index": {"name": "passages"}}, SAME_NAME),
    ({"index": {"name": "new", "vector_dimensions": 256}, "search_index": {"name": "passages"}}, ""),
    ({"search_index": {"name": "_all"}}, NO_NAME),
    ({"search_index": {"name": "old", "vector_dimensions": 384}}, NO_NAME),
]
AUTHORIZER = {"auth": "authorizer", "authorizer_arn": "arn:aws:lambda:us-east-1:000000000000:function:who:live"}
DOMAIN = {"name": "ask.example.com", "certificate_arn": "arn:aws:acm:1"}
ACCESS: Cases = [
    ({"auth": "authorizer"}, "authorizer_arn belong together"),
    ({**AUTHORIZER, "auth": "iam"}, "authorizer_arn belong together"),
    ({"authorizer_usage_plan": True}, "authorizer_usage_plan needs auth"),
    ({**AUTHORIZER, "authorizer_usage_plan": True, "domain": DOMAIN}, ""),
    ({**AUTHORIZER, "authorizer_arn": "who"}, "authorizer_arn must be the ARN of a Lambda function"),
    ({"endpoint_type": "PRIVATE"}, "api_vpc_endpoint_ids belong together"),
    ({"api_vpc_endpoint_ids": ["vpce-1"]}, "api_vpc_endpoint_ids belong together"),
    # Apart from the other wrong values: the functions depend on it, and other variables on the functions.
    ({"auth": "none"}, "auth must be api_key, iam or authorizer"),
    (
        {"endpoint_type": "PRIVATE", "api_vpc_endpoint_ids": ["vpc-1"]},
        "api_vpc_endpoint_ids must be ids that start with vpce-",
    ),
    ({"endpoint_type": "PRIVATE", "api_vpc_endpoint_ids": ["vpce-1"], "domain": DOMAIN}, "domain needs endpoint_type"),
    ({"domain": {**DOMAIN, "name": "https://ask.example.com"}}, "domain needs a name"),
    ({"domain": {**DOMAIN, "truststore_uri": "https://x"}}, "domain.truststore_uri must begin with s3://"),
    ({"domain": {**DOMAIN, "truststore_uri": "s3://trust/ca.pem"}}, ""),
]
KINDS = {
    "callers and the way to the API are chosen together": ACCESS,
    "a profile has the models that it asks": MODELS,
    "how the collection is reached is chosen": REACHED,
    "what suits a classic collection suits no other": GENERATIONS,
    "graders that ask a decision model need it": DECIDED,
    "a collector is named with https and without a key": COLLECTOR,
    "packages are of the processor": PROCESSOR,
    "a caller has a collection": CALLERS,
    "a daily cap needs a limit of each question": SPENDING,
    "a reservation leaves what AWS keeps": RESERVED,
    "an origin is a name with https, or all are": ORIGINS,
    "two indices at a time differ in name": INDICES,
}


@pytest.fixture(scope="module")
def said(infra: Path) -> list[str]:
    """Return the errors of the first case of each kind, of the second, and so on."""
    (infra / "architecture").write_text("arm64\n")
    plans = []
    for cases in zip_longest(*KINDS.values(), fillvalue=({}, "")):
        chosen = [each for values, _ in cases for each in values.items()]
        assert len(dict(chosen)) == len(chosen), "kinds have no variable in common"
        plans.append(_plan(infra, {"collection_public": True, "package_directory": ".", **dict(chosen)}))
    return plans


@pytest.mark.parametrize("kind", KINDS)
def test_incompatible_values_are_refused_with_their_reason(kind: str, said: list[str]) -> None:
    reasons = {reason for _, reason in KINDS[kind] if reason}
    found = [{reason for reason in reasons if reason in text} for text in said]
    assert found[: len(KINDS[kind])] == [{reason} if reason else set() for _, reason in KINDS[kind]]


@pytest.fixture
def on_bedrock(planned: Planner) -> dict[str, list[dict[str, Any]]]:
    """Return the statements by which each step asks models there, one of them behind a profile."""
    models = {**TWO_MODELS, "generate": "eu.anthropic.claude-sonnet-5-5"}
    allowed = planned(model_provider="bedrock", models=models).allowed
    asking = {who: [each for each in of if each["sid"].startswith("AskModel")] for who, of in allowed.items()}
    return {who.removeprefix('step["').removesuffix('"]'): of for who, of in asking.items() if of}


def test_only_support_grader_may_invoke_both_its_models(on_bedrock: dict[str, list[dict[str, Any]]]) -> None:
    invoked = {step: {each for of in found for each in of["resources"]} for step, found in on_bedrock.items()}
    assert invoked.keys() == set(STEPS)
    own = "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-haiku-5-5"
    assert {step for step, resources in invoked.items() if own in resources} == {"grade_support"}
    assert invoked["grade_support"] == invoked["grade_utility"] | {own}


def test_profiled_model_is_invocable_only_by_its_profile(on_bedrock: dict[str, list[dict[str, Any]]]) -> None:
    profile = "arn:aws:bedrock:us-east-1:000000000000:inference-profile/eu.anthropic.claude-sonnet-5-5"
    found = {each["sid"]: each for each in on_bedrock["generate"]}
    assert found.keys() == {"AskModel", "AskModelByProfile"}
    assert found["AskModel"]["resources"] == [profile]
    assert found["AskModelByProfile"]["resources"] == [
        "arn:aws:bedrock:*::foundation-model/anthropic.claude-sonnet-5-5"
    ]
    [condition] = found["AskModelByProfile"]["condition"]
    assert condition == {
        "test": "StringEquals", "variable": "bedrock:InferenceProfileArn", "values": [profile]
    }  # fmt: skip
    if can_decide():
        policy = {"Version": "2012-10-17", "Statement": [_as_aws_has_it(each) for each in found.values()]}
        elsewhere = "arn:aws:bedrock:eu-west-3::foundation-model/anthropic.claude-sonnet-5-5"
        decide = partial(decider().allows, policy, "bedrock:InvokeModel")
        assert decide(profile)
        assert decide(elsewhere, context={"bedrock:InferenceProfileArn": profile})
        assert not decide(elsewhere)
        assert not decide(elsewhere, context={"bedrock:InferenceProfileArn": profile.replace("/eu.", "/global.")})


def test_only_chosen_model_of_another_vendor_is_invocable(planned: Planner) -> None:
    chosen = ["amazon.nova-pro-v1:0", "us.meta.llama3-3-70b-instruct-v1:0", "zai.glm-4.6"]
    models = {**dict.fromkeys(STEPS, chosen[0]), "generate": chosen[1], "grade_utility": chosen[2]}
    allowed = planned(model_provider="bedrock", profile="strict", models=models).allowed

    def asked_of(step: str) -> list[str]:
        statements = (each for each in allowed[f'step["{step}"]'] if each["sid"].startswith("AskModel"))
        return [resource for statement in statements for resource in statement["resources"]]

    assert asked_of("grade_support") == [f"arn:aws:bedrock:us-east-1::foundation-model/{chosen[0]}"]
    assert asked_of("generate") == [
        f"arn:aws:bedrock:us-east-1:000000000000:inference-profile/{chosen[1]}",
        f"arn:aws:bedrock:*::foundation-model/{chosen[1].removeprefix('us.')}",
    ]
    assert asked_of("grade_utility") == [f"arn:aws:bedrock:us-east-1::foundation-model/{chosen[2]}"]


def _as_aws_has_it(statement: dict[str, Any]) -> dict[str, Any]:
    """Return a statement in the form of the data source's document."""
    conditions = {each["test"]: {each["variable"]: each["values"]} for each in statement["condition"] or []}
    made = {"Sid": statement["sid"], "Effect": statement["effect"] or "Allow", "Action": statement["actions"]}
    return {**made, "Resource": statement["resources"], "Condition": conditions}


Locals = Callable[..., dict[str, Any]]
LOOKED_AT = """{
  ask_share = local.ask_share, question_throttles = local.question_throttles, api_throttle = var.api_throttle,
  key_question_throttle = local.key_question_throttle,
  healthy = local.healthy, open_throttles = local.open_throttles, compressed_from = local.compressed_from,
  routes = local.routes, methods = local.methods, gateway_responses = local.gateway_responses,
  health = local.integrations.health.responses, security_headers = local.security_headers,
  stamp = local.environments.claim_document.SELFRAG_PIPELINE,
  waits = {
    for name in ["COLLECTION_SLEEPS", "DEADLINE_SECONDS", "COLLECTION_TIMEOUT_SECONDS"] :
    name => local.environments.ask["SELFRAG_${name}"]
  }
}"""


@pytest.fixture(scope="module")
def locals_of(infra: Path) -> Locals:
    """Return the locals for values of the variables, assuming an existing collection."""
    there = {"collection_public": True, "collection_endpoint": "https://abc.us-east-1.aoss.amazonaws.com"}

    @cache
    def found(chosen: str) -> dict[str, Any]:
        (infra / "chosen.json").write_text(chosen)
        done = subprocess.run(
            [terraform(), "console", "-var-file=chosen.json"],
            input=f"jsonencode({' '.join(LOOKED_AT.split())})",
            cwd=infra,
            env=environment(infra),
            capture_output=True,
            text=True,
            check=True,
        )
        worked_out: dict[str, Any] = json.loads(json.loads(done.stdout))
        return worked_out

    return lambda **values: found(json.dumps({**there, **values}))


@pytest.mark.parametrize(
    ("limit", "share", "rate"), [(None, -1, None), (10, -1, 0.3), (119, -1, 4.5), (120, 20, 4.6), (2000, 333, 50)]
)
def test_ask_limit_follows_account_concurrency_less_aws_reserve(
    locals_of: Locals, limit: int | None, share: int, rate: float | None
) -> None:
    found = locals_of(account_concurrency=limit) if limit else locals_of()
    throttles = found["question_throttles"]
    assert found["ask_share"] == share
    asked = {throttles[path]["rate"] for path in ("~1v1~1ask/POST", "~1v1~1questions/POST")} if limit else {None}
    assert asked == {rate}
    assert all(throttle["burst"] >= 2 for throttle in throttles.values())


@pytest.mark.parametrize(
    ("chosen", "throttle"),
    [
        ({}, {"rate": 5, "burst": 10}),
        ({"key_throttle": {"rate": 20, "burst": 40}}, {"rate": 12.5, "burst": 25}),
        ({"account_concurrency": 10}, {"rate": 0.1, "burst": 1}),
        ({"account_concurrency": 119}, {"rate": 1.1, "burst": 2}),
        ({"account_concurrency": 2000}, {"rate": 5, "burst": 10}),
        ({"account_concurrency": 10, "key_question_throttle": {"rate": 0.3, "burst": 2}}, {"rate": 0.3, "burst": 2}),
    ],
)
def test_one_key_gets_quarter_of_question_throttle_within_own_limit(
    locals_of: Locals, planned: Planner, chosen: dict[str, Any], throttle: dict[str, Any]
) -> None:
    assert locals_of(**chosen)["key_question_throttle"] == throttle
    if not chosen:
        [stage] = planned().resources["aws_api_gateway_usage_plan.default[0]"]["api_stages"]
        limits = {each["path"]: (each["rate_limit"], each["burst_limit"]) for each in stage["throttle"]}
        assert limits == dict.fromkeys(
            (f"/v1/{path}/POST" for path in ("ask", "questions", "chat/completions", "responses")), (5, 10)
        )


def test_customer_key_is_usable_only_by_way_of_services(planned: Planner) -> None:
    key = "arn:aws:kms:us-east-1:000000000000:key/1"
    allowed = planned(kms_key_arn=key).allowed
    uses = {who: each for who, of in allowed.items() for each in of if each["sid"] == "UseKey"}
    assert all(each["resources"] == [key] for each in uses.values())
    steps = {who: each for who, each in uses.items() if who.startswith("step[")}
    assert {'step["ask"]', 'step["generate"]'} <= steps.keys()
    for each in steps.values():
        [condition] = each["condition"]
        assert (condition["test"], condition["variable"]) == ("StringLike", "kms:ViaService")
        assert "dynamodb.us-east-1.amazonaws.com*" in condition["values"]
        assert all(service.endswith(".us-east-1.amazonaws.com*") for service in condition["values"])


def test_deployment_key_is_bound_by_name_and_others_by_identity(planned: Planner) -> None:
    role = "arn:aws:iam::000000000000:role/teams/Importer"
    client = "client#team:role/a/b"
    callers = {
        "a1b2": {"collections": ["a"]},
        client: {"collections": ["b"]},
        role: {"collections": ["b", "a"], "actions": ["upload"]},
    }

    def items(**chosen: Any) -> dict[str, Any]:
        made = planned(collections=["a", "b"], default_collections=["b"], callers=callers, **chosen).resources
        return {
            name.partition('["')[2].removesuffix('"]'): json.loads(each["item"]) if each.get("item") else None
            for name, each in made.items()
            if name.startswith("aws_dynamodb_table_item.caller[")
        }

    bound = items()
    assert bound.keys() == {"default", "a1b2", client, "arn:aws:iam::000000000000:role/Importer"}
    assert bound[client]["caller"] == {"S": client}
    assert bound["a1b2"] == {"caller": {"S": "key#a1b2"}, "collections": {"SS": ["a"]}, "actions": {"SS": ["ask"]}}
    assert bound["arn:aws:iam::000000000000:role/Importer"] == {
        "caller": {"S": "principal#arn:aws:iam::000000000000:role/Importer"},
        "collections": {"SS": ["a", "b"]},
        "actions": {"SS": ["upload"]},
    }
    if bound["default"]:  # the id of the key is known where the provider is a double
        assert bound["default"]["caller"]["S"].startswith("key#")
        assert bound["default"]["actions"] == {"SS": ["ask", "upload"]}
        assert (bound["default"]["collections"], bound["default"]["all_collections"]) == ({"SS": ["b"]}, {"BOOL": True})
    assert "default" not in items(auth="iam"), "signed requests have no key"


def test_a_budget_counts_this_deployment_and_writes_before_it_is_spent(planned: Planner) -> None:
    budget = planned(name="ours", budget={"monthly_usd": 250, "emails": ["ops@example.com"]}).resources[
        "aws_budgets_budget.month[0]"
    ]
    assert (float(budget["limit_amount"]), budget["limit_unit"], budget["time_unit"]) == (250, "USD", "MONTHLY")
    assert budget["cost_filter"] == [{"name": "TagKeyValue", "values": ["user:application$ours"]}]
    notes = {note["notification_type"]: note for note in budget["notification"]}
    assert {kind: note["threshold"] for kind, note in notes.items()} == {"ACTUAL": 80, "FORECASTED": 100}
    assert all(note["subscriber_email_addresses"] == ["ops@example.com"] for note in notes.values())
    assert not [name for name in planned().resources if name.startswith("aws_budgets_budget")]


def test_question_end_may_write_cost_only_under_daily_cap(planned: Planner) -> None:
    def settling(plan: Plan) -> list[dict[str, Any]]:
        return [each for each in plan.allowed['step["compose_answer"]'] if each["sid"] == "SettleSpending"]

    assert settling(planned()) == []
    assert "SELFRAG_DAILY_MAX_USD" not in json.dumps(planned().told)
    plan = planned(daily_max_usd=12.5, max_cost_usd=0.05)
    capped = {step for step, variables in plan.told.items() if variables.get("SELFRAG_DAILY_MAX_USD") == "12.5"}
    assert capped == {"ask", "compose_answer"}
    [statement] = settling(plan)
    assert set(statement["actions"]) == {"dynamodb:DeleteItem", "dynamodb:UpdateItem"}
    [condition] = statement["condition"]
    assert condition["variable"] == "dynamodb:LeadingKeys"
    assert set(condition["values"]) == {"reservation#*", "spending#*"}


def test_an_environment_that_is_too_large_for_a_function_stops_the_plan(planned: Planner) -> None:
    with pytest.raises(AssertionError, match="Resource precondition failed"):
        planned(environment={"SELFRAG_NAMES": json.dumps(LONG)})


def test_hundreds_of_collections_are_items_and_stand_nowhere_else(planned: Planner) -> None:
    names = [f"a-department-of-the-organisation-and-one-of-its-teams-{number:05}" for number in range(300)]
    made = planned(collections=names).resources
    listed = {name for name in made if name.startswith("aws_dynamodb_table_item.collection[")}
    keys = sorted(json.loads(made[name]["item"])["caller"]["S"] for name in listed)
    assert keys == [f"collection#{name}" for name in names]
    others = {name: made[name] for name in made.keys() - listed}
    assert names[-1] not in json.dumps(others)
    own = others['aws_dynamodb_table_item.caller["default"]'].get("item")
    if own:  # the id of the key is known where the provider is a double
        assert json.loads(own)["all_collections"] == {"BOOL": True}
        assert "collections" not in json.loads(own)


def test_gateway_health_matches_function_and_is_throttled(locals_of: Locals) -> None:
    found = locals_of()
    throttles = found["open_throttles"]
    request = {"httpMethod": "GET", "path": "/v1/health", "headers": {}, "requestContext": {"requestId": "r"}}
    assert json.loads(found["healthy"]) == json.loads(handler(request, None)["body"])
    opened = {path.replace("/", "~1") for path, of in OPEN.items() if of}
    assert throttles.keys() == {f"{path}/{method}" for path in [*opened, "~1"] for method in ("GET", "HEAD")}
    assert all(throttle["rate"] < found["api_throttle"]["rate"] / 10 for throttle in throttles.values())


def test_the_gateway_compresses_replies_from_the_size_that_the_laptop_does(locals_of: Locals) -> None:
    assert locals_of()["compressed_from"] == COMPRESSED_FROM_BYTES


PAGE = ("GET", "/", True)


def test_gateway_routes_match_described_api_and_page(locals_of: Locals) -> None:
    described = {(method.upper(), path, method in OPEN[path]) for path, of in PATHS.items() for method in of}
    assert _listed(locals_of()["routes"]) == described | {PAGE}
    assert _listed(locals_of(auth="iam")["routes"]) == described, "a browser cannot sign"


def test_other_methods_reach_function_only_with_key(locals_of: Locals) -> None:
    routes, methods = _listed(locals_of()["routes"]), _listed(locals_of()["methods"])
    assert {each for each in methods - routes if each[0] == "ANY"} == {("ANY", path, False) for _, path, _ in routes}
    heads = {("HEAD", path, True) for _, path, is_open in routes if is_open}
    assert {each for each in methods - routes if each[0] != "ANY"} == heads


def test_pages_from_elsewhere_may_ask_only_if_their_origins_are_named(locals_of: Locals) -> None:
    usual, named = locals_of(), locals_of(cors_origins=["https://app.example.com", "https://b.example.com"])
    assert "OPTIONS" not in [each["method"] for each in usual["methods"]]
    assert "Access-Control" not in json.dumps(usual["gateway_responses"])
    # Everywhere but at the page, which no other origin has to read.
    assert [each["method"] for each in named["methods"]].count("OPTIONS") == len(PATHS)
    for of in (response["responseParameters"] for response in named["gateway_responses"].values()):
        assert of["gatewayresponse.header.Access-Control-Allow-Origin"] == "'*'"
        assert "Retry-After" in of["gatewayresponse.header.Access-Control-Expose-Headers"]


def test_gateway_replies_carry_security_headers(locals_of: Locals) -> None:
    found = locals_of()
    assert found["security_headers"] == SECURITY_HEADERS
    assert found["health"]["default"]["responseParameters"] == {
        f"method.response.header.{name}": f"'{value}'" for name, value in SECURITY_HEADERS.items()
    }
    for reply in found["gateway_responses"].values():
        for name, value in SECURITY_HEADERS.items():
            assert reply["responseParameters"][f"gatewayresponse.header.{name}"] == f"'{value}'"


def _listed(routes: list[dict[str, Any]]) -> set[tuple[str, str, bool]]:
    """Return the method and path of each route, and whether it is open."""
    return {(each["method"], each["path"], each["open"]) for each in routes}


@pytest.mark.parametrize(("promise", "runs"), [("collection", 9), ("environment", 1)])
def test_destructive_change_and_mismatched_settings_are_refused(
    infra: Path, record_property: Any, promise: str, runs: int
) -> None:
    shutil.copy(Path(__file__).with_name(f"{promise}.tftest.hcl"), infra)
    command = [terraform(), "test", "-no-color", f"-filter={promise}.tftest.hcl"]
    done = run(command, infra, environment(infra), check=False)
    record_property("figures", done.stdout.strip().splitlines()[-1])
    assert f"{runs} passed, 0 failed" in done.stdout, done.stdout


@pytest.mark.parametrize(
    ("endpoint", "sleeps", "deadline"),
    [
        ("https://c.aoss.eu-west-1.on.aws/", "true", "60"),
        (COLLECTION, "false", None),
    ],
)
def test_questions_wait_for_a_collection_that_scales_to_zero(
    locals_of: Locals, endpoint: str, sleeps: str, deadline: str | None
) -> None:
    waits = locals_of(collection_endpoint=endpoint)["waits"]
    assert (waits["COLLECTION_SLEEPS"], waits["DEADLINE_SECONDS"]) == (sleeps, deadline)
    assert float(waits["COLLECTION_TIMEOUT_SECONDS"]) < 29, "API Gateway waits no longer"


def test_the_stamp_of_a_document_names_its_collection(locals_of: Locals) -> None:
    other = locals_of(collection_endpoint="https://def.us-east-1.aoss.amazonaws.com")
    assert (locals_of()["stamp"], other["stamp"]) == ("1/passages/512/abc", "1/passages/512/def")


def _plan(directory: Path, values: dict[str, Any]) -> str:
    """Return the output of a plan with these values; it always fails, since there is no AWS."""
    (directory / "values.json").write_text(json.dumps({"max_retries": 1, **values}))
    command = [terraform(), "plan", "-input=false", "-no-color", "-refresh=false", "-var-file=values.json"]
    done = run(command, directory, environment(directory, AWS_ENDPOINT_URL=NOWHERE), check=False)
    assert done.returncode != 0
    return " ".join(done.stderr.replace("│", " ").split())
