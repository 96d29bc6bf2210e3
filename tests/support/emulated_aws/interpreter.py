"""moto's interpreter of state machines, with Lambdas called in this process, and as strict as AWS.

What moto 5.2.5 lacks, gets wrong or is not made for is one row of the table in `_mends`; tests in tests/workflow/
prove each of them.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

import boto3
from botocore import session
from moto import backend_index, mock_aws
from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.core import utils
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.loaders import create_loader
from moto.core.routing import get_service_router
from moto.stepfunctions import urls
from moto.stepfunctions.parser.asl.component.common.assign.assign_decl import AssignDecl
from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import ErrorEqualsDecl
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from moto.stepfunctions.parser.asl.component.common.string.string_expression import StringJSONata
from moto.stepfunctions.parser.asl.component.state.state import CommonStateField
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction
from moto.stepfunctions.parser.asl.eval.event.event_manager import EventManager
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.utils import boto_client
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication as Worker
from moto.stepfunctions.responses import StepFunctionResponse

from tests.support.emulated_aws.requests import history_as_json, one_at_a_time, start_sync
from tests.support.emulated_aws.strictness import (
    as_aws_catches,
    assign_later,
    assigning,
    checked,
    evaluate_strictly,
    status_last,
)
from tests.support.emulated_aws.watching import telling

LambdaHandler = Callable[[dict[str, Any], Any], Any]
Pause = Callable[[float], None]


class _Mend(NamedTuple):
    """What stands in for `target.name` of moto's while the local AWS runs."""

    target: Any
    name: str
    mend: Any
    why: str
    is_new: bool = False


_HOSTS = r"https?://(?:sync-)?states\.(.+)\.amazonaws\.com"
_PATTERNS = [*backend_index.backend_url_patterns, ("stepfunctions", re.compile(_HOSTS))]

_parse = AmazonStateLanguageParser.parse
_process = BotocoreStubber.process_request
_reflect = Worker._reflect_execution_status
_leave = CommonStateField._get_state_exited_event_details
_add_event = EventManager.add_event


def _mends(handlers: Mapping[str, LambdaHandler], pause: Pause) -> list[_Mend]:
    return [
        _Mend(urls, "url_bases", [_HOSTS], "StartSyncExecution is called on a host of its own"),
        _Mend(backend_index, "backend_url_patterns", _PATTERNS, "and callers of that host are sent on by this list"),
        _Mend(StepFunctionResponse, "start_sync_execution", start_sync, "moto has no StartSyncExecution", is_new=True),
        _Mend(StepFunctionResponse, "get_execution_history", history_as_json, "its writer takes as long as a question"),
        _Mend(LambdaSimpleBackend, "invoke", _invoker(handlers), "a Lambda is a function of this process"),
        _Mend(StringJSONata, "_eval_body", evaluate_strictly, "moto ships without an evaluator of JSONata"),
        _Mend(StringJSONata, "__init__", checked(StringJSONata.__init__), "AWS refuses some expressions at once"),
        _Mend(AssignDecl, "_eval_body", assign_later, "`Output` sees old values; a variable has at most 256 KiB"),
        _Mend(CommonStateField, "_get_state_exited_event_details", assigning(_leave), "where `Assign` takes effect"),
        _Mend(ErrorEqualsDecl, "_eval_body", as_aws_catches(ErrorEqualsDecl._eval_body), "States.ALL catches not all"),
        _Mend(
            AmazonStateLanguageParser, "parse", _parsed_once, "to parse is as slow as to run; moto does it for each run"
        ),
        _Mend(
            Worker, "_reflect_execution_status", telling(status_last(_reflect)), "moto tells the end before the output"
        ),
        _Mend(EventManager, "add_event", telling(_add_event), "watchers of an execution would have to poll"),
        _Mend(retrier_decl, "time", SimpleNamespace(sleep=pause), "retries wait as the caller says"),
        _Mend(WaitFunction, "_wait_interval", lambda self, env, wait_seconds: pause(wait_seconds), "so do Wait states"),
        _Mend(BotocoreStubber, "process_request", one_at_a_time(_process), "stores are not made for threads"),
        _Mend(session, "create_loader", cache(session.create_loader), "every session lists the services on disk anew"),
        _Mend(utils, "create_loader", cache(create_loader), "and moto does for every service"),
        _Mend(boto_client, "boto3", _OneClientEach(), "moto makes a client for every state that calls a service"),
    ]


class _OneClientEach:
    """boto3 for moto's interpreter: one client for each service."""

    def __init__(self) -> None:
        self._clients: dict[tuple[str, str], Any] = {}
        self._lock = threading.Lock()

    def client(self, *, service_name: str, region_name: str, **options: Any) -> Any:
        """Return the client of a service in a region, made when it is first wanted."""
        with self._lock:
            if (service_name, region_name) not in self._clients:
                client = boto3.client(service_name=service_name, region_name=region_name, **options)
                self._clients[service_name, region_name] = client
            return self._clients[service_name, region_name]


@lru_cache(maxsize=8)
def _parsed_once(definition: str) -> tuple[Any, None]:
    """Parse a definition, the first time in this process that it is asked for."""
    program, _ = _parse(definition)
    return program, None


@contextmanager
def local_aws(handlers: Mapping[str, LambdaHandler], pause: Pause = time.sleep) -> Iterator[None]:
    """Yield an AWS in this process: Step Functions that run, and Lambdas that are the given functions, by name.

    `pause` waits between retries and in Wait states, in seconds.
    """
    config: Any = {"stepfunctions": {"execute_state_machine": True}, "lambda": {"use_docker": False}}
    with ExitStack() as stack:
        for mend in _mends(handlers, pause):
            stack.enter_context(patch.object(mend.target, mend.name, mend.mend, create=mend.is_new))
        stack.enter_context(mock_aws(config=config))
        _make_routes()
        yield


def _make_routes() -> None:
    """Make the routes to Lambda here, before threads do: moto makes them in each that comes before the first is done.

    werkzeug parses Python for every route, and in two threads at once CPython 3.11 fails with "AST constructor
    recursion depth mismatch" when the garbage collector comes in between.
    """
    get_service_router("lambda")._get_router("rest-json")


def _invoker(handlers: Mapping[str, LambdaHandler]) -> Callable[..., bytes]:
    def invoke(
        self: Any, function_name: str, qualifier: Any, body: Any, headers: Any, response_headers: dict[str, str]
    ) -> bytes:
        try:
            result = handlers[function_name.split(":")[-1]](
                json.loads(body), SimpleNamespace(function_name=function_name)
            )
            return json.dumps(result).encode()
        except Exception as error:  # Lambda turns whatever a handler raises into an error's name and message
            response_headers["x-amz-function-error"] = "Unhandled"
            return json.dumps({"errorType": type(error).__name__, "errorMessage": str(error)}).encode()

    return invoke
