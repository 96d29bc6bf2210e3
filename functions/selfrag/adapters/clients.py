"""Clients of AWS with the timeouts and retries of each use; Misconfigured if one cannot be made."""

import os
from typing import Any

import boto3
from botocore.config import Config

from selfrag.adapters.faults import aws_faults


def verdicts_client() -> Any:
    """Make the client of the verdict cache: a slow cache must not cost more than the verdict that it saves."""
    return _client("dynamodb", attempts=2, connect_timeout=1, read_timeout=1)


def manifest_client() -> Any:
    """Make the client of the table of documents."""
    return _client("dynamodb", attempts=3, connect_timeout=2, read_timeout=5)


def requests_client() -> Any:
    """Make the client of the tables of requests, answers and callers, for which a caller of the API waits."""
    return _client("dynamodb", attempts=3, connect_timeout=1, read_timeout=2)


def spending_client() -> Any:
    """Make the client of the daily cap, without retries; composing an answer must not wait for it."""
    return _client("dynamodb", attempts=1, connect_timeout=0.7, read_timeout=0.7)


def secrets_client() -> Any:
    """Make the client of Secrets Manager, which a cold start calls: Lambda allows that ten seconds in all."""
    return _client("secretsmanager", attempts=3, connect_timeout=1, read_timeout=2)


def objects_client() -> Any:
    """Make the S3 client for documents and work in progress."""
    return _client("s3", attempts=2, connect_timeout=3, read_timeout=30)


def states_client() -> Any:
    """Make the Step Functions client by which the API starts questions and waits for them."""
    # StartSyncExecution has a host of its own, `sync-states`, which only AWS's own endpoints have.
    own_endpoint = bool(os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT_URL_SFN"))
    # No retries: a question must not start twice. The Lambda answers before API Gateway's 29 s are over.
    return _client(
        "stepfunctions", attempts=1, connect_timeout=2, read_timeout=26.5, inject_host_prefix=not own_endpoint
    )


def functions_client() -> Any:
    """Make the Lambda client by which agents are answered, without retries: a question must not start twice."""
    return _client("lambda", attempts=1, connect_timeout=2, read_timeout=24)


def bedrock_client(region: str | None, seconds: float, endpoint_url: str | None = None) -> Any:
    """Make the Bedrock client of models and embeddings, without retries: callers retry."""
    return _client(
        "bedrock-runtime",
        region_name=region,
        endpoint_url=endpoint_url,
        attempts=1,
        connect_timeout=min(3.0, seconds),
        read_timeout=seconds,
    )


def guardrail_client() -> Any:
    """Make the Bedrock client of the guardrail, for which a question waits before its first and after its last step."""
    return _client("bedrock-runtime", attempts=2, connect_timeout=1, read_timeout=2)


def knowledge_base_client() -> Any:
    """Make the Bedrock client of a knowledge base, without retries: the state machine retries a search."""
    return _client("bedrock-agent-runtime", attempts=1, connect_timeout=3, read_timeout=30)


def textract_client() -> Any:
    """Make the Textract client; the state machine retries, because it polls for the pages."""
    return _client("textract", attempts=2, connect_timeout=3, read_timeout=20)


def uploads_client() -> Any:
    """Make the S3 client that signs addresses; they are valid for its own region only."""
    return _client(
        "s3",
        attempts=2,
        connect_timeout=2,
        read_timeout=5,
        signature_version="s3v4",
        s3={"addressing_style": "virtual"},
    )


def _client(
    service: str, *, attempts: int, region_name: str | None = None, endpoint_url: str | None = None, **options: Any
) -> Any:
    """Make a client of a service with botocore's options; raises Misconfigured if it cannot be made."""
    with aws_faults(f"the client of {service}"):
        config = Config(retries={"total_max_attempts": attempts}, **options)
        return boto3.client(service, region_name=region_name, endpoint_url=endpoint_url, config=config)
