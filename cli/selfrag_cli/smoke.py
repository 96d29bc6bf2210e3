"""The page of a deployment, and three questions: without a search, for the documents, for what they lack."""

import base64
import hashlib
import re
import time

import httpx2
from pydantic import BaseModel
from rich.console import Console
from rich.markup import escape

from selfrag.adapters.outbound import http_client_for, unreachable
from selfrag.domain.answers import ExecutionLink
from selfrag.domain.questions import AskRequest
from selfrag_cli.deployment.remote import TIMEOUT_SECONDS, ask_remote

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
    """Look at the page, ask the three questions and show how each ended; return whether all of it went well."""
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
    return well
