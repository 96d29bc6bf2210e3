"""Functions of AWS Lambda."""

import json
from collections.abc import Mapping
from typing import Any

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import TemporarilyUnavailable


def invoke(client: Any, arn: str, event: Mapping[str, object]) -> Any:
    """Invoke a function and return its parsed JSON result; the ARN names an alias or version."""
    with aws_faults("Lambda"):
        reply = client.invoke(FunctionName=arn, Payload=json.dumps(event).encode())
        result = json.loads(reply["Payload"].read())
    if "FunctionError" in reply:
        kind = result.get("errorType")
        raise TemporarilyUnavailable(f"A function failed ({kind}): try again; tell the operator if it stays so.")
    return result
