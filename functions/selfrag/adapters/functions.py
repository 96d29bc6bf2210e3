"""Functions of AWS Lambda."""

import json
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.ports.functions import Functions


class LambdaFunctions(Functions):
    """Functions that Lambda runs; each call waits for the result."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @override
    def __call__(self, arn: str, event: Mapping[str, object]) -> Any:
        with aws_faults("Lambda"):
            reply = self._client.invoke(FunctionName=arn, Payload=json.dumps(event).encode())
            result = json.loads(reply["Payload"].read())
        if "FunctionError" in reply:
            kind = result.get("errorType")
            raise TemporarilyUnavailable(f"A function failed ({kind}): try again; tell the operator if it stays so.")
        return result
