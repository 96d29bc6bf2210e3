"""The stand-in speaks the Messages API as the service does, and its double refuses what the service refuses."""

import http.client
import json
from typing import Any

import anthropic
import pytest

from tests.support.doubles.stand_in import MessagesServer

CURRENT, OLDER = "claude-sonnet-5-5", "claude-haiku-4-5"
FIELDS = json.dumps({"question": "Hello!", "previous": {}})
DECISION = {"title": "Retrieval", "type": "object", "properties": {"decision": {"type": "string"}}}
FORMAT = {"format": {"type": "json_schema", "schema": DECISION}}
TOOL = {"name": "verdict", "input_schema": DECISION}


def body(**changes: Any) -> dict[str, Any]:
    usual = {
        "model": CURRENT,
        "max_tokens": 100,
        "messages": [{"role": "user", "content": FIELDS}],
        "output_config": FORMAT,
    }
    return {name: value for name, value in (usual | changes).items() if value is not None}


def refused(server: MessagesServer, content: dict[str, Any] | bytes) -> bool:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    sent = content if isinstance(content, bytes) else json.dumps(content).encode()
    connection.request("POST", "/v1/messages", sent, {"x-api-key": "any"})
    reply = connection.getresponse()
    return (reply.status, json.loads(reply.read()).get("type")) == (400, "error")


def test_a_reply_has_the_shape_of_the_service(sdk: anthropic.Anthropic) -> None:
    message = sdk.messages.create(**body())
    assert (message.type, message.role, message.stop_reason) == ("message", "assistant", "end_turn")
    assert message.model == body()["model"]
    assert [block.type for block in message.content] == ["thinking", "text"]
    assert json.loads(message.content[-1].text) == {"decision": "no"}
    assert message.usage.input_tokens > 0
    assert message.usage.output_tokens > 0


def test_an_older_model_calls_the_tool_that_it_is_forced_to(sdk: anthropic.Anthropic) -> None:
    wanted = body(model=OLDER, output_config=None, tools=[TOOL], tool_choice={"type": "tool", "name": "verdict"})
    message = sdk.messages.create(**wanted)
    assert message.stop_reason == "tool_use"
    assert [(block.name, block.input["decision"]) for block in message.content] == [("verdict", "no")]


@pytest.mark.parametrize(
    "changes",
    [
        {"tools": [TOOL], "tool_choice": {"type": "any"}},
        {"temperature": 0.0},
        {"thinking": {"type": "disabled"}},
        {"messages": [{"role": "user", "content": FIELDS}, {"role": "assistant", "content": "{"}]},
        {"max_tokens": None},
        {"model": None},
        {"messages": []},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]},
        {"messages": [{"role": "user", "content": "no JSON"}]},
        {"output_config": {"format": {"type": "json_schema", "schema": {"title": "Weather"}}}},
    ],
    ids=str,
)
def test_what_the_service_refuses_or_no_rule_is_for_is_refused(server: MessagesServer, changes: dict[str, Any]) -> None:
    assert refused(server, body(**changes))


def test_a_body_that_is_no_json_object_is_refused(server: MessagesServer) -> None:
    assert refused(server, b"[")
    assert refused(server, b"[]")
