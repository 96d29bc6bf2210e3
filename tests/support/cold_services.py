"""Local stubs of the services that a cold question calls: each replies at once with one good reply."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

_ARN = "arn:aws:states:eu-west-1:111122223333:stateMachine:selfrag-"

PASSAGE = {
    "passage_id": "p1",
    "document": "handbook/leave.md",
    "collection": "handbook",
    "text": "Each parent receives 16 weeks of paid parental leave.",
}
ANSWER = PASSAGE["text"]
_QUESTION_ENDED = {"executionArn": "arn:aws:states:eu-west-1:1:express:q:q:q", "status": "SUCCEEDED"}
# By the operation in the header X-Amz-Target.
_AWS: dict[str, Json] = {
    "GetSecretValue": {"Name": "key", "SecretString": "key", "VersionId": "1"},
    "GetItem": {},
    "PutItem": {},
    "UpdateItem": {"Attributes": {}},
    "DeleteItem": {"Attributes": {"day": {"S": "2026-11-27"}, "amount": {"N": "50000"}}},
    "StartSyncExecution": {**_QUESTION_ENDED, "output": json.dumps({"status": "answered", "answer": ANSWER})},
}
_FOUND = {"status": 200, "timed_out": False, "_shards": {"failed": 0}}
_HITS = {"hits": [{"_id": "1", "_score": 1.0, "_source": PASSAGE}]}
# By a field of the requested verdict.
_VERDICTS: dict[str, Json] = {
    "decision": {"reason": "It is about the handbook.", "decision": "yes"},
    "score": {"reason": "It says it.", "score": 1.0},
    "claims": {"claims": [{"claim": ANSWER, "support": "full", "passages": [1]}]},
}


@contextmanager
def services() -> Iterator[str]:
    """Serve all services at one URL, which the block gets, until it ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Service) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def environment(step: str, url: str) -> dict[str, str]:
    """Return the environment that Lambda and the Terraform give a function, with one URL for all services."""
    return {
        "AWS_LAMBDA_FUNCTION_NAME": f"selfrag-{step}",
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "key",
        "AWS_ENDPOINT_URL": url,
        "PATH": os.defpath,
        "SELFRAG_MODEL_SECRET": "key",
        "SELFRAG_MODEL_BASE_URL": url,
        "SELFRAG_WEB_SECRET": "key",
        "SELFRAG_COLLECTION_ENDPOINT": url,
        "SELFRAG_EXPRESS_MACHINE_ARN": f"{_ARN}express",
        "SELFRAG_STANDARD_MACHINE_ARN": f"{_ARN}standard",
        "SELFRAG_ASK_FUNCTION": f"{_ARN}ask",
        "SELFRAG_RETRIEVE_FUNCTION": f"{_ARN}retrieve",
        # With a daily cap both make one client more.
        "SELFRAG_MAX_COST_USD": "0.05",
        **({"SELFRAG_DAILY_MAX_USD": "10"} if step in ("ask", "compose_answer") else {}),
    }


def reply_to(path: str, target: str, body: bytes) -> Json:
    """Return the reply to a request; `target` is the operation that AWS's own protocol names in a header."""
    if target.endswith(".GetItem") and "caller" in json.loads(body)["Key"]:
        return {"Item": {"collections": {"SS": ["documents"]}}}
    if target:
        return _AWS[target.rpartition(".")[2]]
    if path.endswith("/invoke"):
        return {"embedding": [1.0] + [0.0] * (json.loads(body)["dimensions"] - 1)}
    if path.endswith("/_msearch"):
        return {"responses": [{**_FOUND, "hits": _HITS}] * (body.count(b"\n") // 2)}
    return _message(json.loads(body))


def _message(asked: Json) -> Json:
    schema = asked.get("output_config", {}).get("format", {}).get("schema", {})
    verdict = next((reply for field, reply in _VERDICTS.items() if field in schema.get("properties", {})), None)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked["model"],
        "content": [{"type": "text", "text": ANSWER if verdict is None else json.dumps(verdict)}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


class _Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise the second part of a reply waits for the client to acknowledge the first.
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Reply to any request."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = json.dumps(reply_to(self.path, self.headers.get("X-Amz-Target", ""), body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


QUESTION = "How many weeks of parental leave does each parent receive?"
_HTTP = {
    "httpMethod": "POST",
    "path": "/v1/ask",
    "body": f'{{"question": "{QUESTION}"}}',
    "headers": {"content-type": "application/json"},
    "multiValueHeaders": {},
    "requestContext": {"requestId": "r", "path": "/live/v1/ask", "stage": "live", "identity": {"apiKeyId": "k"}},
}
EVENTS: dict[str, dict[str, Any]] = {
    "ask": _HTTP,
    "agents": {
        **_HTTP,
        "path": "/mcp",
        "headers": {"accept": "application/json"},
        "body": json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    },
    "plan": {"question": QUESTION, "collections": ["handbook"], "began_ms": 0, "now_ms": 0},
    "decide_retrieval": {"question": QUESTION},
    "retrieve": {"queries": [QUESTION], "collections": ["handbook"], "top_k": 4},
    "grade_relevance": {"question": QUESTION, "passage": PASSAGE},
    "generate": {"question": QUESTION, "passages": [PASSAGE]},
    "grade_support": {"question": QUESTION, "answer": ANSWER, "passages": [PASSAGE]},
    "compose_answer": {"id": "q", "question": QUESTION, "retrieval": {"decision": "yes", "reason": "r"}},
}
