"""Decides what the doubles beside the emulator are asked for: the embeddings, and the collection by its own policy."""

import json
from collections.abc import Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Any

import boto3
from botocore.exceptions import ClientError

from tests.support.enforced.callers import role_arn
from tests.support.enforced.record import Decision, Record
from tests.support.roles.calls import data_access


class Doubles:
    """Asks the emulator whether a role may; `roles` are those by access key, and `aws` how boto3 reaches it."""

    def __init__(self, aws: Mapping[str, Any], roles: Mapping[str, str], record: Record) -> None:
        self._iam = boto3.client("iam", **aws)
        self._s3 = boto3.client("s3", **aws)
        self._aoss = boto3.client("opensearchserverless", **aws)
        self._roles, self._record = roles, record

    def embedding(self, key: str, model: str) -> bool:
        """Return whether who has this key may invoke the model."""
        return self._by_role(key, "bedrock:InvokeModel", f"arn:aws:bedrock:us-east-1::foundation-model/{model}")

    def recognition(self, key: str, operation: str) -> bool:
        """Return whether who has this key may call this operation of Textract, which knows no resource."""
        return self._by_role(key, f"textract:{operation}", "*")

    def object_read(self, key: str, bucket: str, name: str) -> bytes | None:
        """An object of a bucket, as Textract reads it for who has this key; None if it is not there or not theirs."""
        if not self._by_role(key, "s3:GetObject", f"arn:aws:s3:::{bucket}/{name}"):
            return None
        with suppress(ClientError):
            return bytes(self._s3.get_object(Bucket=bucket, Key=name)["Body"].read())
        return None

    def collection(self, key: str, method: str, path: str) -> bool:
        """Return whether who has this key may do this in the collection: by its role, and by the data access policy."""
        if key not in self._roles:
            return True
        [found] = self._aoss.list_collections()["collectionSummaries"]
        permission, index = data_access(method, path, found["name"])
        return self._by_role(key, "aoss:APIAccessAll", found["arn"]) and self._record.add(
            Decision(self._roles[key], permission, index, self._granted(key, found["name"], permission, index))
        )

    def _granted(self, key: str, name: str, permission: str, index: str) -> bool:
        policy = self._aoss.get_access_policy(name=name, type="data")["accessPolicyDetail"]["policy"]
        rules = [
            rule
            for grant in (json.loads(policy) if isinstance(policy, str) else policy)
            if role_arn(self._roles[key]) in grant["Principal"]
            for rule in grant["Rules"]
        ]
        return any(
            permission in rule["Permission"] and any(fnmatchcase(index, each) for each in rule["Resource"])
            for rule in rules
        )

    def _by_role(self, key: str, action: str, resource: str) -> bool:
        if key not in self._roles:
            return True
        role = self._roles[key]
        found = self._iam.simulate_principal_policy(
            PolicySourceArn=role_arn(role), ActionNames=[action], ResourceArns=[resource]
        )
        allowed = [each["EvalDecision"] for each in found["EvaluationResults"]] == ["allowed"]
        return self._record.add(Decision(role, action, resource, allowed))
