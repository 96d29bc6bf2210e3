"""Clients of AWS with the timeouts and retries of each use; Misconfigured if one cannot be made."""

import os
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from botocore.config import Config
from botocore.session import Session, get_session

from selfrag.adapters.faults import aws_faults

Use = Literal[
    "verdicts", "manifest", "requests", "spending", "secrets", "objects", "states", "functions", "guardrail",
    "knowledge_base", "textract", "uploads", "relay",
]  # fmt: skip


@dataclass(frozen=True)
class _ClientOptions:
    """How a service is called: tries in all, seconds to connect and for a reply, and further options of botocore."""

    service: str
    attempts: int
    connect_timeout: float
    read_timeout: float
    more: dict[str, Any] = field(default_factory=dict)


_OPTIONS: dict[Use, _ClientOptions] = {
    # A slow cache must not cost more than the verdict that it saves.
    "verdicts": _ClientOptions("dynamodb", 2, 1, 1),
    "manifest": _ClientOptions("dynamodb", 3, 2, 5),
    # A caller of the API waits for the tables of requests, answers and callers.
    "requests": _ClientOptions("dynamodb", 3, 1, 2),
    # Composing an answer must not wait for the daily cap.
    "spending": _ClientOptions("dynamodb", 1, 0.7, 0.7),
    # A cold start calls it: Lambda allows that ten seconds in all.
    "secrets": _ClientOptions("secretsmanager", 3, 1, 2),
    "objects": _ClientOptions("s3", 2, 3, 30),
    # No retries: a question must not start twice. The Lambda answers before API Gateway's 29 s are over.
    "states": _ClientOptions("stepfunctions", 1, 2, 26.5),
    "functions": _ClientOptions("lambda", 1, 2, 24),
    # No retries, either; the function `ask` may run for 29 s.
    "relay": _ClientOptions("lambda", 1, 2, 30),
    # A question waits for it before its first and after its last step.
    "guardrail": _ClientOptions("bedrock-runtime", 2, 1, 2),
    # The state machine retries a search.
    "knowledge_base": _ClientOptions("bedrock-agent-runtime", 1, 3, 30),
    # The state machine retries, because it polls for the pages.
    "textract": _ClientOptions("textract", 2, 3, 20),
    # Signed addresses are valid for the bucket's own region only.
    "uploads": _ClientOptions(
        "s3", 2, 2, 5, {"signature_version": "s3v4", "s3": {"addressing_style": "virtual"}}
    ),
}  # fmt: skip


def make_client(use: Use) -> Any:
    """Make the client for a use."""
    options = _OPTIONS[use]
    more = options.more
    if use == "states":
        # StartSyncExecution uses the host `sync-states`, which exists only for AWS endpoints.
        own_endpoint = bool(os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT_URL_SFN"))
        more = {"inject_host_prefix": not own_endpoint}
    return _client(options, more)


def bedrock_client(region: str | None, seconds: float, endpoint_url: str | None = None) -> Any:
    """Make the Bedrock client of models and embeddings, without retries: callers retry."""
    options = _ClientOptions("bedrock-runtime", 1, min(3.0, seconds), seconds)
    return _client(options, {}, region_name=region, endpoint_url=endpoint_url)


def _client(options: _ClientOptions, more: dict[str, Any], **place: str | None) -> Any:
    with aws_faults(f"the client of {options.service}"):
        config = Config(
            retries={"total_max_attempts": options.attempts},
            connect_timeout=options.connect_timeout,
            read_timeout=options.read_timeout,
            **more,
        )
        return _session().create_client(options.service, config=config, **place)


@cache
def _session() -> Session:
    # A boto3 client is made by such a session, too; boto3 itself imports 60 more modules at a cold start.
    return get_session()
