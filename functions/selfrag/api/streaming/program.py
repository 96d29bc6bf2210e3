"""The program of the function `stream`: passes requests to `ask` one by one and streams each reply.

Lambda starts it by wrapper.sh instead of its Python runtime, which cannot stream. The format of a streamed reply is
described in https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
"""

import json
import os
from collections.abc import Iterator, Mapping
from functools import partial
from http.client import HTTPException
from typing import Any, cast

from selfrag import bootstrap
from selfrag.api.edge.cors import SECURITY_HEADERS
from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.problems import log_problem, to_reply
from selfrag.api.streaming.relay import StreamReply, relay
from selfrag.bootstrap import api
from selfrag.runtime.clock import Clock
from selfrag.runtime.observability import logger
from selfrag.runtime.runtime_api import RuntimeApi

CONTENT_TYPE = "application/vnd.awslambda.http-integration-response"
# Ends the status and the headers.
DELIMITER = bytes(8)
# A stream ends so long before Lambda would end the function.
MARGIN_SECONDS = 5.0
# Polling interval: no event reports a step's end, and an account may ask Step Functions some 15 times a second.
LOOK_SECONDS = 2.0


def wait(ends: float, clock: Clock, question_id: str) -> bool:
    """Wait for the next look; False if the stream has to be over by then, at `ends` (seconds since the epoch)."""
    if clock.now() + LOOK_SECONDS > ends:
        return False
    clock.sleep(LOOK_SECONDS)
    return True


def ask(event: GatewayEvent) -> Mapping[str, Any]:
    """Return the reply of the function `ask`, or the problem that kept it from one."""
    try:
        reply: Mapping[str, Any] = api.ask_function()(event)
    except Exception as error:
        refused = to_reply(log_problem(error), str(event["requestContext"]["requestId"]), event["path"])
        secured = {name: [value] for name, value in SECURITY_HEADERS.items()}
        return {**refused, "multiValueHeaders": {**refused["multiValueHeaders"], **secured}}
    return reply


def parts_of(reply: StreamReply) -> Iterator[bytes]:
    """Yield a reply as API Gateway reads it: the JSON of its status and headers, a delimiter, and its body."""
    yield json.dumps({"statusCode": reply.status, "multiValueHeaders": reply.headers}).encode() + DELIMITER
    for part in [reply.body] if isinstance(reply.body, str) else reply.body:
        yield part.encode()


def main() -> None:
    """Answer requests until Lambda ends the process."""
    logger.append_keys(step="stream", question="")
    runtime, clock = RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"]), Clock()
    bootstrap.warm(api.ask_function)
    while True:
        invocation = runtime.next()
        until_next = partial(wait, invocation.ends - MARGIN_SECONDS, clock)
        reply = relay(ask, cast(GatewayEvent, invocation.event), until_next)
        try:
            runtime.stream(invocation, CONTENT_TYPE, parts_of(reply))
        except (OSError, HTTPException) as error:  # its client may be gone
            logger.warning("stream broken off", extra={"error": type(error).__name__})
        logger.info("done", extra={"status": reply.status})


if __name__ == "__main__":
    main()
