"""A deployment, tried by a document: it is uploaded, questions are asked about it, and it is removed."""

import json
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from importlib.resources import files
from types import TracebackType
from typing import Any, Self, TypedDict, TypeVar

import httpx2
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel

from selfrag.adapters.executions import unversioned
from selfrag.adapters.outbound import http_client_for, unreachable
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.choices import Outputs
from selfrag_cli.doctor.findings import Finding, blocks, fine, look, unknown

# API Gateway itself gives up after 29 s.
TIMEOUT_SECONDS = 35


class UploadAddress(TypedDict):
    """The request that puts a file into the bucket, as POST /v1/documents gives it."""

    method: str
    url: str
    headers: dict[str, str]


class Api:
    """The API at an endpoint; `key` is sent as x-api-key, else `credentials` sign for `region`."""

    def __init__(self, endpoint: str, key: str = "", credentials: Any = None, region: str = "") -> None:
        self.endpoint = endpoint.rstrip("/")
        self._key, self._credentials, self._region = key, credentials, region

    @cached_property
    def _client(self) -> httpx2.Client:
        return http_client_for(self.endpoint)

    @property
    def origin(self) -> str:
        """Return the origin of the API's page: scheme and host."""
        return "/".join(self.endpoint.split("/")[:3])

    def get(self, path: str) -> httpx2.Response:
        """Send GET to a path below the endpoint, such as /v1/documents."""
        return self._send("GET", path)

    def post(self, path: str, body: Mapping[str, object]) -> httpx2.Response:
        """Send JSON by POST."""
        return self._send("POST", path, json.dumps(body))

    def upload(self, target: UploadAddress, content: bytes) -> httpx2.Response:
        """Send a file to the address that POST /v1/documents gave, as the API's own page would."""
        url, headers = target["url"], {**target["headers"], "origin": self.origin}
        with http_client_for(url) as client:
            try:
                return client.request(target["method"], url, content=content, headers=headers, timeout=TIMEOUT_SECONDS)
            except httpx2.HTTPError as error:
                raise unreachable(error, url) from error

    def _send(self, method: str, path: str, body: str = "") -> httpx2.Response:
        # The location of a question has the stage before it, as the endpoint has.
        url = self.endpoint + path[path.index("/v1/") :]
        headers = {"content-type": "application/json"} if body else {}
        headers |= self._signed(method, url, body, headers)
        try:
            return self._client.request(method, url, content=body or None, headers=headers, timeout=TIMEOUT_SECONDS)
        except httpx2.HTTPError as error:
            raise unreachable(error, url) from error

    def _signed(self, method: str, url: str, body: str, headers: dict[str, str]) -> dict[str, str]:
        if self._key:
            return {"x-api-key": self._key}
        if self._credentials is None:
            return {}
        request = AWSRequest(method=method, url=url, data=body, headers=headers)
        SigV4Auth(self._credentials, "execute-api", self._region).add_auth(request)
        return dict(request.headers)


def body_of(reply: httpx2.Response) -> dict[str, object]:
    """Return the JSON object of a reply that succeeded; {} for any other reply."""
    return _json(reply) if reply.is_success else {}


def reason_of(reply: httpx2.Response) -> str:
    """Return a reply's status and, of a problem, its own words."""
    words = [str(value) for name in ("detail", "message", "status", "answer") if (value := _json(reply).get(name))]
    return " ".join([f"status {reply.status_code}.", *words[:2]])


def _json(reply: httpx2.Response) -> dict[str, object]:
    try:
        body = reply.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


# A write to the collection may take a minute to become visible; a cold ingestion some more.
T = TypeVar("T")
PATIENCE_SECONDS, PAUSE_SECONDS = 300, 3
SECONDS_BETWEEN_QUESTIONS = 15
# A cold question should leave some of the 25 s that POST /v1/ask has.
SLOW_SECONDS = 20
# Until the collection shows the document, more tries for an answer would cost more than the answer.
POLICY = {"web_search": False, "max_rewrites": 0}
MORE_MEMORY = "Look at the slowest steps on the dashboard, and give them more `memory`."
FAILED = "failed"
# The reply to a question that is still at work when the gateway's time is over.
ACCEPTED = 202


