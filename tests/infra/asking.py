"""What a deployment at the emulator talks to, and questions through its API Gateway."""

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import httpx2
import pytest

from cli.offline.server import MessagesServer
from cli.offline.web import WebServer
from selfrag.models import Passage
from selfrag.opensearch import Entry, open_passages
from tests.infra.emulator import Stack
from tests.infra.tools import needed, run
from tests.support.opensearch_double import OpenSearchDouble
from tests.support.titan_double import TitanDouble, embed

ROOT = Path(__file__).parents[2]
# The test's own credentials, and those that the emulator gives its Lambdas.
KEYS = {"test": "test", "000000000000": "test"}
COLLECTION = "documents"
PASSAGES = {
    "people/parental-leave.md": "Each parent receives 18 weeks of parental leave at full pay.",
    "people/annual-leave.md": "Each employee has 26 days of annual leave a year.",
    "travel/hotels.md": "The hotel limit per night in London is 190 pounds.",
}


@contextmanager
def backends() -> Iterator[dict[str, Any]]:
    """The variables of a deployment whose model, embeddings, collection and web are on this machine, running."""
    with (
        MessagesServer() as model,
        TitanDouble() as titan,
        OpenSearchDouble(KEYS) as collection,
        WebServer(ROOT / "docs" / "web") as web,
    ):
        _write_passages(collection.url)
        # The emulator makes a collection, too, but one that holds nothing: the double stands in its place.
        instead = {"SELFRAG_COLLECTION_ENDPOINT": collection.url, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": titan.url}
        yield {
            "environment": instead,
            "model_base_url": model.url,
            "web_base_url": web.url,
            "prices": {"selfrag-offline": [0, 0, 0]},
        }


def _write_passages(endpoint: str) -> None:
    settings = {
        "SELFRAG_COLLECTION_ENDPOINT": endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patched:
        for name, value in settings.items():
            patched.setenv(name, value)
        open_passages.cache_clear()
        entries = [
            Entry(
                Passage(passage_id=f"p{n}", document=document, text=text, title=document, collection=COLLECTION),
                embed(text),
            )
            for n, (document, text) in enumerate(PASSAGES.items())
        ]
        assert len(open_passages().add(entries).ids) == len(entries)
    open_passages.cache_clear()


def host_packages(directory: Path) -> Path:
    """The packages as `make package` builds them, but for this machine's processor and Python."""
    wheels = ROOT / "build" / "wheels" / "host"
    needed(wheels, "no wheels in build/wheels/host: make .venv/.test")
    command = ["-m", "cli.deploy.package", "--host", "--wheels", str(wheels), "--out", str(directory)]
    run([sys.executable, *command], ROOT)
    return directory


def set_keys(stack: Stack) -> None:
    """What an operator does with the commands of the output `secret_commands`."""
    client = boto3.client("secretsmanager", **at(stack))
    for command in stack.outputs()["secret_commands"].values():
        words = command.split()
        client.put_secret_value(SecretId=words[words.index("--secret-id") + 1], SecretString="offline\n")


def api_key(stack: Stack) -> str:
    """The API key, as the command of the output fetches it."""
    key_id = stack.outputs()["api_key_command"].split()[-1]
    return str(boto3.client("apigateway", **at(stack)).get_api_key(apiKey=key_id, includeValue=True)["value"])


def at(stack: Stack) -> Mapping[str, Any]:
    """How boto3 reaches the emulator."""
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    return {"endpoint_url": stack.aws, "region_name": "us-east-1", **keys}


def finished(api: httpx2.Client, url: str) -> dict[str, Any]:
    """The response of a question as soon as there is one."""
    for _ in range(300):
        reply: dict[str, Any] = api.get(url).json()
        if reply["status"] != "running":
            return reply
        threading.Event().wait(0.2)
    raise AssertionError("the question did not end")
