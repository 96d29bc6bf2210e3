"""A full run with faults in a process of its own, whose keys are canaries; what it leaves behind goes to stdout.

Logs and metrics are written as in a Lambda. The model and the web repeat the key in every error, as a careless
service might.
"""

import json
import sys
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import boto3
import httpx2

from cli.local.aws.resources import TABLES
from cli.local.aws.stack import MACHINE_ARN, running_stack
from cli.local.serving.gateway import serving
from tests.support.local import few_parts
from tests.support.model_server import ModelServer

MODEL_KEY, WEB_KEY = "sk-ant-canary-1f0c9e", "tvly-canary-77b2d4"
MOODS = ("good", 401, 429, 500, 400, "hang up", "nonsense")
seen: set[str] = set()
mood: deque[Any] = deque(["good"], maxlen=1)


class Careless(BaseHTTPRequestHandler):
    """Passes a request on to the good model, or fails in a way that repeats the key."""

    good: ModelServer

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        key = self.headers.get("x-api-key") or self.headers["authorization"].removeprefix("Bearer ")
        seen.add(key)
        body = self.rfile.read(int(self.headers["content-length"]))
        if mood[0] == "hang up":
            return
        if mood[0] == "good" and self.path == "/v1/messages":
            status, reply = self.good._answer(json.loads(body))
        else:
            status = mood[0] if isinstance(mood[0], int) else 200
            reply = {"type": "error", "error": {"type": "bad", "message": f"wrong key {key}"}, "results": key}
        text = json.dumps(reply).encode()
        self.send_response(status)
        for name, value in (("content-type", "application/json"), ("content-length", str(len(text))), ("echo", key)):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)


def main() -> None:
    """Ask in every mood, by both endpoints, and print what can be read afterwards: replies, histories, tables."""
    left: list[Any] = []
    with ModelServer() as good:
        Careless.good = good
        server = ThreadingHTTPServer(("127.0.0.1", 0), Careless)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        environment = {
            "SELFRAG_MODEL_BASE_URL": url,
            "SELFRAG_MODEL_SECRET": "model-key",
            "SELFRAG_WEB_BASE_URL": url,
            "SELFRAG_WEB_SECRET": "web-key",
            "SELFRAG_COLLECTIONS": '["c"]',
        }
        secrets = {"model-key": MODEL_KEY, "web-key": WEB_KEY}
        with running_stack(environment, secrets, parts=few_parts(), pause=lambda seconds: None), serving() as api:
            good.answers["grade_relevance"] = lambda body: {"reason": "r", "label": "irrelevant", "score": 0.1}
            for now in MOODS:
                mood.append(now)
                for path in ("/v1/ask", "/v1/questions") if now in ("good", 401) else ("/v1/ask",):
                    reply = httpx2.post(api + path, json={"question": f"How many days, {now}?"}, timeout=40)
                    left.append([dict(reply.headers), reply.text])
            left += _histories() + _tables()
        server.shutdown()
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
    names = [name for name, _ in TABLES.values()] + ["selfrag-requests"]
    return [client.scan(TableName=name)["Items"] for name in names]


if __name__ == "__main__":
    sys.exit(main())
