"""The server of the Model Context Protocol: tools, and passages as resources."""

import re
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from selfrag.agents.arguments import read_arguments
from selfrag.agents.services import AgentCaller, AgentService
from selfrag.agents.tools import TOOLS, AgentTool
from selfrag.api.edge.problems import log_problem
from selfrag.domain.errors import InvalidInput, Misconfigured, SelfragError, Unreadable
from selfrag.domain.validation import explain
from selfrag.text.json_text import dump_json

PASSAGE_URI = "selfrag://documents/{document_id}/passages/{passage_id}"
_PASSAGE = re.compile(r"selfrag://documents/([0-9a-f]{32})/passages/([0-9A-Za-z_-]{1,64})")
_INSTRUCTIONS = (
    "Answers from the user's documents, each claim checked. Ask with `ask`; read more of a source at its resource link."
)


def agent_server(service: AgentService, version: str) -> Server[Any]:
    """Return the server of a service's tools; errors become a sentence in the result."""
    schemas = {name: tool.arguments.model_json_schema() for name, tool in TOOLS.items()}

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(name, tool) for name, tool in TOOLS.items()])

    async def list_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(name="passage", uri_template=PASSAGE_URI, mime_type="text/plain")
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])

    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no such tool; the tools are {', '.join(TOOLS)}.")
        try:
            try:
                arguments = tool.arguments.model_validate(read_arguments(params.arguments or {}, schemas[params.name]))
            except ValidationError as error:
                raise InvalidInput(explain(error, tool.arguments)) from None
            fields = await tool.call(service, arguments, _caller(context))
            result = tool.result.model_validate(fields, extra="ignore").model_dump(mode="json")
        except Exception as error:
            return types.CallToolResult(content=[types.TextContent(text=_sentence(error, context))], is_error=True)
        # Clients that do not read structured content have the same as text.
        text = types.TextContent(text=dump_json(result))
        return types.CallToolResult(content=[text, *_links(result)], structured_content=result)

    async def read(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        match = _PASSAGE.fullmatch(str(params.uri))
        try:
            if not match:
                raise InvalidInput("There is no such resource; the resource links of results lead to passages.")
            reply = await service.get(f"/v1/documents/{match[1]}/text", {"around": match[2]}, _caller(context))
            texts = [passage["text"] for passage in reply["passages"] if passage["passage_id"] == match[2]]
            if not texts:
                raise InvalidInput("There is no such passage: its document has changed, so ask or search again.")
        except Exception as error:
            raise MCPError(types.INVALID_PARAMS, _sentence(error, context), {"uri": str(params.uri)}) from None
        content = types.TextResourceContents(uri=params.uri, mime_type="text/plain", text=texts[0])
        return types.ReadResourceResult(contents=[content])

    return Server(
        "selfrag",
        version=version,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
    )


def _described(name: str, tool: AgentTool) -> types.Tool:
    return types.Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        output_schema=tool.result.model_json_schema(mode="serialization"),
        annotations=types.ToolAnnotations(
            read_only_hint=True, idempotent_hint=tool.free, open_world_hint=not tool.free
        ),
    )


def _caller(context: Any) -> AgentCaller:
    """Return the caller of a request, whose key comes over HTTP alone."""
    states = 0

    async def on_state(name: str) -> None:
        nonlocal states
        states += 1
        await context.session.report_progress(states, message=name)

    return AgentCaller(str(context.request.headers.get("x-api-key", "")) if context.request else "", on_state)


def _links(result: Mapping[str, Any]) -> list[types.ResourceLink]:
    """Return a link to each passage of a result, once; a page of the web is its own address."""
    names: dict[str, str] = {}
    for passage in result.get("citations", result.get("passages", [])):
        uri = PASSAGE_URI.format(**passage) if passage["document_id"] else passage["document"]
        names[uri] = ", ".join(filter(None, (passage["document"], passage["locator"])))
    return [types.ResourceLink(uri=uri, name=name) for uri, name in names.items()]


def _sentence(error: Exception, context: Any) -> str:
    """Return an error's message for a client: over HTTP without settings or unexpected errors."""
    if isinstance(error, SelfragError) and not (context.request and isinstance(error, Misconfigured | Unreadable)):
        return " ".join(str(error).split())
    return log_problem(error).detail
