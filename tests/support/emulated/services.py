"""Corrections of service responses: without them Terraform reports differences or errors that AWS would not.

The tests of apply and of releases fail without any of them, except the one-time unpacking of layers, which only saves
minutes.
"""

import io
import json
import os
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import h11
from hypercorn.config import Config
from hypercorn.events import RawData
from hypercorn.protocol.h11 import H11Protocol
from ministack.services import lambda_svc, stepfunctions

_ADDRESS = f"http://127.0.0.1:{os.environ['GATEWAY_PORT']}"
# Longer than the SDK that the provider uses keeps an idle connection.
KEPT_SECONDS = 600


def keep_connections() -> None:
    """A connection is closed after 75 idle seconds or 1,000 requests, as the next comes: done, without a reply."""
    Config.keep_alive_max_requests = 10**9
    Config.keep_alive_timeout = property(lambda config: KEPT_SECONDS, lambda config, seconds: None)


def send_a_reply_at_once() -> None:
    """A reply's head goes out before its body, on loopback while the provider's SDK still reads its request's end.

    The SDK closes that request when the head arrives, so Go closes the connection, and unread data is lost.
    """
    heads: dict[int, bytes] = {}

    async def send(self: H11Protocol, event: Any) -> None:
        try:
            data = self.connection.send(event)
        except h11.LocalProtocolError:
            if self.connection.their_state != h11.ERROR:
                raise
            return
        if isinstance(event, h11.Response):
            heads[id(self)] = data or b""
        else:
            await self.send(RawData(data=heads.pop(id(self), b"") + (data or b"")))

    H11Protocol._send_h11_event = send


def remember_tracing() -> None:
    """A state machine's tracing is taken and forgotten."""

    def remembering(change: Any) -> Any:
        def changed(data: dict[str, Any]) -> Any:
            answer = change(data)
            arn = data.get("stateMachineArn") or json.loads(answer[2]).get("stateMachineArn")
            if "tracingConfiguration" in data and arn in stepfunctions._state_machines:
                stepfunctions._state_machines[arn]["tracingConfiguration"] = data["tracingConfiguration"]
            return answer

        return changed

    stepfunctions._create_state_machine = remembering(stepfunctions._create_state_machine)
    stepfunctions._update_state_machine = remembering(stepfunctions._update_state_machine)


def qualify_what_is_published_at_once() -> None:
    """A version that comes with a function's code, and not by PublishVersion, has the ARN of the function itself."""

    def qualifying(change: Any) -> Any:
        def changed(*arguments: Any) -> Any:
            answer = change(*arguments)
            for name, function in lambda_svc._functions.items():
                for number, version in function["versions"].items():
                    version["config"]["FunctionArn"] = f"{lambda_svc._func_arn(name)}:{number}"
            return answer

        return changed

    lambda_svc._create_function = qualifying(lambda_svc._create_function)
    lambda_svc._update_code = qualifying(lambda_svc._update_code)


def unpack_a_layer_once() -> None:
    """Every worker unpacks the layer for itself, one after another, and looks where each of its files would go."""
    names, unpack, lock = ZipFile.namelist, ZipFile.extractall, threading.Lock()
    unpacked: dict[int, str] = {}

    def namelist(self: ZipFile) -> list[str]:
        return [] if Path(self.filename or "").name.startswith("layer_") else names(self)

    def extractall(self: ZipFile, path: Any = None, members: Any = None, pwd: Any = None) -> None:
        where = Path(path or ".")
        if not where.name.startswith("layer_"):
            return unpack(self, path, members, pwd)
        content = hash(tuple((each.filename, each.CRC) for each in self.infolist()))
        with lock:
            if content not in unpacked:
                unpacked[content] = tempfile.mkdtemp(prefix="layer-")
                unpack(self, unpacked[content], self.infolist())
        where.rmdir()
        where.symlink_to(unpacked[content])
        return None

    ZipFile.namelist, ZipFile.extractall = namelist, extractall  # type: ignore[method-assign]


def start_wrappers() -> None:
    """A wrapper in the place of a function's runtime is not heeded: it is started as the bootstrap of a custom one."""
    execute = lambda_svc._execute_function_warm

    def executed(function: dict[str, Any], event: Any, request_id: str) -> Any:
        config = function["config"]
        wrapper = config.get("Environment", {}).get("Variables", {}).get("AWS_LAMBDA_EXEC_WRAPPER")
        if wrapper is None:
            return execute(function, event, request_id)
        layers = tuple(lambda_svc._resolve_layer_zip(layer) for layer in config["Layers"])
        variables = {**config["Environment"]["Variables"], "AWS_ENDPOINT_URL": _ADDRESS}
        package = _wrapped(function["code_zip"], layers, wrapper.removeprefix("/var/task/"))
        own = {"Runtime": "provided", "Environment": {"Variables": variables}}
        custom = {**function, "config": {**config, **own}, "code_zip": package}
        return lambda_svc._execute_function_provided_warm(custom, event, request_id)

    lambda_svc._execute_function_warm = executed


@cache
def _wrapped(code: bytes, layers: tuple[bytes, ...], wrapper: str) -> bytes:
    """Return a package with its layers, whose bootstrap is the wrapper, with the arguments that Lambda gives it."""
    packed = io.BytesIO()
    with ZipFile(packed, "w") as out:
        for package in (*layers, code):
            with ZipFile(io.BytesIO(package)) as archive:
                for name in archive.namelist():
                    out.writestr(name.removeprefix("python/"), archive.read(name))
        arguments = f"{sys.executable} /var/runtime/bootstrap.py"
        out.writestr("bootstrap", f'#!/bin/sh\nexec sh "$LAMBDA_TASK_ROOT/{wrapper}" {arguments}\n')
    return packed.getvalue()
