"""The events of a question at a deployment, heard as a client of such streams hears them."""

from urllib.parse import urljoin

import httpx2

from selfrag.adapters.outbound import http_client_for, unreachable
from selfrag.domain.errors import SelfragError
from selfrag_cli.remote import TIMEOUT_SECONDS

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
