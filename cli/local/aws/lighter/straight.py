"""Requests to tables and Lambdas, straight to what answers them in moto: nobody signs, sends or looks them up."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.endpoint import convert_to_response_dict
from moto.awslambda.responses import LambdaResponse
from moto.core.botocore_stubber import BotocoreStubber, MockRawResponse
from moto.core.responses import BaseResponse
from moto.dynamodb.responses import DynamoHandler

# What answers an operation of a service. A request with a query goes the long way.
_ANSWERS: dict[tuple[str, str], type[BaseResponse]] = {
    **{("dynamodb", name): DynamoHandler for name in ("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query")},
    ("lambda", "Invoke"): LambdaResponse,
}


def straight(make_request: Callable[..., Any]) -> Callable[..., Any]:
    """Make the SDK's requests: those of `_ANSWERS` without a signature and a try again, all others as it does."""

    def make(self: Any, operation: Any, asked: dict[str, Any], context: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        answers = _ANSWERS.get((operation.service_model.service_name, operation.name))
        if answers is None or asked["query_string"]:
            made: tuple[Any, dict[str, Any]] = make_request(self, operation, asked, context)
            return made
        request = SimpleNamespace(**asked, answers=answers)
        stubber: Any = BotocoreStubber.process_request
        status, headers, body = stubber(None, request)
        http = AWSResponse(request.url, status, headers, MockRawResponse(body))
        return http, _parsed(self._endpoint, operation, http)

    return make


def _parsed(endpoint: Any, operation: Any, http: Any) -> dict[str, Any]:
    response = convert_to_response_dict(http, operation)
    parser = endpoint._response_parser_factory.create_parser(operation.service_model.resolved_protocol)
    parsed: dict[str, Any] = parser.parse(response, operation.output_shape)
    if http.status_code >= 300:
        endpoint._add_modeled_error_fields(response, parsed, operation, parser)
    return parsed


def answered(process: Callable[..., Any]) -> Callable[..., Any]:
    """Process a request: one that was made straight by what answers it, all others as moto does."""

    def answer(self: Any, request: Any) -> Any:
        answers = getattr(request, "answers", None)
        return process(self, request) if answers is None else _answer(answers(), request)

    return answer


def _answer(of: Any, request: Any) -> Any:
    """What `setup_class` of moto's makes of a request, as far as these operations look at it."""
    of.headers, of.querystring, of.uri_match, of.response_headers = request.headers, {}, {}, {}
    of.path, of.method, of.body = request.url_path, request.method, request.body
    of.region, of.current_account = of.get_region_from_url(request, request.url), of.get_current_account()
    if isinstance(of, LambdaResponse):
        return of.invoke()
    content_type = request.headers["Content-Type"]
    of.parse_parameters(
        SimpleNamespace(
            method=request.method,
            values={},
            headers=request.headers,
            data=request.body,
            path=request.url_path,
            content_type=content_type,
        )
    )
    return of.call_action()
