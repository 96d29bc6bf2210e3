"""The calls in a log of Terraform's provider as IAM actions, and the additional ones in infra/deployer."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.infra.tools import INFRA
from tests.support.roles.policies import listed

_CALL = re.compile(r"HTTP Request Sent:(?:(?!HTTP Request Sent:).)*?(?=\n\d{4}-|\Z)", re.S)
_SERVICE = re.compile(r'rpc\.service=(?:"([^"]+)"|(\S+))')
_OPERATION = re.compile(r"rpc\.method=(\w+)")
_PREFIXES = {
    "API Gateway": "apigateway", "CloudFormation": "cloudformation", "CloudWatch": "cloudwatch",
    "CloudWatch Logs": "logs", "DynamoDB": "dynamodb", "EC2": "ec2", "EventBridge": "events", "IAM": "iam",
    "KMS": "kms", "Lambda": "lambda", "S3": "s3", "SFN": "states", "OpenSearchServerless": "aoss",
    "SNS": "sns", "SQS": "sqs", "STS": "sts", "Secrets Manager": "secretsmanager",
}  # fmt: skip
# API Gateway's actions are HTTP's methods.
_METHODS = {"Create": "POST", "Delete": "DELETE", "Get": "GET", "Put": "PUT", "Tag": "PUT", "Update": "PATCH"}
# S3's actions have other names than its operations, and reading a configuration is another action than an object.
_BUCKETS = {
    "DeleteBucketCors": "PutBucketCORS", "DeleteBucketEncryption": "PutEncryptionConfiguration",
    "DeleteBucketLifecycle": "PutLifecycleConfiguration", "DeleteBucketOwnershipControls": "PutBucketOwnershipControls",
    "DeletePublicAccessBlock": "PutBucketPublicAccessBlock", "DeleteObjects": "DeleteObject",
    "GetBucketAccelerateConfiguration": "GetAccelerateConfiguration", "GetBucketCors": "GetBucketCORS",
    "GetBucketEncryption": "GetEncryptionConfiguration",
    "GetBucketLifecycleConfiguration": "GetLifecycleConfiguration",
    "GetBucketNotificationConfiguration": "GetBucketNotification",
    "GetBucketReplication": "GetReplicationConfiguration",
    "GetObjectLockConfiguration": "GetBucketObjectLockConfiguration",
    "GetPublicAccessBlock": "GetBucketPublicAccessBlock", "HeadBucket": "ListBucket",
    "ListObjectVersions": "ListBucketVersions", "ListObjectsV2": "ListBucket", "PutBucketCors": "PutBucketCORS",
    "PutBucketEncryption": "PutEncryptionConfiguration",
    "PutBucketLifecycleConfiguration": "PutLifecycleConfiguration",
    "PutBucketNotificationConfiguration": "PutBucketNotification", "PutPublicAccessBlock": "PutBucketPublicAccessBlock",
}  # fmt: skip
# The tests give the functions' packages to the emulator as objects, and not as files.
_OURS = {"s3:HeadObject", "s3:GetObject"}
# CloudFormation creates the collection in the caller's name, by the schemas of its types; a grant takes a key.
_SCHEMAS = json.loads((INFRA.parent / "tests/support/emulated/collection_groups.json").read_text(encoding="utf-8"))
_BY_A_STACK = {action for each in _SCHEMAS.values() if "permissions" in each for action in each["permissions"]}
# Actions that no recorded run needs, by the reason to allow them.
WITHOUT_A_CALL = {
    "a later release changes what is there": {
        "aoss:UpdateAccessPolicy", "aoss:UpdateSecurityPolicy", "cloudformation:UpdateStack", "dynamodb:UpdateTable",
        "iam:UpdateAssumeRolePolicy", "iam:UpdateRole", "iam:UpdateRoleDescription", "lambda:DeleteFunctionConcurrency",
        "lambda:PublishVersion", "lambda:UpdateAlias", "lambda:UpdateFunctionCode",
        "lambda:UpdateFunctionConfiguration", "secretsmanager:UpdateSecret",
        "states:PublishStateMachineVersion", "states:UpdateStateMachine",
        "states:UpdateStateMachineAlias",
    },
    "a call that creates brings tags, and later ones change them": {
        f"{service}:{verb}{thing}"
        for verb in ("Tag", "Untag")
        for thing, services in {
            "Resource": "aoss cloudformation cloudwatch dynamodb events lambda logs s3 secretsmanager sns states",
            "Queue": "sqs", "Role": "iam",
        }.items()
        for service in services.split()
    },
    "a stack has a policy, and says why it failed": {
        "cloudformation:DescribeStackEvents", "cloudformation:SetStackPolicy",
    },
    "version 6 of the provider reads and changes tags of buckets by S3's newer actions": {"s3:ListTagsForResource"},
    "services ask IAM about them in the caller's name": {"iam:CreateServiceLinkedRole", "iam:PassRole"},
    "the emulator has neither saved queries nor groups of X-Ray": {
        "logs:DeleteQueryDefinition", "logs:DescribeQueryDefinitions", "logs:PutQueryDefinition", "xray:CreateGroup",
        "xray:DeleteGroup", "xray:GetGroup", "xray:ListTagsForResource", "xray:TagResource", "xray:UpdateGroup",
    },
    "a bucket may hold objects when it is removed": {
        "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:ListBucketVersions",
    },
    "manage_api_gateway_account gives a role a policy of AWS": {"iam:AttachRolePolicy", "iam:DetachRolePolicy"},
    "access_log_bucket logs the access of buckets": {"s3:PutBucketLogging"},
    "alarm_email subscribes": {"sns:GetSubscriptionAttributes", "sns:Subscribe", "sns:Unsubscribe"},
}  # fmt: skip


def statements() -> list[dict[str, Any]]:
    """Return the statements of the deployer's policies; the names in angle brackets are still in them."""
    return [statement for document in documents() for statement in document["Statement"]]


def documents() -> list[dict[str, Any]]:
    """Return the policies, in the order of their files."""
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted((INFRA / "deployer").glob("*.json"))]


def called(log: Path) -> set[str]:
    """Return the IAM actions of the calls in a log of the provider, and of those of the stack that it makes."""
    calls = set(_actions(log.read_text(encoding="utf-8", errors="replace"))) - _OURS
    return calls | (_BY_A_STACK - {"kms:CreateGrant"} if "cloudformation:CreateStack" in calls else set())


def missing(calls: set[str]) -> set[str]:
    """Return the actions of a deployment's calls that the policy does not allow without an optional setting."""
    return calls - _always()


def unneeded(calls: set[str]) -> set[str]:
    """Return the policy's actions without a call or a reason; those of optional settings have one."""
    return _always() - calls - set().union(*WITHOUT_A_CALL.values())


def _always() -> set[str]:
    needed = (statement for statement in statements() if not statement["Sid"].startswith("With"))
    return {action for statement in needed for action in listed(statement["Action"])}


def _actions(log: str) -> Iterator[str]:
    for sent in _CALL.finditer(log):
        service, operation = _SERVICE.search(sent[0]), _OPERATION.search(sent[0])
        assert service, sent[0]
        assert operation, sent[0]
        prefix, name = _PREFIXES[service[1] or service[2]], operation[1]
        if prefix == "apigateway":
            name = next(method for verb, method in _METHODS.items() if name.startswith(verb))
        yield f"{prefix}:{_BUCKETS.get(name, name) if prefix == 's3' else name}"
