"""Agents at a deployment's `/mcp`: the official client over HTTP, through API Gateway, with an operator's keys."""

import time
from typing import Any

import anyio
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tests.support.infra.asking import AsyncRetryingTransport, api_key
from tests.support.infra.emulator import Stack
from tests.support.infra.tenants import new_key


def agents_are_answered(stack: Stack, question: str) -> tuple[dict[str, Any], str]:
    """Return the answer to a question, and the reply to a key without a collection.

    The client lists the tools, searches, and makes an invalid call, in both protocol versions.
    """
    for mode in ("legacy", "2026-07-28"):
        key = api_key(stack)
        assert anyio.run(_tools, stack, key, mode) == ["ask", "search", "documents", "trace"]
        hits = _called(stack, key, mode, "search", query=question).structured_content
        assert hits["passages"], mode
        wrong = _called(stack, key, mode, "ask", question=" ")
        assert (wrong.is_error, wrong.content[0].text[:30]) == (True, "The question was not accepted:")  # type: ignore[union-attr]
    answer: dict[str, Any] = _called(stack, key, mode, "ask", question=question).structured_content
    # A busy machine starts the functions slower than API Gateway waits.
    while answer["status"] == "running":
        time.sleep(1)
        answer = _called(stack, key, mode, "trace", id=answer["id"]).structured_content
    [refused] = _called(stack, new_key(stack), mode, "search", query=question).content
    return answer, str(refused.text)  # type: ignore[union-attr]


async def _tools(stack: Stack, key: str, mode: str) -> list[str]:
    async with _client(stack, key, mode) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


def _called(stack: Stack, key: str, mode: str, tool: str, **arguments: Any) -> CallToolResult:
    async def call() -> CallToolResult:
        async with _client(stack, key, mode) as client:
            return await client.call_tool(tool, arguments)

    return anyio.run(call)


def _client(stack: Stack, key: str, mode: str) -> Client:
    http = httpx2.AsyncClient(headers={"x-api-key": key}, timeout=60, transport=AsyncRetryingTransport())
    return Client(streamable_http_client(stack.url("/mcp"), http_client=http), mode=mode)
