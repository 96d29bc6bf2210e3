"""The Lambda of the HTTP API: the steps that every request goes through."""

import time
from collections.abc import Collection
from typing import Any, cast

from aws_lambda_powertools.event_handler import APIGatewayRestResolver

from selfrag import bootstrap
from selfrag.api.app import make_app, request_id
from selfrag.api.edge.body import checked
from selfrag.api.edge.cors import SECURITY_HEADERS, shown_in_reply
from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.problems import ProblemError, respond
from selfrag.bootstrap import api, ingestion
from selfrag.runtime.metrics import count_step
from selfrag.runtime.observability import KEEP_WARM, Handler, logger
from selfrag.runtime.settings import CallerSettings, read


def make_handler(app: APIGatewayRestResolver, origins: Collection[str] = ()) -> Handler:
    """Return a handler of API Gateway's requests (REST, Lambda proxy); pages of these `origins` may send some."""

    def handle(lambda_event: dict[str, Any], context: Any) -> dict[str, Any]:
        if lambda_event.keys() == KEEP_WARM:
            return {}
        event = cast(GatewayEvent, lambda_event)
        logger.append_keys(step="ask", question="")
        started = time.monotonic()
        replied = _answer(app, event, context)
        replied["multiValueHeaders"]["X-Request-Id"] = [request_id(event, context)]
        allow = "".join(replied["multiValueHeaders"].get("Allow", []))
        shown = SECURITY_HEADERS | shown_in_reply(event, allow, origins)
        replied["multiValueHeaders"] |= {name: [value] for name, value in shown.items()}
        logger.info("done", extra={"status": replied["statusCode"]})
        count_step("ask", 1000 * (time.monotonic() - started), failed=replied["statusCode"] >= 500)
        return replied

    return handle


def _answer(app: APIGatewayRestResolver, event: GatewayEvent, context: Any) -> dict[str, Any]:
    try:
        # HEAD is GET: API Gateway, or the local server, leaves out the body.
        method = "GET" if event["httpMethod"] == "HEAD" else event["httpMethod"]
        return app.resolve(dict(checked({**event, "httpMethod": method})), context)
    except ProblemError as problem:  # Powertools validates a body before any middleware
        refused = respond(problem, request_id(event, context))
        headers = {"Content-Type": [refused.content_type]}
        return {"statusCode": refused.status_code, "body": refused.body, "multiValueHeaders": headers}


bootstrap.warm(api.executions, api.bindings, ingestion.manifest, api.uploads, bootstrap.spending)
handler = make_handler(make_app(), read(CallerSettings).origins)
