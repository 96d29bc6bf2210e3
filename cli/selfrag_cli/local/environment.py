"""The environment of the local stack's handlers: its machines, loopback, and nothing of the user's own AWS."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

# The Standard and the Express machine are one here: every execution has a history.
MACHINE_ARN = "arn:aws:states:us-east-1:123456789012:stateMachine:selfrag"
DOCUMENTS_BUCKET = "selfrag-documents"
MODEL_SECRET, WEB_SECRET, DECIDER_SECRET = "selfrag/model-key", "selfrag/web-key", "selfrag/decider-key"


@contextmanager
def handlers_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Yield the handlers' environment; nothing of the user's own AWS gets in."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    # Python looks at both spellings, and at the lower one last.
    no_proxy = [inherited.get("NO_PROXY", ""), inherited.get("no_proxy", ""), "127.0.0.1", "localhost"]
    loopback = ",".join(filter(None, no_proxy))
    fixed = {
        "SELFRAG_EXPRESS_MACHINE_ARN": MACHINE_ARN,
        "SELFRAG_STANDARD_MACHINE_ARN": MACHINE_ARN,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": loopback,
        "no_proxy": loopback,
        "SELFRAG_AUTH": "none",
    }
    before = dict(os.environ)
    _set({**inherited, **fixed, **variables})
    try:
        yield
    finally:
        _set(before)


def _set(environment: Mapping[str, str]) -> None:
    # Never without what stays: other threads read it at any moment.
    os.environ.update(environment)
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
