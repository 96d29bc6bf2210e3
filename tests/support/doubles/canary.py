"""A full run with faults in a separate process, whose keys are canaries; its traces are printed to stdout.

Logs and metrics are written as in a Lambda. The model and the web repeat the key in every error, as a careless
service might.
"""

import json
import sys
import threading
from collections import deque
from typing import Any

import boto3
import httpx2
from werkzeug.wrappers import Request, Response

from selfrag_cli.local.serving.gateway import serving
from tests.support.aws.resources import TABLES, bind
from tests.support.aws.stack import MACHINE_ARN, running_stack
from tests.support.doubles.model_server import ModelServer
from tests.support.local import few_parts
from tests.support.loopback import App, Loopback

MODEL_KEY, WEB_KEY = "sk-ant-canary-1f0c9e", "tvly-canary-77b2d4"
MOODS = ("good", 401, 429, 500, 400, "hang up", "nonsense")
seen: set[str] = set()
mood: deque[Any] = deque(["good"], maxlen=1)


def careless(good: ModelServer) -> App:
    """Passes a request on to the good model, or fails in a way that repeats the key."""

    def respond(request: Request) -> Response:
        key = request.headers.get("x-api-key") or request.headers["authorization"].removeprefix("Bearer ")
        seen.add(key)
        if mood[0] == "hang up":
            raise ConnectionAbortedError
        if mood[0] == "good" and request.path == "/v1/messages":
            status, reply = good.answer(json.loads(request.get_data()))
        else:
            status = mood[0] if isinstance(mood[0], int) else 200
            reply = {"type": "error", "error": {"type": "bad", "message": f"wrong key {key}"}, "results": key}
        return Response(json.dumps(reply), status, {"echo": key}, content_type="application/json")

    return respond


def main() -> None:
    """Ask in every mood, by both endpoints, and print what can be read afterwards: replies, histories, tables."""
    left: list[Any] = []
    with ModelServer() as good, Loopback(careless(good)) as server:
        environment = {
            "SELFRAG_MODEL_BASE_URL": server.url,
            "SELFRAG_MODEL_SECRET": "model-key",
            "SELFRAG_WEB_BASE_URL": server.url,
            "SELFRAG_WEB_SECRET": "web-key",
            "SELFRAG_WEB_SEARCH": "true",
        }
        running = running_stack(environment, {}, parts=few_parts(), pause=lambda seconds: None)
        with running as stack, serving(0, stack.watch) as api:
            bind("principal#", "c")
            for secret, key in (("model-key", MODEL_KEY), ("web-key", WEB_KEY)):
                boto3.client("secretsmanager").create_secret(Name=secret, SecretString=key)
            good.answers["grade_relevance"] = lambda body: {"reason": "r", "score": 0.1}
            for now in MOODS:
                mood.append(now)
                for path in ("/v1/ask", "/v1/questions") if now in ("good", 401) else ("/v1/ask",):
                    reply = httpx2.post(
                        api + path,
                        json={"question": f"How many days, {now}?", "policy": {"web_search": True}},
                        timeout=40,
                    )
                    left.append([dict(reply.headers), reply.text])
            left += _histories() + _tables()
    print(json.dumps({"left": left, "seen": sorted(seen)}, default=str))


def _histories() -> list[Any]:
    client = boto3.client("stepfunctions")
    found = client.list_executions(stateMachineArn=MACHINE_ARN)["executions"]
    while any(client.describe_execution(executionArn=e["executionArn"])["status"] == "RUNNING" for e in found):
        threading.Event().wait(0.05)
    pages = client.get_paginator("get_execution_history")
    return [page["events"] for e in found for page in pages.paginate(executionArn=e["executionArn"])]


def _tables() -> list[Any]:
    client = boto3.client("dynamodb")
    names = [name for name, _ in TABLES.values()] + ["selfrag-requests", "selfrag-feedback"]
    return [client.scan(TableName=name)["Items"] for name in names]


if __name__ == "__main__":
    sys.exit(main())
