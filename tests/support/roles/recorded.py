"""The calls of each Lambda and machine, recorded while they run; roles.py decides them afterwards."""

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar, copy_context
from typing import Any
from unittest.mock import patch

from botocore.client import BaseClient
from botocore.exceptions import ClientError
from opensearchpy.connection import Urllib3HttpConnection

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
Calls = list[Call]
Handler = Callable[[dict[str, Any], Any], Any]
_recordings: list[Calls] = []


def as_caller(name: str, handler: Handler) -> Handler:
    """Return the handler, whose AWS calls are made in this name; NOBODY's are not recorded."""

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
            if "FunctionName" in arguments:
                _record("lambda:InvokeFunction", resource_of("lambda:InvokeFunction", arguments))
            return service(arguments)
        finally:
            _caller.reset(token)

    return call


def _record(action: str, resource: str) -> None:
    if _caller.get() != NOBODY:
        for calls in _recordings:
            calls.append((_caller.get(), action, resource))


@contextmanager
def recording() -> Iterator[Calls]:
    """Yield the calls made in the block, in their order, except those of its own thread."""
    calls: Calls = []
    call_api, call_collection = BaseClient._make_api_call, Urllib3HttpConnection.perform_request
    submit = ThreadPoolExecutor.submit

    def make_api_call(self: Any, operation: str, parameters: dict[str, Any]) -> Any:
        if _caller.get() == NOBODY:
            return call_api(self, operation, parameters)
        action = action_of(self.meta.service_model.service_name, operation)
        _record(action, resource_of(action, parameters))
        # Textract reads the object as its caller.
        if read := read_by(action, parameters):
            _record(*read)
        try:
            return call_api(self, operation, parameters)
        except ClientError as error:
            # S3 says that an object is not there only to those who may list the bucket.
            if action == "s3:GetObject" and error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                _record("s3:ListBucket", bucket_arn(parameters["Bucket"]))
            raise

    def perform_request(self: Any, method: str, url: str, *arguments: Any, **named: Any) -> Any:
        _record("aoss:APIAccessAll", COLLECTION)
        _record(*_in_the_collection(method, url))
        return call_collection(self, method, url, *arguments, **named)

    def submit_in_the_callers_name(self: Any, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return submit(self, copy_context().run, work, *arguments, **named)

    with ExitStack() as patches:
        if not _recordings:
            patches.enter_context(patch.object(BaseClient, "_make_api_call", make_api_call))
            patches.enter_context(patch.object(Urllib3HttpConnection, "perform_request", perform_request))
            patches.enter_context(patch.object(ThreadPoolExecutor, "submit", submit_in_the_callers_name))
        _recordings.append(calls)
        patches.callback(_recordings.pop)
        yield calls


def _in_the_collection(method: str, url: str) -> tuple[str, str]:
    """Return the permission and the resource of a request; the functions' index gets its default name."""
    permission, index = data_access(method, url, "selfrag-nextgen")
    told = f"index/selfrag-nextgen/{os.environ.get('SELFRAG_INDEX_NAME', 'passages')}"
    return permission, "index/selfrag-nextgen/passages" if index == told else index
