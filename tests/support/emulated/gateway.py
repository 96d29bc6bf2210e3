"""Corrections of API Gateway; each is asserted by the apply test: take one out, and that test fails."""

import json
from contextvars import ContextVar
from typing import Any

from ministack.services import apigateway_v1

_ANY = "x-amazon-apigateway-any-method"
_STREAMED, _WHOLE = "/response-streaming-invocations", "/invocations"


def import_bodies() -> None:
    """PutRestApi is not known; what CloudFormation imports lacks ANY, mocks' replies and gateway responses."""
    handle, operation = apigateway_v1.handle_request, apigateway_v1._import_operation
    apigateway_v1._OPENAPI_HTTP_METHODS.add(_ANY)

    def import_operation(api: str, resource: str, method: str, described: dict[str, Any], *security: Any) -> None:
        method = "ANY" if method == _ANY.upper() else method
        operation(api, resource, method, described, *security)
        integration = described["x-amazon-apigateway-integration"]
        streams = integration.get("responseTransferMode") == "STREAM"
        assert streams == integration.get("uri", "").endswith(_STREAMED), "the mode and the address belong together"
        if integration["type"] == "mock":
            mock = {**integration, "type": "MOCK", "httpMethod": None, "passthroughBehavior": "WHEN_NO_TEMPLATES"}
            apigateway_v1._put_integration(api, resource, method, mock)
            for response in integration["responses"].values():
                apigateway_v1._put_integration_response(api, resource, method, response["statusCode"], response)

    async def handled(method: str, path: str, headers: Any, body: Any, query: Any) -> Any:
        top, _, api = path.strip("/").partition("/")
        if (method, top) != ("PUT", "restapis") or "/" in api:
            return await handle(method, path, headers, body, query)
        _overwrite(api, json.loads(body))
        return apigateway_v1._get_rest_api(api)

    apigateway_v1._import_operation = import_operation
    apigateway_v1.handle_request = handled


def _overwrite(api: str, body: dict[str, Any]) -> None:
    apigateway_v1._rest_apis[api]["apiKeySource"] = body.get("x-amazon-apigateway-api-key-source", "HEADER")
    resources = apigateway_v1._resources[api]
    root = next(each for each in resources.values() if each["path"] == "/")
    resources.clear()
    resources[root["id"]] = {**root, "resourceMethods": {}}
    schemes = apigateway_v1._import_security_schemes(api, body)
    for path, item in body["paths"].items():
        apigateway_v1._import_path_item(api, path, item, schemes)
    apigateway_v1._gateway_responses[api] = {}
    for kind, response in body["x-amazon-apigateway-gateway-responses"].items():
        apigateway_v1._put_gateway_response(api, kind, response)


def accept_keys_without_a_value() -> None:
    """The provider sends an empty value to have one made, which AWS takes as none."""
    create = apigateway_v1._create_api_key

    def create_api_key(data: dict[str, Any]) -> Any:
        return create({name: value for name, value in data.items() if (name, value) != ("value", "")})

    apigateway_v1._create_api_key = create_api_key


def name_methods_in_settings() -> None:
    """A stage keeps a method's settings by its path with ~1 for a slash, and heeds none that are named otherwise."""
    apply, of_method = apigateway_v1._try_apply_method_settings_patch, apigateway_v1._method_throttle_settings

    def try_apply(stage: dict[str, Any], op: dict[str, Any]) -> bool:
        # It is decoded there, and is to stay as it was sent.
        return bool(apply(stage, {**op, "path": str(op.get("path", "")).replace("~1", "~01")}))

    def throttle_settings(stage: dict[str, Any], resource_path: str, method: str) -> Any:
        known = stage.get("methodSettings") or {}
        own = known.get(f"{resource_path.replace('/', '~1')}/{method}")
        heeded = {f"/{resource_path.lstrip('/')}/{method}": own, "*/*": known.get("*/*")}
        return of_method({"methodSettings": heeded}, resource_path, method)

    apigateway_v1._try_apply_method_settings_patch = try_apply
    apigateway_v1._method_throttle_settings = throttle_settings


def name_the_key_of_a_caller() -> None:
    """API Gateway tells a function which key was sent, by its id."""
    build = apigateway_v1._build_lambda_event_v1

    def built(*request: Any, **more: Any) -> Any:
        event = build(*request, **more)
        key = apigateway_v1._resolve_api_key(apigateway_v1._api_key_from_request(event["headers"]))
        event["requestContext"]["identity"]["apiKeyId"] = key and key["id"]
        return event

    apigateway_v1._build_lambda_event_v1 = built


def take_the_key_that_an_authorizer_names() -> None:
    """An API whose keys come from its authorizer heeds `usageIdentifierKey`, and no header."""
    authorize, invoke = apigateway_v1._authorize_request_v1, apigateway_v1._invoke_authorizer_lambda
    in_header = apigateway_v1._api_key_from_request
    named: ContextVar[str | None] = ContextVar("named", default=None)

    async def authorized(api: str, *request: Any) -> Any:
        named.set("" if apigateway_v1._rest_apis[api]["apiKeySource"] == "AUTHORIZER" else None)
        return await authorize(api, *request)

    async def invoked(*request: Any) -> Any:
        result = await invoke(*request)
        if result and not result.get("error") and named.get() is not None:
            body = result["body"]
            named.set((body if isinstance(body, dict) else json.loads(body)).get("usageIdentifierKey", ""))
        return result

    def key(headers: Any) -> Any:
        return in_header(headers) if named.get() is None else named.get()

    apigateway_v1._authorize_request_v1, apigateway_v1._invoke_authorizer_lambda = authorized, invoked
    apigateway_v1._api_key_from_request = key


def read_streamed_replies() -> None:
    """A reply that is streamed begins with its status and headers; the emulator knows no such integration.

    It sends the whole reply at once, like a buffering proxy.
    """
    invoke, shape = apigateway_v1._invoke_lambda_proxy_v1, apigateway_v1._lambda_proxy_response

    async def invoked(integration: dict[str, Any], *request: Any, **more: Any) -> Any:
        return await invoke({**integration, "uri": integration["uri"].replace(_STREAMED, _WHOLE)}, *request, **more)

    def shaped(result: dict[str, Any]) -> Any:
        head, delimiter, body = str(result.get("body")).partition("\0" * 8)
        return ({**json.loads(head), "body": body}, None) if delimiter else shape(result)

    apigateway_v1._invoke_lambda_proxy_v1, apigateway_v1._lambda_proxy_response = invoked, shaped
