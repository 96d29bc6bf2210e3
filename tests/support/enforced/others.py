"""Trust policies and resources' policies let in whom they name alone; decided from what Terraform made."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.support.enforced.callers import ACCOUNT, role_arn
from tests.support.roles.roles import decider

Resources = dict[str, dict[str, Any]]

ELSEWHERE = "111111111111"
SERVICES = ("apigateway", "cloudwatch", "events", "lambda", "s3", "states")
# Who takes which role on, by its address. Lambda says of nothing on whose behalf it asks.
TAKERS = {"step": "lambda", "machine": "states", "events": "events", "api_logs": "apigateway"}
_BUCKET = "aws_s3_bucket_policy.bucket"


def only_those_who_are_named_are_let_in(resources: Resources) -> str:
    """Returns how many questions were decided."""
    questions = [*_of_roles(resources), *_of_queues_and_topics(resources), *_of_buckets(resources)]
    wrong = [what for what, allowed, right in questions if allowed != right]
    assert not wrong, wrong
    return f"{len(questions)} questions to trust policies and resources' policies decided as they should be"


Question = tuple[str, bool, bool]


def _of_roles(resources: Resources) -> Iterator[Question]:
    for address, role in resources.items():
        if not (found := re.match(r"aws_iam_role\.(\w+)", address)):
            continue
        taker, trust = TAKERS[found[1]], json.loads(role["assume_role_policy"])
        for service in SERVICES:
            for account in (ACCOUNT, ELSEWHERE):
                allowed = _service(service, "sts:AssumeRole", role["arn"], trust, **{"aws:SourceAccount": account})
                right = service == taker and (account == ACCOUNT or taker == "lambda")
                yield f"{service} for {account} takes {address}", allowed, right


def _of_queues_and_topics(resources: Resources) -> Iterator[Question]:
    rule = resources["aws_cloudwatch_event_rule.documents"]["arn"]
    queue = resources["aws_sqs_queue_policy.undelivered"]
    for service in SERVICES:
        for source in (rule, f"{rule}-other"):
            arn, policy = resources["aws_sqs_queue.undelivered"]["arn"], json.loads(queue["policy"])
            allowed = _service(service, "sqs:SendMessage", arn, policy, **{"aws:SourceArn": source})
            yield f"{service} for {source} sends to the queue", allowed, (service, source) == ("events", rule)
    topic = resources["aws_sns_topic_policy.alarms"]
    for service in SERVICES:
        for account in (ACCOUNT, ELSEWHERE):
            policy, context = json.loads(topic["policy"]), {"aws:SourceAccount": account}
            allowed = _service(service, "sns:Publish", topic["arn"], policy, **context)
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
                    principal=role_arn("any"),
                    context={"aws:SecureTransport": secure},
                    resource_policy=policy,
                )
                yield f"{action} on {address}, TLS {secure}", allowed, secure == "true"


def _service(service: str, action: str, resource: str, policy: Any, **context: str) -> bool:
    return decider().allows(
        None, action, resource, principal=f"{service}.amazonaws.com", context=context, resource_policy=policy
    )
