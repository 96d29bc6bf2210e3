"""The page of an API, looked at as a browser meets it: without a key, and by its policy."""

import base64
import hashlib
import re

import httpx2

from selfrag.adapters.outbound import http_client_for, unreachable
from selfrag_cli.remote import TIMEOUT_SECONDS

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
