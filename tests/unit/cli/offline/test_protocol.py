"""The stand-in speaks the Messages API as the service does, and refuses what the service refuses."""

import http.client
import json
from typing import Any

import anthropic
import pytest

from cli.local.offline.replies import tokens
from tests.support.doubles.stand_in import KEPT_REQUESTS, MessagesServer

CURRENT, OLDER = "claude-sonnet-5-5", "claude-haiku-4-5"
FIELDS = json.dumps({"question": "Hello!", "previous": {}})
DECISION = {"title": "Retrieval", "type": "object", "properties": {"decision": {"type": "string"}}}
FORMAT = {"format": {"type": "json_schema", "schema": DECISION}}
TOOL = {"name": "verdict", "input_schema": DECISION}
RESULT = {"type": "search_result", "source": "a", "title": "b", "content": [{"type": "text", "text": "c"}]}


def body(**changes: Any) -> dict[str, Any]:
    usual = {
        "model": CURRENT,
        "max_tokens": 100,
        "messages": [{"role": "user", "content": FIELDS}],
        "output_config": FORMAT,
    }
    return {name: value for name, value in (usual | changes).items() if value is not None}


def post(server: MessagesServer, content: bytes | dict[str, Any], path: str = "/v1/messages", **headers: str) -> Any:
    """Return the status and JSON body of a raw request."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    sent = content if isinstance(content, bytes) else json.dumps(content).encode()
    connection.request("POST", path, sent, {"x-api-key": "any", **headers})
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def user(*blocks: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": list(blocks)}]


def test_a_reply_has_the_shape_of_the_service_and_the_name_of_the_stand_in(sdk: anthropic.Anthropic) -> None:
    message = sdk.messages.create(**body())
    assert (message.type, message.role, message.stop_reason) == ("message", "assistant", "end_turn")
    assert message.model == "selfrag-offline"
    assert message.id.startswith("msg_")
    assert message.usage.input_tokens > 0
    assert message.usage.output_tokens > 0


def test_a_current_model_thinks_before_its_verdict(sdk: anthropic.Anthropic) -> None:
    first, second = sdk.messages.create(**body()).content
    assert first.type == "thinking"
    assert "not by a language model" in first.thinking
    assert second.type == "text"
    assert json.loads(second.text)["decision"] == "no"


def test_an_older_model_calls_the_tool_that_it_is_forced_to(sdk: anthropic.Anthropic) -> None:
    wanted = body(model=OLDER, output_config=None, tools=[TOOL], tool_choice={"type": "tool", "name": "verdict"})
    message = sdk.messages.create(**wanted)
    assert message.stop_reason == "tool_use"
    (block,) = message.content
    assert block.type == "tool_use"
    assert block.name == "verdict"
    assert block.input["decision"] == "no"


@pytest.mark.parametrize(
    "changes",
    [
        {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "verdict"}},
        {"tools": [TOOL], "tool_choice": {"type": "any"}},
        {"temperature": 0.0},
        {"top_p": 0.5},
        {"top_k": 3},
        {"messages": [{"role": "user", "content": FIELDS}, {"role": "assistant", "content": "{"}]},
        {"thinking": {"type": "disabled"}},
        {"thinking": {"type": "enabled", "budget_tokens": 2000}},
    ],
    ids=str,
)
def test_a_current_model_refuses_what_only_older_ones_took(server: MessagesServer, changes: dict[str, Any]) -> None:
    for model in (CURRENT, "claude-haiku-5-5", "claude-opus-5-5"):
        status, reply = post(server, body(model=model, **changes))
        assert (status, reply["type"], reply["error"]["type"]) == (400, "error", "invalid_request_error")


def test_an_older_model_takes_sampling_parameters(server: MessagesServer) -> None:
    assert post(server, body(model=OLDER, temperature=0.0))[0] == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"max_tokens": None},
        {"max_tokens": 0},
        {"max_tokens": True},
        {"model": None},
        {"messages": []},
        {"messages": None},
        {"messages": [{"role": "system", "content": "x"}]},
        {"messages": user({"type": "text", "text": ""})},
        {"messages": user({"type": "text", "text": " \n"})},
        {"messages": [{"role": "user", "content": ""}]},
        {"messages": user("text")},
        {"messages": user({"type": "image"})},
        {"messages": user(RESULT | {"title": ""}, {"type": "text", "text": FIELDS})},
        {"messages": user(RESULT | {"citations": {"enabled": True}}, {"type": "text", "text": FIELDS})},
        {"system": [{"type": "text", "text": ""}]},
        {"stream": True},
        {"messages": user({"type": "text", "text": "no JSON"})},
        {"messages": user({"type": "text", "text": '{"question": 7}'})},
        {"model": OLDER, "tools": [TOOL], "tool_choice": {"type": "tool", "name": "another"}},
    ],
    ids=str,
)
def test_a_request_that_is_wrong_is_refused_in_the_form_of_the_service(
    server: MessagesServer, changes: dict[str, Any]
) -> None:
    status, reply = post(server, body(**changes))
    assert (status, reply["type"], reply["error"]["type"]) == (400, "error", "invalid_request_error")
    assert reply["error"]["message"]


def test_the_sdk_raises_its_own_error_for_a_refused_request(sdk: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.BadRequestError, match="sampling"):
        sdk.messages.create(**body(), extra_body={"temperature": 0.5})


def test_a_schema_that_no_rule_is_for_is_refused_with_those_that_are_known(server: MessagesServer) -> None:
    schema = {"title": "Mood", "type": "object", "properties": {"mood": {"type": "string"}}}
    status, reply = post(server, body(output_config={"format": {"type": "json_schema", "schema": schema}}))
    assert status == 400
    assert "no rule is known for this schema" in reply["error"]["message"]
    assert "decide_retrieval" in reply["error"]["message"]


@pytest.mark.parametrize("content", [b"{", b"", b"[]", b'"text"', b"\xff\xfe", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(server: MessagesServer, content: bytes) -> None:
    status, reply = post(server, content)
    assert (status, reply["error"]["type"]) == (400, "invalid_request_error")


def test_other_paths_and_methods_are_not_found(server: MessagesServer) -> None:
    assert post(server, body(), path="/v1/complete")[0] == 404
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    connection.request("GET", "/v1/messages")
    assert connection.getresponse().status == 404


def test_a_request_without_a_key_is_not_authenticated(server: MessagesServer) -> None:
    status, reply = post(server, body(), **{"x-api-key": ""})
    assert (status, reply["error"]["type"]) == (401, "authentication_error")


def test_a_query_after_the_path_changes_nothing(server: MessagesServer) -> None:
    assert post(server, body(), path="/v1/messages?beta=true")[0] == 200


def test_the_same_request_gets_the_same_content(sdk: anthropic.Anthropic) -> None:
    first, second = (sdk.messages.create(**body()) for _ in range(2))
    assert first.content == second.content


def test_a_long_marked_prompt_is_read_from_the_cache_the_second_time(sdk: anthropic.Anthropic) -> None:
    rubric = "Judge with care. " * 200
    system = [{"type": "text", "text": rubric, "cache_control": {"type": "ephemeral"}}]
    first, second = (sdk.messages.create(**body(), system=system).usage for _ in range(2))
    assert first.cache_creation_input_tokens == second.cache_read_input_tokens
    assert first.cache_creation_input_tokens >= tokens(rubric)
    assert first.cache_read_input_tokens == second.cache_creation_input_tokens == 0
    assert first.input_tokens == second.input_tokens


@pytest.mark.parametrize("system", ["Judge with care. " * 200, [{"type": "text", "text": "Judge with care. " * 200}]])
def test_a_prompt_that_is_not_marked_is_never_cached(sdk: anthropic.Anthropic, system: Any) -> None:
    for _ in range(2):
        usage = sdk.messages.create(**body(), system=system).usage
        assert (usage.cache_creation_input_tokens, usage.cache_read_input_tokens) == (0, 0)


def test_a_short_prompt_is_never_cached(sdk: anthropic.Anthropic) -> None:
    system = [{"type": "text", "text": "Judge briefly.", "cache_control": {"type": "ephemeral"}}]
    for _ in range(2):
        usage = sdk.messages.create(**body(), system=system).usage
        assert (usage.cache_creation_input_tokens, usage.cache_read_input_tokens) == (0, 0)


@pytest.mark.parametrize(("text", "count"), [("", 0), ("four", 1), ("fifth", 2), ("日本語", 3), ("ééé", 2)])
def test_tokens_are_estimated_by_script(text: str, count: int) -> None:
    assert tokens(text) == count


def test_the_last_requests_are_kept_for_whoever_wants_to_see_them() -> None:
    with MessagesServer() as server:
        for number in range(KEPT_REQUESTS + 5):
            post(server, body(max_tokens=number + 1))
        assert len(server.requests) == KEPT_REQUESTS
        assert server.requests[-1]["max_tokens"] == KEPT_REQUESTS + 5


def test_nothing_is_printed_whatever_is_asked(server: MessagesServer, capfd: pytest.CaptureFixture[str]) -> None:
    post(server, b"{")
    post(server, body(), path="/")
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    connection.putrequest("POST", "/v1/messages")
    connection.putheader("content-length", "100")
    connection.endheaders()
    connection.close()
    post(server, body())
    assert capfd.readouterr() == ("", "")


def test_the_port_is_free_after_the_block() -> None:
    with MessagesServer() as server:
        pass
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    with pytest.raises(ConnectionRefusedError):
        connection.request("POST", "/v1/messages")
