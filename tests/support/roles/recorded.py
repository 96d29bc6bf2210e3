"""The calls of each Lambda and machine, recorded while they run, and refused where their roles do not allow it."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar, copy_context
from typing import Any
from unittest.mock import patch

from botocore.client import BaseClient
from botocore.exceptions import ClientError
from opensearchpy.connection import Urllib3HttpConnection
from opensearchpy.exceptions import AuthorizationException

from selfrag_cli.local.runner.failures import Failure
from selfrag_cli.local.runner.lane import Service
from tests.support.roles.calls import (
    COLLECTION,
    action_of,
    bucket_arn,
    data_access,
    read_by,
    resource_of,
)

NOBODY = ""
_caller: ContextVar[str] = ContextVar("caller", default=NOBODY)

# The caller, the IAM action and the resource.
Call = tuple[str, str, str]
Calls = set[Call]
Allows = Callable[[str, str, str], bool]
Handler = Callable[[dict[str, Any], Any], Any]
_recordings: list["_Watched"] = []

# The code and the status by which a service refuses; the head of an object has no body that could name a code.
_REFUSALS = {"s3": ("AccessDenied", 403), "dynamodb": ("AccessDeniedException", 400)}
_REFUSALS |= dict.fromkeys(("secretsmanager", "stepfunctions", "textract"), ("AccessDeniedException", 400))
_OTHERS_REFUSE = ("AccessDeniedException", 403)


def everything(who: str, action: str, resource: str) -> bool:
    """Return what a role allows that is not looked at."""
    return True


def as_caller(name: str, handler: Handler) -> Handler:
    """Return the handler, whose AWS calls are made in this name; NOBODY's are not looked at."""

    def called(event: dict[str, Any], context: Any) -> Any:
        token = _caller.set(name)
        try:
            return handler(event, context)
        finally:
            _caller.reset(token)

    return called


def machine_services(name: str, services: Mapping[str, Service]) -> dict[str, Service]:
    """Return the services of a machine, whose AWS calls are made in its name."""
    return {resource: _in_the_name(name, service) for resource, service in services.items()}


def _in_the_name(name: str, service: Service) -> Service:
    def call(arguments: dict[str, Any]) -> Any:
        token = _caller.set(name)
        try:
            if "FunctionName" in arguments and not _may_invoke(arguments):
                raise Failure("Lambda.AWSLambdaException", "AccessDeniedException", "TaskFailed")
            return service(arguments)
        finally:
            _caller.reset(token)

    return call


def _may_invoke(arguments: dict[str, Any]) -> bool:
    action = "lambda:InvokeFunction"
    return all(recorded.allowed(action, resource_of(action, arguments)) for recorded in _recordings)


@contextmanager
def recording(allows: Allows = everything) -> Iterator[Calls]:
    """Yield the calls made in the block, those of its own thread left out; what is not allowed is refused as by AWS."""
    calls = _Watched(allows)
    call_api, call_collection = BaseClient._make_api_call, Urllib3HttpConnection.perform_request
    submit = ThreadPoolExecutor.submit

    def make_api_call(self: Any, operation: str, parameters: dict[str, Any]) -> Any:
        service = self.meta.service_model.service_name
        action = action_of(service, operation)
        if _caller.get() == NOBODY:
            return call_api(self, operation, parameters)
        if not calls.allowed(action, resource_of(action, parameters)):
            raise _denied(self, service, operation)
        # Textract reads the object as its caller.
        if (read := read_by(action, parameters)) and not calls.allowed(*read):
            raise _denied(self, service, operation, "InvalidS3ObjectException", 400)
        try:
            return call_api(self, operation, parameters)
        except ClientError as error:
            # S3 says that an object is not there only to those who may list the bucket.
            missing = action == "s3:GetObject" and error.response["ResponseMetadata"]["HTTPStatusCode"] == 404
            if missing and not calls.allowed("s3:ListBucket", bucket_arn(parameters["Bucket"])):
                raise _denied(self, service, operation) from None
            raise

    def perform_request(self: Any, method: str, url: str, *arguments: Any, **named: Any) -> Any:
        asked = ("aoss:APIAccessAll", COLLECTION), _in_the_collection(method, url)
        if _caller.get() != NOBODY and not all(calls.allowed(*each) for each in asked):
            raise AuthorizationException(403, "authorization_exception", {"status": 403})
        return call_collection(self, method, url, *arguments, **named)

    def submit_in_the_callers_name(self: Any, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return submit(self, copy_context().run, work, *arguments, **named)

    with ExitStack() as patches:
        patches.callback(_recordings.remove, calls)
        _recordings.append(calls)
        patches.enter_context(patch.object(BaseClient, "_make_api_call", make_api_call))
        patches.enter_context(patch.object(Urllib3HttpConnection, "perform_request", perform_request))
        patches.enter_context(patch.object(ThreadPoolExecutor, "submit", submit_in_the_callers_name))
        yield calls.made


class _Watched:
    """The calls that were made, and what decides them."""

    def __init__(self, allows: Allows) -> None:
        self.made: Calls = set()
        self._allows, self._lock = allows, threading.Lock()

    def allowed(self, action: str, resource: str) -> bool:
        call = (_caller.get(), action, resource)
        with self._lock:
            self.made.add(call)
        return self._allows(*call)


def _in_the_collection(method: str, url: str) -> tuple[str, str]:
    """Return what the data access policy is asked about a request; it names the index that functions are told of."""
    permission, index = data_access(method, url, "selfrag")
    told = f"index/selfrag/{os.environ.get('SELFRAG_INDEX_NAME', 'passages')}"
    return permission, "index/selfrag/passages" if index == told else index


def _denied(client: Any, service: str, operation: str, code: str = "", status: int = 0) -> ClientError:
    if not code:
        code, status = _REFUSALS.get(service, _OTHERS_REFUSE)
    code = "403" if operation == "HeadObject" else code
    metadata = {"HTTPStatusCode": status, "RequestId": "denied"}
    reply = {"Error": {"Code": code, "Message": "Forbidden"}, "ResponseMetadata": metadata}
    refusal: ClientError = client.exceptions.from_code(code)(reply, operation)
    return refusal
