"""Trial of a deployment: its page, and a document to upload, ask about and remove."""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeVar

import httpx2
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, ClientError

from selfrag.adapters.manifest import DynamoManifest
from selfrag.adapters.outbound import http_client_for
from selfrag.runtime.settings import PASSAGES
from selfrag_cli.deployment.remote import TIMEOUT_SECONDS
from selfrag_cli.deployment.terraform import Outputs
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, unknown, warning

T = TypeVar("T")
# A write takes up to a minute to become visible, a cold ingestion longer.
PATIENCE_SECONDS, PAUSE_SECONDS = 300, 3
SECONDS_BETWEEN_QUESTIONS = 15
# A cold question should stay well below the 25 s of POST /v1/ask.
SLOW_SECONDS = 20
# Until the document is visible, retries would cost more than the answer.
POLICY = {"web_search": False, "max_rewrites": 0}
FAILED = "failed"
LISTED = 500


class Deployment:
    """A deployment: account, terraform outputs, API, and test document, which `close` removes.

    `pause` and `clock` use seconds.
    """

    def __init__(
        self,
        account: Account,
        outputs: Outputs,
        endpoint: str = "",
        key: str = "",
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.account, self.outputs = account, outputs
        self.endpoint, self._key = (endpoint or outputs["endpoint"]).rstrip("/"), key
        # The origin of the API's page.
        self.origin = "/".join(self.endpoint.split("/")[:3])
        self._pause, self.clock = pause, clock
        self.word, self.number = uuid.uuid4().hex[:8], str(uuid.uuid4().int)[:6]
        self.document = f"{account.choices.collections[0]}/selfrag-doctor-{self.word}.md"
        self.is_uploaded = self.is_ready = False

    @property
    def has_key(self) -> bool:
        """Return whether the API uses keys instead of signatures."""
        return bool(self._key or self.outputs.get("api_key_command"))

    @property
    def has_documents(self) -> bool:
        """Return whether questions search the deployment's own documents."""
        return self.account.choices.knowledge_base is None

    @cached_property
    def api(self) -> httpx2.Client:
        """Return the API client, with the caller's key, the one from `api_key_command`, or signatures."""
        client, key, command = http_client_for(self.endpoint), self._key, self.outputs.get("api_key_command")
        client.base_url, client.timeout = httpx2.URL(self.endpoint), httpx2.Timeout(TIMEOUT_SECONDS)
        if not key and command:
            reply = self.account.client("apigateway").get_api_key(apiKey=command.split()[-1], includeValue=True)
            key = str(reply["value"])
        if key:
            client.headers["x-api-key"] = key
        else:
            client.auth = self._sign
        return client

    def _sign(self, request: httpx2.Request) -> httpx2.Request:
        signed = AWSRequest(method=request.method, url=str(request.url), data=request.content)
        SigV4Auth(self.account.session.get_credentials(), "execute-api", self.account.region).add_auth(signed)
        request.headers.update(dict(signed.headers))
        return request

    def close(self) -> None:
        """Remove the document; if that fails, its name shows its origin."""
        if self.is_uploaded:
            with suppress(BotoCoreError, ClientError):
                self.account.client("s3").delete_object(Bucket=self.outputs["bucket"], Key=self.document)

    def ask(self, path: str) -> httpx2.Response:
        """Ask the question that only the test document answers."""
        question = f"What is the pass phrase of the doctor's visit {self.word}?"
        return self.api.post(path, json={"question": question, "policy": POLICY})

    def poll_until(self, check: Callable[[], T | None], pause: float = PAUSE_SECONDS) -> tuple[T | None, float]:
        """Return the first result of `check` that is not None and the elapsed seconds; None on timeout."""
        began = self.clock()
        while (result := check()) is None and self.clock() - began < PATIENCE_SECONDS:
            self._pause(pause)
        return result, self.clock() - began


def page(deployment: Deployment) -> Iterator[Finding]:
    """Check the page, which requires API keys."""
    if not deployment.has_key:
        return
    reply = deployment.api.get("/")
    if reply.is_success and reply.headers.get("content-type", "").startswith("text/html"):
        yield fine(f"The page at {deployment.endpoint}/ works.")
    else:
        yield blocks(f"The page does not come as text/html: {_reason_of(reply)}", "Look at the logs of `ask`.")


def health(deployment: Deployment) -> Iterator[Finding]:
    """Call the health address, which works without a function."""
    reply = deployment.api.get("/v1/health")
    if _body_of(reply).get("status") == "ok":
        yield fine("GET /v1/health says ok.")
    else:
        yield blocks(
            f"GET /v1/health failed: {_reason_of(reply)}", "Compare the API's stage with the plan of infra/api.tf."
        )


def indexed(deployment: Deployment) -> Iterator[Finding]:
    """Compare what made the documents' passages with this release; reindexing replaces those of another."""
    if not deployment.has_documents:
        return
    manifest = DynamoManifest(deployment.account.client("dynamodb"), deployment.outputs["tables"]["documents"])
    ready = outdated = 0
    for collection in deployment.account.choices.collections:
        after: tuple[str, str] | None = None
        while True:
            records, after = manifest.list_documents(collection, LISTED, after)
            versions = [record.version for record in records if record.status == "ready"]
            ready += len(versions)
            outdated += sum(version.split(" ")[-2:-1] != [PASSAGES] for version in versions)
            if after is None:
                break
    if outdated:
        says = f"{outdated:,} of {ready:,} documents were indexed by another release: full text may not find them."
        yield warning(says, "Run the output `reindex_command` with {}.")
    else:
        yield fine(f"All {ready:,} documents were indexed by this release.")


def upload(deployment: Deployment) -> Iterator[Finding]:
    """Upload the document like the page does, and wait until it is ready."""
    if not deployment.has_documents:
        yield unknown("A knowledge base has its own documents, so none was uploaded.", "Ask a question of yours.")
        return
    document, word = deployment.document, deployment.word
    phrase = f'The pass phrase of the doctor\'s visit {word} is "heliotrope {deployment.number}".'
    content = f"# Visit {word}\n\n{phrase}\n".encode()
    reply = deployment.api.post("/v1/documents", json={"key": document, "size": len(content)})
    if reply.status_code != httpx2.codes.CREATED:
        yield blocks(f"The API gave no address to upload {document}: {_reason_of(reply)}", "Look at the logs of `ask`.")
        return
    deployment.is_uploaded = True
    target, origin = reply.json()["upload"], deployment.origin
    with http_client_for(target["url"]) as bucket:
        headers = {**target["headers"], "origin": origin}
        sent = bucket.request(
            target["method"], target["url"], content=content, headers=headers, timeout=TIMEOUT_SECONDS
        )
    if not sent.is_success:
        yield blocks(f"The bucket refused {document}: status {sent.status_code}.", "Look at the role of `ask`.")
        return
    if deployment.has_key and sent.headers.get("access-control-allow-origin") not in ("*", origin):
        yield warning(f"A page at {origin} cannot send files to the bucket.", f'Set `upload_origins = ["{origin}"]`.')

    def end() -> dict[str, Any] | None:
        body = _body_of(deployment.api.get(f"/v1/documents/{reply.json()['id']}"))
        return body if body.get("status") in ("ready", FAILED) else None

    ended, seconds = deployment.poll_until(end)
    if ended is None:
        yield blocks(
            f"{document} was not ready after {PATIENCE_SECONDS} s.",
            "Look at the executions of the ingestion's machine, and at the queue of events that were not delivered.",
        )
    elif ended["status"] == FAILED:
        yield blocks(f"{document} failed: {ended['reason']}", "Look at the execution of the ingestion's machine.")
    else:
        deployment.is_ready = True
        yield fine(f"A document was ready {seconds:.0f} s after its upload.")


def question(deployment: Deployment) -> Iterator[Finding]:
    """Ask about the document until it is found, and once asynchronously."""
    if not deployment.is_ready:
        yield unknown("There is no document to ask about.", "Mend what upload says.")
        return
    reason, slowest = "", 0.0

    def answer() -> dict[str, Any] | None:
        nonlocal reason, slowest
        began = deployment.clock()
        reply = deployment.ask("/v1/ask")
        body, reason, slowest = _body_of(reply), _reason_of(reply), max(slowest, deployment.clock() - began)
        return body if deployment.number in body.get("answer", "") else None

    response, seconds = deployment.poll_until(answer, SECONDS_BETWEEN_QUESTIONS)
    if response is None:
        yield blocks(
            f"The document was not answered from within {PATIENCE_SECONDS} s; the last reply was {reason}",
            "Look at the execution of the question in the console, and at the key of Claude.",
        )
        return
    says = f"The document was answered from {seconds:.0f} s after it was ready, in {slowest:.1f} s at the slowest."
    if url := response["execution"].get("console_url"):
        says += f" Its execution: {url}"
    memory = "Look at the slowest steps on the dashboard, and give them more `memory`."
    yield fine(says) if slowest < SLOW_SECONDS else warning(says, memory)
    for note in response["usage"].get("warnings", []):
        yield warning(f"The answer warns: {note}", "Look at the execution of the question in the console.")
    yield _ask_for_later(deployment)


def _ask_for_later(deployment: Deployment) -> Finding:
    started = deployment.ask("/v1/questions")
    if started.status_code != httpx2.codes.ACCEPTED:
        return blocks(f"POST /v1/questions started nothing: {_reason_of(started)}", "Look at the logs of `ask`.")
    # The location includes the stage, like the endpoint.
    path = started.headers["location"].partition("/v1/")[2]

    def end() -> dict[str, Any] | None:
        body = _body_of(deployment.api.get(f"/v1/{path}"))
        return None if body.get("status", "running") == "running" else body

    response, seconds = deployment.poll_until(end)
    if response is None or response["status"] == FAILED:
        return blocks(
            f"A question for later did not end well within {seconds:.0f} s.",
            "Look at the Standard machine's execution.",
        )
    return fine(f"A question for later was answered after {seconds:.1f} s.")


def _body_of(reply: httpx2.Response) -> dict[str, Any]:
    return _json(reply) if reply.is_success else {}


def _reason_of(reply: httpx2.Response) -> str:
    """Return a reply's status and its problem's message."""
    words = [str(value) for name in ("detail", "message", "status", "answer") if (value := _json(reply).get(name))]
    return " ".join([f"status {reply.status_code}.", *words[:2]])


def _json(reply: httpx2.Response) -> dict[str, Any]:
    try:
        body = reply.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
