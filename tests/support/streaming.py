"""The function `stream` as Lambda starts it: the wrapper in a separate process, with a double of the Runtime API."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.doubles.runtime_api_double import RuntimeApiDouble

FUNCTIONS = Path(__file__).parents[2] / "functions"
WRAPPER = FUNCTIONS / "selfrag" / "api" / "streaming" / "wrapper.sh"


@contextmanager
def streaming_function(environment: Mapping[str, str]) -> Iterator[RuntimeApiDouble]:
    """Yield the Runtime API at which the function waits for events."""
    with RuntimeApiDouble() as runtime:
        told = {
            "AWS_ACCESS_KEY_ID": "id",
            "AWS_SECRET_ACCESS_KEY": "key",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_LAMBDA_FUNCTION_NAME": "selfrag-stream",
            "AWS_LAMBDA_RUNTIME_API": runtime.address,
            "LAMBDA_TASK_ROOT": str(FUNCTIONS),
            "NO_PROXY": "127.0.0.1",
            "PATH": os.defpath,
            **environment,
        }
        # Like Lambda: its interpreter, and the program of its runtime.
        command = [str(WRAPPER), sys.executable, "/var/runtime/bootstrap.py"]
        with subprocess.Popen(command, env=told, stdout=subprocess.DEVNULL) as process:
            try:
                yield runtime
            finally:
                process.kill()


def asked_by_the_gateway(method: str, path: str, **headers: str) -> dict[str, Any]:
    """Return an event of API Gateway (REST, Lambda proxy); the key's id is the header `x_api_key`."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    identity = {"apiKeyId": given.get("x-api-key"), "userArn": None}
    context = {"requestId": "gateway-1", "path": f"/live{path}", "stage": "live", "identity": identity}
    return {"httpMethod": method, "path": path, "headers": given or None, "body": None, "requestContext": context}
