"""Trust policies and resources' policies, as Terraform made them, allow the callers that they name and no others."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.roles.calls import ACCOUNT, HERE
from tests.support.roles.policies import listed
from tests.support.roles.roles import decider

Resources = Mapping[str, dict[str, Any]]
# A description, the decision, and the expected decision.
Question = tuple[str, bool, bool]

ELSEWHERE = "111111111111"
SERVICES = ("apigateway", "cloudwatch", "events", "lambda", "s3", "states")
# The service that assumes each role, by the role's address. Lambda passes no source account.
SERVICE_OF = {
    "step": "lambda",
    "machine": "states",
    "events": "events",
    "api_logs": "apigateway",
    "authorizer": "apigateway",
}
_ROLE, _BUCKET, _PERMISSION = "aws_iam_role.", "aws_s3_bucket_policy.bucket", "aws_lambda_permission."
_QUEUE, _TOPIC = "aws_sqs_queue_policy.undelivered", "aws_sns_topic_policy.alarms"


def questions(resources: Resources) -> list[Question]:
    """Return a question for each service, account, source and transport that a policy distinguishes."""
    return [
        *_of_roles(resources),
        *_of_queue_and_topic(resources),
        *_of_buckets(resources),
        *_of_functions(resources),
    ]


def wrong_decisions(resources: Resources) -> list[str]:
    """Return the questions whose decision is not the expected one."""
    return [what for what, allowed, expected in questions(resources) if allowed != expected]


def reductions(resources: Resources) -> Iterator[tuple[str, Resources]]:
    """Yield the resources without one statement of a policy, for each of them; an emptied permission allows nobody."""
    for address, values in resources.items():
        if address.startswith(_PERMISSION):
            yield address, {**resources, address: {**values, "principal": "nobody.amazonaws.com"}}
        field = "assume_role_policy" if address.startswith(_ROLE) else "policy"
        if not address.startswith((_ROLE, _BUCKET, _QUEUE, _TOPIC)):
            continue
        policy = json.loads(values[field])
        statements = listed(policy["Statement"])
        for place, statement in enumerate(statements):
            less = json.dumps({**policy, "Statement": [*statements[:place], *statements[place + 1 :]]})
            yield f"{address} {statement.get('Sid', place)}", {**resources, address: {**values, field: less}}


def _of_roles(resources: Resources) -> Iterator[Question]:
    for address, role in resources.items():
        if not (name := re.match(r"aws_iam_role\.(\w+)", address)):
            continue
        own, trust = SERVICE_OF[name[1]], json.loads(role["assume_role_policy"])
        for service in SERVICES:
            for account in (ACCOUNT, ELSEWHERE):
                allowed = _allowed(service, "sts:AssumeRole", role["arn"], trust, **{"aws:SourceAccount": account})
                expected = service == own and (account == ACCOUNT or own == "lambda")
                yield f"{service} for {account} assumes {address}", allowed, expected


def _of_queue_and_topic(resources: Resources) -> Iterator[Question]:
    rule = resources["aws_cloudwatch_event_rule.documents"]["arn"]
    arn, policy = resources["aws_sqs_queue.undelivered"]["arn"], json.loads(resources[_QUEUE]["policy"])
    for service in SERVICES:
        for source in (rule, f"{rule}-other"):
            allowed = _allowed(service, "sqs:SendMessage", arn, policy, **{"aws:SourceArn": source})
            yield f"{service} for {source} sends to the queue", allowed, (service, source) == ("events", rule)
    topic = resources[_TOPIC]
    for service in SERVICES:
        for account in (ACCOUNT, ELSEWHERE):
            policy, context = json.loads(topic["policy"]), {"aws:SourceAccount": account}
            allowed = _allowed(service, "sns:Publish", topic["arn"], policy, **context)
            yield f"{service} for {account} publishes", allowed, (service, account) == ("cloudwatch", ACCOUNT)


def _of_buckets(resources: Resources) -> Iterator[Question]:
    for address, bucket in resources.items():
        if not address.startswith(_BUCKET):
            continue
        name, policy = bucket["bucket"], json.loads(bucket["policy"])
        for action, resource in (("GetObject", "/k"), ("PutObject", "/k"), ("DeleteObject", "/k"), ("ListBucket", "")):
            own = {"Effect": "Allow", "Action": f"s3:{action}", "Resource": f"arn:aws:s3:::{name}{resource}"}
            for secure in ("true", "false"):
                allowed = decider().allows(
                    {"Version": "2012-10-17", "Statement": [own]},
                    own["Action"],
                    own["Resource"],
                    context={"aws:SecureTransport": secure},
                    resource_policy=policy,
                )
                yield f"{action} on {address}, TLS {secure}", allowed, secure == "true"


def _of_functions(resources: Resources) -> Iterator[Question]:
    api = resources["aws_api_gateway_rest_api.api"]["execution_arn"]
    for address, permission in resources.items():
        if not address.startswith(_PERMISSION):
            continue
        function = f"arn:aws:lambda:{HERE}:function:{permission['function_name']}:{permission['qualifier']}"
        place = "authorizers/a" if ".authorizer" in address else "live/POST/v1/ask"
        statement = {
            "Effect": "Allow",
            "Principal": {"Service": permission["principal"]},
            "Action": permission["action"],
            "Resource": function,
            "Condition": {"ArnLike": {"aws:SourceArn": permission["source_arn"]}},
        }
        policy = {"Version": "2012-10-17", "Statement": [statement]}
        for service in SERVICES:
            for source in (api, f"{api}other"):
                context = {"aws:SourceArn": f"{source}/{place}"}
                allowed = _allowed(service, "lambda:InvokeFunction", function, policy, **context)
                yield f"{service} for {source} invokes {address}", allowed, (service, source) == ("apigateway", api)


def _allowed(service: str, action: str, resource: str, policy: Any, **context: str) -> bool:
    return decider().allows(
        None, action, resource, principal=f"{service}.amazonaws.com", context=context, resource_policy=policy
    )
