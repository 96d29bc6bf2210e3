"""An API of one question, at which the page looks."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import expect
from werkzeug.wrappers import Request, Response

from selfrag.api.page import bundle
from tests.support.loopback import Loopback
from tests.support.page.browsing import Tab

AT_WORK = {"id": "q0", "status": "running", "reflection": None, "path": [], "passages": None}
STEP = {"started": 0.0, "seconds": 1.0, "attempts": 1, "finished": True, "error": ""}


@contextmanager
def replying(response: Mapping[str, Any], view: Mapping[str, Any] | None = None) -> Iterator[str]:
    """Yield the URL of an API with this response of a question, or this view of a question that never ends."""

    def reply(request: Request) -> Response:
        if request.path == "/":
            policy = {"Content-Security-Policy": bundle.policy()}
            return Response(bundle.html(), 200, policy, content_type="text/html")
        return Response(json.dumps(view or response), content_type="application/json")

    with Loopback(reply) as server:
        yield server.url


def opened(tab: Tab, url: str, width: int = 1280) -> None:
    tab.open(f"{url}/#q0", width)
    expect(tab.page.get_by_role("button", name="Useful", exact=True)).to_be_visible()
