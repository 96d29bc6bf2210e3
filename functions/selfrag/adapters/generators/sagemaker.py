"""An endpoint of SageMaker by its name: InvokeEndpoint, whose body reaches the same completions."""

from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from selfrag.adapters.generators.faults import of_sagemaker


class SageMakerEndpoint:
    """An endpoint, of which `component` is called if it is named; `clients` makes a client that waits so long."""

    def __init__(self, clients: Callable[[float], Any], endpoint: str, component: str) -> None:
        self._clients, self._endpoint = clients, endpoint
        self._which = {"InferenceComponentName": component} if component else {}

    @property
    def name(self) -> str:
        """What it is called in a message."""
        return f"the model's endpoint {self._endpoint}"

    def send(self, body: bytes, seconds: float) -> bytes:
        """The reply to one request; raises Unanswered for what another may mend, else selfrag's typed errors."""
        try:
            reply = self._clients(seconds).invoke_endpoint(
                EndpointName=self._endpoint,
                Body=body,
                ContentType="application/json",
                Accept="application/json",
                **self._which,
            )
            content: bytes = reply["Body"].read()
        except (BotoCoreError, ClientError) as error:
            raise of_sagemaker(error, self.name) from None
        return content