class Deployment:
    """A deployment: its account, terraform's outputs, its API, and the document by which it is tried.

    As a context manager it removes its document, however the trial ends. `pause` and `clock` are in seconds.
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
        self._endpoint, self._key = endpoint or outputs["endpoint"], key
        self.pause, self.clock = pause, clock
        self.word, self.number = uuid.uuid4().hex[:8], str(uuid.uuid4().int)[:6]
        self.document = f"{account.choices.collections[0]}/selfrag-doctor-{self.word}.md"
        self.uploaded: list[str] = []
        self.is_ready = False

    @property
    def text(self) -> str:
        """Return the document's text, which has a number that no other document has."""
        phrase = f'The pass phrase of the doctor\'s visit {self.word} is "heliotrope {self.number}".'
        return f"# Visit {self.word}\n\n{phrase}\n"

    @property
    def request(self) -> dict[str, object]:
        """Return a question that only this document answers."""
        return {"question": f"What is the pass phrase of the doctor's visit {self.word}?", "policy": POLICY}

    @property
    def has_key(self) -> bool:
        """Return whether the API takes keys, and not signatures."""
        return bool(self._key or self.outputs.get("api_key_command"))

    @cached_property
    def api(self) -> Api:
        """Return the API with the key of the caller, or else the one that the output `api_key_command` fetches."""
        key, command = self._key, self.outputs.get("api_key_command")
        if not key and command:
            reply = self.account.client("apigateway").get_api_key(apiKey=command.split()[-1], includeValue=True)
            key = str(reply["value"])
        return Api(self._endpoint, key, self.account.credentials, self.account.region)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Remove the documents; one that stays has a name that says where it is from."""
        for document in self.uploaded:
            with suppress(BotoCoreError, ClientError):
                self.account.client("s3").delete_object(Bucket=self.outputs["bucket"], Key=document)

    def poll_until(self, look: Callable[[], T | None], pause: float = PAUSE_SECONDS) -> tuple[T | None, float]:
        """Return the first result of `look` that is not None and the elapsed seconds; None on timeout."""
        began = self.clock()
        while (result := look()) is None and self.clock() - began < PATIENCE_SECONDS:
            self.pause(pause)
        return result, self.clock() - began


def upload(deployment: Deployment) -> Iterator[Finding]:
    """Upload the document to an address of the API, as its page would, and wait until it is ready."""
    if deployment.account.choices.knowledge_base is None:
        deployment.is_ready = yield from _ingested(deployment, deployment.document, deployment.text.encode())
    else:
        yield unknown("A knowledge base has its own documents, so none was uploaded.", "Ask a question of yours.")


def scan(deployment: Deployment) -> Iterator[Finding]:
    """Upload a page that is a picture, where pages are recognised: Amazon Textract has to read it, with your key."""
    if deployment.account.choices.text_recognition != "off" and deployment.account.choices.knowledge_base is None:
        picture = files("selfrag_cli.doctor").joinpath("scan.pdf").read_bytes()
        yield from _ingested(deployment, deployment.document.replace(".md", ".pdf"), picture)


def _ingested(deployment: Deployment, document: str, content: bytes) -> Generator[Finding, None, bool]:
    api = deployment.api
    reply = api.post("/v1/documents", {"key": document, "size": len(content)})
    if reply.status_code != 201:
        yield blocks(f"The API gave no address to upload {document}: {reason_of(reply)}", "Look at the logs of `ask`.")
        return False
    deployment.uploaded.append(document)
    sent = api.upload(reply.json()["upload"], content)
    if not sent.is_success:
        yield blocks(f"The bucket refused {document}: status {sent.status_code}.", "Look at the role of `ask`.")
        return False
    if deployment.has_key and sent.headers.get("access-control-allow-origin") not in ("*", api.origin):
        yield look(
            f"A page at {api.origin} cannot send files to the bucket.",
            f'Set `upload_origins = ["{api.origin}"]`.',
        )

    def end() -> dict[str, object] | None:
        body = body_of(api.get(f"/v1/documents/{reply.json()['id']}"))
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
        what = "A scanned page" if document.endswith(".pdf") else "A document"
        yield fine(f"{what} was ready {seconds:.0f} s after its upload.")
        return True
    return False


def health(deployment: Deployment) -> Iterator[Finding]:
    """Ask the address that monitors ask, which no function answers."""
    reply = deployment.api.get("/v1/health")
    if body_of(reply).get("status") == "ok":
        yield fine("GET /v1/health says ok.")
    else:
        yield blocks(
            f"GET /v1/health failed: {reason_of(reply)}", "Compare the API's stage with the plan of infra/api.tf."
        )


class _Execution(BaseModel):
    """The execution of a question."""

    console_url: str | None = None


class _Cost(BaseModel):
    """The part of the usage that says what a question did not have."""

    warnings: list[str] = []


class _Answer(BaseModel):
    """The fields of a response that the doctor reads; their defaults stand for a reply that is no response."""

    answer: str = ""
    execution: _Execution = _Execution()
    usage: _Cost = _Cost()


def question(deployment: Deployment) -> Iterator[Finding]:
    """Ask about the document until it is found, then once with warm functions and once for later."""
    if not deployment.is_ready:
        yield unknown("There is no document to ask about.", "Mend what upload says.")
        return
    reason, cold = "", 0.0

    def answer() -> _Answer | None:
        nonlocal reason, cold
        began = deployment.clock()
        reply = deployment.api.post("/v1/ask", deployment.request)
        cold = cold or deployment.clock() - began
        body, reason = body_of(reply), reason_of(reply)
        answer = _Answer.model_validate(body)
        return answer if deployment.number in answer.answer else None

    response, seconds = deployment.poll_until(answer, SECONDS_BETWEEN_QUESTIONS)
    if response is None:
        yield blocks(
            f"The document was not answered from within {PATIENCE_SECONDS} s; the last reply was {reason}",
            "Look at the execution of the question in the console, and at the key of Claude.",
        )
        return
    says = (
        f"The first question took {cold:.1f} s, and the document was answered from {seconds:.0f} s after it was ready."
    )
    if response.execution.console_url:
        says += f" Its execution: {response.execution.console_url}"
    yield fine(says) if cold < SLOW_SECONDS else look(says, MORE_MEMORY)
    for warning in response.usage.warnings:
        yield look(f"The answer warns: {warning}", "Look at the execution of the question in the console.")
    yield _warm(deployment)
    yield _later(deployment)


def _warm(deployment: Deployment) -> Finding:
    began = deployment.clock()
    reply = deployment.api.post("/v1/ask", deployment.request)
    seconds = deployment.clock() - began
    if reply.status_code == ACCEPTED:
        return look("The same question took longer than POST /v1/ask waits, with warm functions.", MORE_MEMORY)
    if body_of(reply).get("status", FAILED) == FAILED:
        return blocks(
            f"The question failed the second time: {reason_of(reply)}", "Look at its execution in the console."
        )
    return fine(f"The same question took {seconds:.1f} s with warm functions.")


def _later(deployment: Deployment) -> Finding:
    began = deployment.clock()
    started = deployment.api.post("/v1/questions", deployment.request)
    if started.status_code != ACCEPTED:
        return blocks(f"POST /v1/questions started nothing: {reason_of(started)}", "Look at the logs of `ask`.")

    def end() -> dict[str, object] | None:
        body = body_of(deployment.api.get(started.headers["location"]))
        return None if body.get("status", "running") == "running" else body

    response, _ = deployment.poll_until(end)
    seconds = deployment.clock() - began
    if response is None or response["status"] == FAILED:
        return blocks(
            f"A question for later did not end well within {seconds:.0f} s.",
            "Look at the Standard machine's execution.",
        )
    return fine(f"A question for later was answered after {seconds:.1f} s.")


def metrics(deployment: Deployment) -> Iterator[Finding]:
    """Look whether executions of a version count under the machine alone, which six alarms look at."""
    pages = deployment.account.client("cloudwatch").get_paginator("list_metrics")
    counted = [
        {each["Name"]: each["Value"] for each in metric["Dimensions"]}
        for page in pages.paginate(Namespace="AWS/States", MetricName="ExecutionsStarted")
        for metric in page["Metrics"]
    ]
    for machine, arn in deployment.outputs["machine_arns"].items():
        own = unversioned(arn)
        if {"StateMachineArn": own} in counted:
            yield fine(f"Executions of {machine} count under the machine, where the alarms look.")
        elif any(own in name.get("StateMachineArn", "") for name in counted):
            yield blocks(
                f"Executions of {machine} count under its versions alone, so alarms that look at the machine see none.",
                "Report it: the alarms of infra/alarms.tf have to name the version or the alias.",
            )
        else:
            yield unknown(
                f"CloudWatch shows no execution of {machine} yet; new metrics take up to 15 minutes.",
                "Run it again in a quarter of an hour.",
            )
