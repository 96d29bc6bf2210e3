"""The tools for agents over stdio, and over HTTP: one route without sessions, whose requests the server has checked."""

from importlib.metadata import version

from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from selfrag.agents.server import agent_server
from selfrag.agents.services import AgentService
from selfrag.api.edge.body import MAX_BODY_BYTES

_VERSION = version("selfrag")


async def serve_stdio(service: AgentService) -> None:
    """Answer one client over stdin and stdout until it closes them."""
    server = agent_server(service, _VERSION)
    async with stdio_server() as (requests, replies):
        await server.run(requests, replies, server.create_initialization_options())


class AgentResponse(Response):
    """The response to one message of an agent, with the headers that the server adds; its end ends the call."""

    def __init__(self, service: AgentService, body: bytes) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._service, self._message = service, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the message, and stop its question if the client disconnects."""
        unread: list[Message] = [{"type": "http.request", "body": self._message, "more_body": False}]

        async def receive_read() -> Message:
            return unread.pop() if unread else await receive()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.raw_headers]
            await send(message)

        manager = StreamableHTTPSessionManager(
            agent_server(self._service, _VERSION), stateless=True, max_request_body_size=MAX_BODY_BYTES
        )
        async with manager.run():
            await manager.handle_request(scope, receive_read, send_with_headers)
