"""The program of the function `stream`: answers one request after another, part by part.

Lambda starts it by wrapper.sh in the place of its own runtime for Python, which streams no reply. API Gateway reads a
streamed reply as https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html says.
"""

import json
import os
from collections.abc import Iterator
from http.client import HTTPException

from selfrag import bootstrap
from selfrag.api.streaming.listening import Reply, reply_to
from selfrag.bootstrap import api
from selfrag.runtime.clock import Clock
from selfrag.runtime.observability import logger
from selfrag.runtime.runtime_api import RuntimeApi
from selfrag.runtime.settings import CallerSettings, read

CONTENT_TYPE = "application/vnd.awslambda.http-integration-response"
# Ends the status and the headers.
DELIMITER = bytes(8)
# So long before Lambda would end the function, its stream is over.
MARGIN_SECONDS = 5.0


def parts_of(reply: Reply) -> Iterator[bytes]:
    """Yield a reply as API Gateway reads it: the JSON of its status and headers, a delimiter, and its body."""
    yield json.dumps({"statusCode": reply.status, "headers": reply.headers}).encode() + DELIMITER
    for part in reply.body:
        yield part.encode()


def main() -> None:
    """Answer what comes until Lambda ends the process."""
    logger.append_keys(step="stream", question="")
    runtime, clock, origins = RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"]), Clock(), read(CallerSettings).origins
    bootstrap.warm(api.executions, api.bindings)
    while True:
        invocation = runtime.next()
        reply = reply_to(invocation.event, invocation.ends - MARGIN_SECONDS, clock, origins)
        try:
            runtime.stream(invocation, CONTENT_TYPE, parts_of(reply))
        except (OSError, HTTPException) as error:  # its client may be gone
            logger.warning("stream broken off", extra={"error": type(error).__name__})
        logger.info("done", extra={"status": reply.status})


if __name__ == "__main__":
    main()
