"""A loopback server that stands in for Lambda's Invoke, of the functions whose handlers it is given."""

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

from werkzeug.wrappers import Request, Response

from tests.support.loopback import Loopback
from tests.support.roles.calls import HERE
from tests.support.roles.recorded import Handler, as_caller

_PATH = "/2015-03-31/functions/{}/invocations"


class LambdaDouble(Loopback):
    """A context manager: inside it, the aliases `live` of these functions are invoked at `url`, each by its own role.

    `failing` are those that fail, each by the class of its error; of `invoked` are the names in order.
    """

    def __init__(self, handlers: Mapping[str, Handler]) -> None:
        super().__init__(self._respond)
        self.arns = {step: f"arn:aws:lambda:{HERE}:function:selfrag-{step}:live" for step in handlers}
        self._handlers = {_PATH.format(arn): (step, handlers[step]) for step, arn in self.arns.items()}
        self.failing: dict[str, str] = {}
        self.invoked: list[str] = []

    def _respond(self, request: Request) -> Response:
        step, handler = self._handlers.get(unquote(request.environ["RAW_URI"]), ("", None))
        if handler is None or "/lambda/aws4_request" not in request.headers.get("authorization", ""):
            return Response("{}", 404, {"x-amzn-errortype": "ResourceNotFoundException"})
        self.invoked.append(step)
        if step in self.failing:
            failure = {"errorType": self.failing[step], "errorMessage": "of the function"}
            return Response(json.dumps(failure), headers={"X-Amz-Function-Error": "Unhandled"})
        context = SimpleNamespace(aws_request_id="1", get_remaining_time_in_millis=lambda: 29_000, function_name=step)
        return Response(json.dumps(as_caller(step, handler)(json.loads(request.get_data()), context)))

    def environment(self) -> dict[str, Any]:
        """Return the settings of the function `agents` for these functions."""
        named = {f"SELFRAG_{step.upper()}_FUNCTION": arn for step, arn in self.arns.items()}
        return {"AWS_ENDPOINT_URL_LAMBDA": self.url, **named}
