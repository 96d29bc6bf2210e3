"""The page of a deployment, three questions (without a search, for the documents, for what they lack), and events."""

import base64
import hashlib
import re
import time
from urllib.parse import urljoin

import httpx2
from pydantic import BaseModel
from rich.console import Console
from rich.markup import escape

from selfrag.adapters.outbound import http_client_for, unreachable
from selfrag.domain.answers import ExecutionLink
from selfrag.domain.errors import SelfragError
from selfrag.domain.questions import AskRequest
from selfrag_cli.remote import TIMEOUT_SECONDS, ask_remote

# Without `stream_events` there is no such path; an emulator of AWS has it, and streams nothing.
_NOTHING_STREAMS = {httpx2.codes.NOT_FOUND, httpx2.codes.NOT_IMPLEMENTED}


def started(endpoint: str, api_key: str, question: str) -> str:
    """Return the URL of a question that is started and not waited for; raises selfrag's typed errors."""
    url = f"{endpoint.rstrip('/')}/v1/questions"
    with http_client_for(endpoint) as client:
        try:
            reply = client.post(url, json={"question": question}, headers=_key(api_key), timeout=TIMEOUT_SECONDS)
        except httpx2.HTTPError as error:
            raise unreachable(error, url) from error
    if reply.status_code != httpx2.codes.ACCEPTED:
        raise SelfragError(f"{url} started no question: its status is {reply.status_code}.")
    return urljoin(url, reply.headers["location"])


def heard(url: str, api_key: str) -> list[str]:
    """Return the names of the events of a question, by its URL, to the end of their stream; none where none stream."""
    with http_client_for(url) as client:
        try:
            with client.stream("GET", f"{url}/events", headers=_key(api_key), timeout=TIMEOUT_SECONDS) as reply:
                if reply.status_code in _NOTHING_STREAMS:
                    return []
                if not reply.headers.get("content-type", "").startswith("text/event-stream"):
                    raise SelfragError(f"{url}/events streams no events: its status is {reply.status_code}.")
                return [line.removeprefix("event: ") for line in reply.iter_lines() if line.startswith("event: ")]
        except httpx2.HTTPError as error:
            raise unreachable(error, url) from error


def _key(api_key: str) -> dict[str, str]:
    return {"x-api-key": api_key} if api_key else {}


_END = re.compile(r"\s*</body>\s*</html>\s*")


def fault_of_page(endpoint: str) -> str:
    """Return what keeps the page at an endpoint from working, as a clause; "" if nothing does.

    Raises TemporarilyUnavailable for an endpoint that nothing answers at.
    """
    with http_client_for(endpoint) as client:
        try:
            reply = client.get(endpoint.rstrip("/") + "/", timeout=TIMEOUT_SECONDS)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise unreachable(error, endpoint) from error
    kind, policy = (reply.headers.get(name, "") for name in ("content-type", "content-security-policy"))
    if reply.status_code != httpx2.codes.OK:
        return f"its status is {reply.status_code}"
    if not kind.startswith("text/html"):
        return f"it comes as {kind or 'nothing'}, not as text/html"
    # What was changed or cut on its way has another hash than its policy names, and no browser would run it.
    script, _, rest = reply.text.partition("<script>")[2].rpartition("</script>")
    if not _END.fullmatch(rest) or f"'sha256-{_sha256(script)}'" not in policy:
        return "its policy does not let its script run"
    return ""


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class _Response(BaseModel):
    """The fields of a response that are printed."""

    id: str
    status: str
    answer: str
    path: list[str]
    execution: ExecutionLink


QUESTIONS = (
    "What is 17 * 23?",
    "What do these documents say about leave?",
    "What is the home telephone number of the tallest customer?",
)


def smoke(console: Console, endpoint: str, api_key: str) -> bool:
    """Look at the page, ask the three questions and show how each ended; return whether all of it went well.

    Where the deployment streams events, the first question is asked once more and listened to.
    """
    fault = fault_of_page(endpoint)
    console.print(f"[bold]{escape(endpoint.rstrip('/'))}/[/]", soft_wrap=True)
    console.print(f"  The page {f'does not work: {fault}.' if fault else 'works.'}", soft_wrap=True)
    well = not fault
    for question in QUESTIONS:
        begun = time.monotonic()
        response = _Response.model_validate(ask_remote(AskRequest(question=question), endpoint, api_key))
        seconds = time.monotonic() - begun
        well &= response.status != "failed"
        console.print(f"[bold]{escape(question)}[/]")
        console.print(f"  {response.status} in {seconds:.1f} s: {escape(response.answer)}")
        console.print(f"  {' → '.join(response.path)}")
        console.print(f"  {response.execution.console_url or response.execution.arn}", soft_wrap=True)
    # The answer that is there already tells whether the deployment streams, and costs nothing.
    if heard(f"{endpoint.rstrip('/')}/v1/questions/{response.id}", api_key):
        begun = time.monotonic()
        events = heard(started(endpoint, api_key, QUESTIONS[0]), api_key)
        ended = events[-1:] == ["response"]
        well &= ended
        ending = "to their end" if ended else "but their end did not come"
        console.print("[bold]The events of a question[/]")
        console.print(f"  {len(events)} came in {time.monotonic() - begun:.1f} s, {ending}.", soft_wrap=True)
    return well
