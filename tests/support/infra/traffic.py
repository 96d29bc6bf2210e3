"""Questions and documents that keep coming to a deployment at the emulator while something is done to it."""

import itertools
import json
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import boto3

from tests.support.infra.asking import at, eventually
from tests.support.infra.emulator import Stack
from tests.support.infra.sources import DEADLINE_SECONDS
from tests.support.roles.calls import HERE, bucket_arn

ASKING, LOADING = 2, 1
QUESTIONS = (
    "How many weeks of parental leave does each parent receive?",
    "How many days of annual leave does each employee have?",
    "What is the hotel limit per night in London?",
)
BUCKET = bucket_arn("selfrag-documents").rpartition(":")[2]
INGESTION = f"arn:aws:states:{HERE}:stateMachine:selfrag-ingestion:live"


class Traffic:
    """The responses and the ended ingestions so far."""

    def __init__(self, stack: Stack) -> None:
        self.responses: list[dict[str, Any]] = []
        self.ingested: list[dict[str, Any]] = []
        # The deployment's own key, by its id, as API Gateway names it.
        self._key = stack.outputs()["api_key_command"].split()[-1]
        self._lambda, self._s3, self._states = (
            boto3.client(name, **at(stack)) for name in ("lambda", "s3", "stepfunctions")
        )

    def ask(self, question: str) -> dict[str, Any]:
        """Return the response, as API Gateway would get it: from the alias of `ask`, asked again until there is one."""
        body = {"question": question, "policy": {"deadline_seconds": DEADLINE_SECONDS, "top_k": 2}}
        started = self._called("POST", "/v1/questions", body)
        assert started["statusCode"] == 202, started

        def reply() -> dict[str, Any] | None:
            shown = self._called("GET", f"/v1/questions/{json.loads(started['body'])['id']}")
            assert shown["statusCode"] == 200, shown
            found: dict[str, Any] = json.loads(shown["body"])
            assert "status" in found, f"the question failed: {found}"
            return None if found["status"] == "running" else found

        response = eventually(reply, "the question did not end")
        self.responses.append(response)
        return response

    def load(self, key: str, text: str) -> dict[str, Any]:
        """Return how the execution that the alias of the ingestion starts for a new object ends."""
        self._s3.put_object(Bucket=BUCKET, Key=key, Body=text.encode())
        given = json.dumps({"bucket": BUCKET, "key": key})
        arn = self._states.start_execution(stateMachineArn=INGESTION, input=given)["executionArn"]

        def end() -> dict[str, Any] | None:
            found: dict[str, Any] = self._states.describe_execution(executionArn=arn)
            return None if found["status"] == "RUNNING" else found

        ended = eventually(end, f"{key} was not ingested")
        self.ingested.append(ended)
        return ended

    def _called(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        request: dict[str, Any] = {"requestId": uuid.uuid4().hex, "path": f"/live{path}", "stage": "live"}
        request |= {"identity": {"apiKeyId": self._key}}
        text = None if body is None else json.dumps(body)
        headers = {"headers": {"content-type": "application/json"}, "multiValueHeaders": {}}
        event = {"httpMethod": method, "path": path, "body": text, "requestContext": request, **headers}
        reply = self._lambda.invoke(FunctionName="selfrag-ask", Qualifier="live", Payload=json.dumps(event))
        answered: dict[str, Any] = json.loads(reply["Payload"].read())
        return answered


@contextmanager
def traffic(stack: Stack, questions: int, documents: int) -> Iterator[Traffic]:
    """Some questions and a document at once, each followed by another, until the block and so many have ended."""
    coming, over = Traffic(stack), threading.Event()

    def ask_on(of_all: Iterator[int]) -> None:
        while not over.is_set() or len(coming.responses) < questions:
            coming.ask(QUESTIONS[next(of_all) % len(QUESTIONS)])

    def load_on(of_all: Iterator[int]) -> None:
        while not over.is_set() or len(coming.ingested) < documents:
            key = f"documents/{uuid.uuid4().hex}.md"
            coming.load(key, f"# Note {next(of_all)}\n\nNothing of importance.\n")

    with ThreadPoolExecutor(ASKING + LOADING) as pool:
        works = [ask_on] * ASKING + [load_on] * LOADING
        counts = {work: itertools.count() for work in works}
        running: list[Future[None]] = [pool.submit(work, counts[work]) for work in works]
        try:
            yield coming
        finally:
            over.set()
    for each in running:
        each.result()
