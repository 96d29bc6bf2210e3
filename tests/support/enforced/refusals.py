"""Refusals that a user sees when a deployment lacks a permission: each is taken out, tried, and put back."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import boto3
import httpx2

from tests.support.doubles.opensearch_double import OpenSearchDouble
from tests.support.enforced.removing import without_grant, without_permission, without_statement
from tests.support.infra.asking import api_key, at, documents_held, documents_of, end_of, eventually
from tests.support.infra.emulator import Stack

# A collection of its own, so that the other documents stay as they are.
COLLECTION = "refused"
QUESTION = "How many days of annual leave has each employee?"
REFUSED = "gave no result (Misconfigured)."


# Who was refused which action.
Refusal = tuple[str, str]


def each_thing_that_is_taken_out_is_noticed(stack: Stack, collection: OpenSearchDouble) -> set[Refusal]:
    """Returns what was refused. No function may have read its secret before: it would keep it."""
    with httpx2.Client(headers={"x-api-key": api_key(stack)}, timeout=60) as api:
        refused = {*_of_questions(stack, api), *_of_documents(stack), *_of_machines(stack)}
    _forget_documents(stack, collection)
    return refused


def _without(stack: Stack, role: str, sid: str) -> AbstractContextManager[None]:
    return without_statement(at(stack), f"selfrag-{role}", sid)


def _of_questions(stack: Stack, api: httpx2.Client) -> Iterator[Refusal]:
    asked = {"question": QUESTION, "policy": {"deadline_seconds": 240}}
    with _without(stack, "generate", "AskModel"):
        # On a busy machine a cold function before this one may be too slow for its state; then it is there.
        for _ in range(4):
            answer = _answered(stack, api, asked)
            if "Generate" in answer.get("answer", ""):
                break
        assert (answer.get("status"), "Generate" in answer.get("answer", "")) == ("failed", True), answer
        yield "selfrag-generate", "secretsmanager:GetSecretValue"
    with _without(stack, "ask", "AskForLater"):
        assert api.post(stack.url("/v1/questions"), json=asked).status_code == 500
        yield "selfrag-ask", "states:StartExecution"
    function = stack.resources()["aws_lambda_permission.api"]
    with without_permission(at(stack), function["function_name"], function["qualifier"] or None):
        assert api.get(stack.url("/v1/questions/none")).status_code == 500
        yield "apigateway.amazonaws.com", "lambda:InvokeFunction"


def _answered(stack: Stack, api: httpx2.Client, asked: dict[str, Any]) -> dict[str, Any]:
    """Return what the API says of a question when its execution has ended, in whichever way."""
    location = api.post(stack.url("/v1/questions"), json=asked).headers["location"].removeprefix("/live")
    machine = stack.outputs()["machine_arns"]["standard"].removesuffix(":live")
    arn = f"{machine.replace(':stateMachine:', ':execution:')}:{location.rpartition('/')[2]}"
    client = boto3.client("stepfunctions", **at(stack))
    eventually(lambda: client.describe_execution(executionArn=arn)["status"] != "RUNNING" or None, f"{arn} did not end")
    answer: dict[str, Any] = api.get(stack.url(location)).json()
    return answer


def _of_documents(stack: Stack) -> Iterator[Refusal]:
    removals = {
        # What embed_passages looks for is not there yet, and S3 says so only to those who may list the bucket.
        ("embed_passages", "SeeWhichWorkIsDone"): ("s3:ListBucket", "EmbedPassages"),
        ("embed_passages", "Embed"): ("bedrock:InvokeModel", "EmbedPassages"),
        ("index_passages", "RememberPassages"): ("dynamodb:GetItem", "IndexPassages"),
        ("index_passages", "UseCollection"): ("aoss:APIAccessAll", "IndexPassages"),
    }
    for (role, sid), (action, step) in removals.items():
        with _without(stack, role, sid):
            assert (end := _loaded(stack, sid)) == f"failed {step} {REFUSED}", f"without {sid}: {end}"
            yield f"selfrag-{role}", action
    with without_grant(at(stack), "selfrag", "Writing passages"):
        assert (end := _loaded(stack, "grant")) == f"failed IndexPassages {REFUSED}", f"without the grant: {end}"
        yield "selfrag-index_passages", "aoss:DescribeIndex"
    with _without(stack, "ingestion", "RunSteps"):
        given = {"bucket": stack.outputs()["bucket"], "key": f"{COLLECTION}/all.md"}
        ended = end_of(stack, stack.outputs()["ingestion_machine_arn"], given)
        assert (ended["error"], "Lambda.AWSLambdaException" in ended["cause"]) == ("NotClaimed", True), ended
        yield "selfrag-ingestion", "lambda:InvokeFunction"
    assert _loaded(stack, "all") == "ready"


def _of_machines(stack: Stack) -> Iterator[Refusal]:
    aws, words = at(stack), stack.outputs()["reindex_command"].split()
    with _without(stack, "reindex", "ListDocuments"):
        machine = words[words.index("--state-machine-arn") + 1]
        assert end_of(stack, machine, {"prefix": f"{COLLECTION}/"})["error"] == "States.ItemReaderFailed"
        yield "selfrag-reindex", "s3:ListBucket"
    sqs = boto3.client("sqs", **aws)
    queue = sqs.get_queue_url(QueueName="selfrag-undelivered")["QueueUrl"]
    with _without(stack, "events", "StartIntake"):
        key = _put(stack, "unheard")
        kept = eventually(lambda: sqs.receive_message(QueueUrl=queue).get("Messages"), "no event was kept")
        assert json.loads(kept[0]["Body"])["detail"]["object"]["key"] == key
        yield "selfrag-events", "states:StartExecution"


def _loaded(stack: Stack, name: str) -> str:
    """Return how a new document stands when its ingestion has ended, and why."""
    key = _put(stack, name)
    return eventually(lambda: _standing(stack).get(key), f"{key} has no state")


def _put(stack: Stack, name: str) -> str:
    key = f"{COLLECTION}/{name}.md"
    body = f"A text of {name}.\n".encode()
    boto3.client("s3", **at(stack)).put_object(Bucket=stack.outputs()["bucket"], Key=key, Body=body)
    return key


def _standing(stack: Stack) -> dict[str, str]:
    """Return how each document stands, and why, by its key."""
    return {
        item["key"]["S"]: f"{item['status']['S']} {item.get('reason', {}).get('S', '')}".strip()
        for item in documents_of(stack, COLLECTION)
        if "status" in item
    }


def _forget_documents(stack: Stack, collection: OpenSearchDouble) -> None:
    """Leave nothing that later phases would find."""
    bucket = boto3.resource("s3", **at(stack)).Bucket(stack.outputs()["bucket"])
    bucket.objects.filter(Prefix=f"{COLLECTION}/").delete()

    def gone() -> bool | None:
        return set(_standing(stack).values()) == {"removed"} or None

    eventually(gone, "documents are left")
    assert not [each for each in documents_held(collection) if each.startswith(COLLECTION)]
