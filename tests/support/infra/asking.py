"""The services of a deployment at the emulator; its documents, and questions through its API Gateway."""

import json
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import anyio
import boto3
import httpx2
from botocore.exceptions import ClientError

from tests.support.doubles.opensearch_double import OpenSearchDouble
from tests.support.doubles.stand_in import MessagesServer, WebServer
from tests.support.doubles.textract_double import TextractDouble
from tests.support.doubles.titan_double import TitanDouble
from tests.support.infra.emulator import Stack
from tests.support.roles.calls import ACCOUNT

Found = TypeVar("Found")

ROOT = Path(__file__).parents[3]
# The secrets by access key: of the test, and of the emulator's functions.
KEYS = {"test": "test", ACCOUNT: "test"}
COLLECTION = "documents"
# A key may send five requests a second.
THROTTLED_SECONDS = 0.3
DOCUMENTS = {
    "documents/people/parental-leave.md": "# Parents\n\nEach parent receives 18 weeks of parental leave at full pay.\n",
    "documents/people/annual-leave.md": "# Annual leave\n\nEach employee has 26 days of annual leave a year.\n",
    "documents/travel/hotels.md": "# Hotels\n\nThe hotel limit per night in London is 190 pounds.\n",
}


@contextmanager
def backends() -> Iterator[tuple[dict[str, Any], MessagesServer, OpenSearchDouble, TitanDouble, TextractDouble]]:
    """The variables of a deployment whose model, embeddings, collection, web and Textract run here; four of these."""
    with (
        MessagesServer() as model,
        TitanDouble() as titan,
        TextractDouble(lambda bucket, name: None) as textract,
        OpenSearchDouble(KEYS) as collection,
        WebServer(ROOT / "cli" / "selfrag_cli" / "sample" / "web") as web,
    ):
        # The emulator makes a collection, too, but one that holds nothing: the double stands in its place.
        instead = {
            "SELFRAG_COLLECTION_ENDPOINT": collection.url,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": titan.url,
            "AWS_ENDPOINT_URL_TEXTRACT": textract.url,
        }
        variables = {
            "environment": instead,
            "model_base_url": model.url,
            "web_base_url": web.url,
            "prices": {"rule": [0, 0, 0]},
        }
        yield variables, model, collection, titan, textract


def object_in(stack: Stack, bucket: str, name: str) -> bytes | None:
    """Return an object of a bucket; None if it is missing."""
    with suppress(ClientError):
        return bytes(boto3.client("s3", **at(stack)).get_object(Bucket=bucket, Key=name)["Body"].read())
    return None


def documents_held(collection: OpenSearchDouble, index: str = "passages") -> set[str]:
    """Return the keys of the documents that an index of the collection holds passages of."""
    documents = collection.indices[index].documents
    return {each.source["document"] for each in documents if each.until == float("inf")}


def set_keys(stack: Stack) -> None:
    """Run the commands of the output `secret_commands`, as an operator does."""
    client = boto3.client("secretsmanager", **at(stack))
    for command in stack.outputs()["secret_commands"].values():
        words = command.split()
        client.put_secret_value(SecretId=words[words.index("--secret-id") + 1], SecretString="offline\n")


def api_key(stack: Stack) -> str:
    """Return the API key, as the command of the output fetches it."""
    key_id = stack.outputs()["api_key_command"].split()[-1]
    return str(boto3.client("apigateway", **at(stack)).get_api_key(apiKey=key_id, includeValue=True)["value"])


def at(stack: Stack) -> Mapping[str, Any]:
    """Return how boto3 reaches the emulator."""
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    return {"endpoint_url": stack.aws, "region_name": "us-east-1", **keys}


def until_all_are(stack: Stack, expected: dict[str, str]) -> None:
    """Wait until the manifest says so of each of these documents of the collection."""

    def agreed() -> bool | None:
        # A document that is claimed for the first time has no status yet.
        found = [item for item in documents_of(stack, COLLECTION) if "status" in item]
        return expected.items() <= {item["key"]["S"]: item["status"]["S"] for item in found}.items() or None

    eventually(agreed, f"the documents are not {expected}")


def documents_of(stack: Stack, collection: str) -> list[dict[str, Any]]:
    """Return the manifest's entries for the documents of a collection."""
    found = boto3.client("dynamodb", **at(stack)).query(
        TableName=stack.outputs()["tables"]["documents"],
        IndexName="by_collection",
        KeyConditionExpression="#collection = :collection",
        ExpressionAttributeNames={"#collection": "collection"},
        ExpressionAttributeValues={":collection": {"S": collection}},
    )
    items: list[dict[str, Any]] = found["Items"]
    return items


def ended(stack: Stack, command: str) -> dict[str, Any]:
    """Return the final status of an execution started by a command of the outputs."""
    words = shlex.split(command)
    machine, given = (words[words.index(option) + 1] for option in ("--state-machine-arn", "--input"))
    found = end_of(stack, machine, json.loads(given))
    assert found["status"] == "SUCCEEDED", found
    output: dict[str, Any] = json.loads(found["output"])
    return output


def end_of(stack: Stack, machine: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return an execution that was started and has ended, as Step Functions describes it."""
    client = boto3.client("stepfunctions", **at(stack))
    arn = client.start_execution(stateMachineArn=machine, input=json.dumps(given))["executionArn"]

    def end() -> dict[str, Any] | None:
        found: dict[str, Any] = client.describe_execution(executionArn=arn)
        return None if found["status"] == "RUNNING" else found

    return eventually(end, f"an execution of {machine} did not end")


def finished(api: httpx2.Client, url: str) -> dict[str, Any]:
    """Return the response of a question as soon as there is one."""

    def reply() -> dict[str, Any] | None:
        # A request with the trace reports a failed execution at once.
        answered = api.get(url, params={"trace": "true"})
        # A gateway that is asked too often, or whose function takes too long, says so in its own words: ask again.
        if not answered.is_success:
            return None
        found: dict[str, Any] = answered.json()
        return None if found["status"] == "running" else found

    return eventually(reply, "the question did not end")


class RetryingTransport(httpx2.HTTPTransport):
    """Sends a request again that API Gateway throttled: a fast machine asks more often than a key may."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the first reply that is not 429."""
        while (response := super().handle_request(request)).status_code == 429:
            response.close()
            time.sleep(THROTTLED_SECONDS)
        return response


class AsyncRetryingTransport(httpx2.AsyncHTTPTransport):
    """The same for a client that does not block."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the first reply that is not 429."""
        while (response := await super().handle_async_request(request)).status_code == 429:
            await response.aclose()
            await anyio.sleep(THROTTLED_SECONDS)
        return response


def patient_client(stack: Stack) -> httpx2.Client:
    """Return a client with the API key, which waits where it is throttled."""
    return httpx2.Client(headers={"x-api-key": api_key(stack)}, timeout=60, transport=RetryingTransport())


def eventually(look: Callable[[], Found | None], otherwise: str) -> Found:
    """Return what `look` finds as soon as it finds something."""
    # The interval respects a key's rate limit.
    for _ in range(600):
        if (found := look()) is not None:
            return found
        threading.Event().wait(0.3)
    raise AssertionError(otherwise)
