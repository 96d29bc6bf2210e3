"""What a server of many threads needs that a Lambda, which has one request at a time, does not."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from aws_lambda_powertools.event_handler.api_gateway import Route

from selfrag_cli.local.serving.gateway import threaded_handler
from selfrag_cli.local.serving.invocation import ProxyRequest, invoke


def test_the_first_requests_of_a_path_may_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    handler, build = threaded_handler(), Route._build_middleware_stack

    def status() -> int:
        return invoke(handler, ProxyRequest("GET", "/v1/health", {}, {})).status_code

    def interrupted(route: Route, *given: Any, **named: Any) -> None:
        """What comes before all requests, as it is when another one comes in the middle of it."""
        monkeypatch.setattr(Route, "_build_middleware_stack", build)
        with ThreadPoolExecutor(1) as other:
            other.submit(status).result()
        build(route, *given, **named)

    monkeypatch.setattr(Route, "_build_middleware_stack", interrupted)
    assert [status(), status()] == [200, 200]
