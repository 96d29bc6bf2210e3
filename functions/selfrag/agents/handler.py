"""The Lambda of POST /mcp: one message of the Model Context Protocol, without sessions, streams or cancellation."""

import asyncio
from http import HTTPStatus
from typing import Any

import httpx2
from aws_lambda_powertools.event_handler import Request, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from selfrag import bootstrap
from selfrag.agents.deployed import DeployedService
from selfrag.agents.server import agent_server
from selfrag.api.app import make_app, make_handler
from selfrag.api.edge.cors import may_ask
from selfrag.api.edge.exchange import JSON, event_of
from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.problems import ProblemError
from selfrag.api.openapi import VERSION
from selfrag.bootstrap import api
from selfrag.runtime.settings import CallerSettings, read

router = Router()  # type: ignore[no-untyped-call]


@router.post("/mcp")
def answer_message(request: Request) -> Response[Any]:
    """Answer a message."""
    event = event_of(request)
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    # API Gateway itself refuses every `Host` that is not the API's, so that no other name leads a page here.
    origin, own = headers.get("origin", ""), f"https://{headers.get('host', '')}"
    if origin and origin != own and not may_ask(origin, read(CallerSettings).origins):
        hint = "Have the operator name the origin in cors_origins."
        raise ProblemError(HTTPStatus.FORBIDDEN, "Pages of another origin may not send messages here.", hint)
    sent = {name: value for name, value in headers.items() if name == "accept" or name.startswith("mcp-")}
    reply = asyncio.run(_replied(event, {**sent, "content-type": JSON}))
    return Response(reply.status_code, reply.headers.get("content-type"), reply.text)


async def _replied(event: GatewayEvent, headers: dict[str, str]) -> httpx2.Response:
    server = agent_server(DeployedService(event), VERSION)
    manager = StreamableHTTPSessionManager(server, stateless=True, json_response=True)
    transport = httpx2.ASGITransport(manager.handle_request)
    async with manager.run(), httpx2.AsyncClient(transport=transport, trust_env=False, timeout=None) as client:
        return await client.post("http://agents/mcp", content=event.get("body") or "", headers=headers)


bootstrap.warm(api.functions, api.bindings)
handler = make_handler(make_app(routers=[router]), read(CallerSettings).origins, "agents")
