"""Clients of AWS with the timeouts and retries of each use; Misconfigured if one cannot be made."""

import os
from functools import cache
from typing import Any, Literal

from botocore.config import Config
from botocore.session import Session, get_session

from selfrag.adapters.faults import aws_faults

Use = Literal[
    "verdicts", "manifest", "requests", "spending", "secrets", "objects", "states", "functions", "guardrail",
    "knowledge_base", "textract", "uploads", "relay",
]  # fmt: skip


def _config(attempts: int, connect_timeout: float, read_timeout: float, **more: Any) -> Config:
    """Return how a service is called: tries in all, seconds to connect and for a reply, and further options."""
    timeouts = {"connect_timeout": connect_timeout, "read_timeout": read_timeout}
    return Config(retries={"total_max_attempts": attempts}, **timeouts, **more)


_CLIENTS: dict[Use, tuple[str, Config]] = {
    # A slow cache must not cost more than the verdict that it saves.
    "verdicts": ("dynamodb", _config(2, 1, 1)),
    "manifest": ("dynamodb", _config(3, 2, 5)),
    # A caller of the API waits for the tables of requests, answers and callers.
    "requests": ("dynamodb", _config(3, 1, 2)),
    # Composing an answer must not wait for the daily cap.
    "spending": ("dynamodb", _config(1, 0.7, 0.7)),
    # A cold start calls it: Lambda allows that ten seconds in all.
    "secrets": ("secretsmanager", _config(3, 1, 2)),
    "objects": ("s3", _config(2, 3, 30)),
    # No retries: a question must not start twice. The Lambda answers before API Gateway's 29 s are over.
    "states": ("stepfunctions", _config(1, 2, 26.5)),
    "functions": ("lambda", _config(1, 2, 24)),
    # No retries, either; the function `ask` may run for 29 s.
    "relay": ("lambda", _config(1, 2, 30)),
    # A question waits for it before its first and after its last step.
    "guardrail": ("bedrock-runtime", _config(2, 1, 2)),
    # The state machine retries a search.
    "knowledge_base": ("bedrock-agent-runtime", _config(1, 3, 30)),
    # The state machine retries, because it polls for the pages.
    "textract": ("textract", _config(2, 3, 20)),
    # Signed addresses are valid for the bucket's own region only.
    "uploads": ("s3", _config(2, 2, 5, signature_version="s3v4", s3={"addressing_style": "virtual"})),
}  # fmt: skip


def make_client(use: Use) -> Any:
    """Make the client for a use."""
    service, config = _CLIENTS[use]
    if use == "states":
        # StartSyncExecution uses the host `sync-states`, which exists only for AWS endpoints.
        own_endpoint = bool(os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT_URL_SFN"))
        config = config.merge(Config(inject_host_prefix=not own_endpoint))
    with aws_faults(f"the client of {service}"):
        return _session().create_client(service, config=config)


def bedrock_client(region: str | None, seconds: float, endpoint_url: str | None = None) -> Any:
    """Make the Bedrock client of models and embeddings, without retries: callers retry."""
    config = _config(1, min(3.0, seconds), seconds)
    with aws_faults("the client of bedrock-runtime"):
        return _session().create_client("bedrock-runtime", config=config, region_name=region, endpoint_url=endpoint_url)


@cache
def _session() -> Session:
    # boto3 makes its clients by such a session, too, but imports 70 more modules at a cold start.
    return get_session()
