"""OpenAI's API over real HTTP: by its own SDK, and what its clients get where a question is refused or fails."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import openai
import pytest

from selfrag import bootstrap
from tests.e2e.test_events import asked_anew
from tests.support.aws.resources import bind
from tests.support.compatible import assert_conforms, parts_of
from tests.support.doubles.model_server import ModelServer
from tests.support.serving import ASK, ServedStack, gateway_event
from tests.workflow.test_guardrail import Words

CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"


@pytest.fixture
def client(served_stack: ServedStack, model: ModelServer) -> Iterator[openai.OpenAI]:
    url = f"{served_stack.client.base_url}".rstrip("/")
    with openai.OpenAI(base_url=f"{url}/v1", api_key="ours", max_retries=0) as client:
        yield client


def asking(path: str, question: str = ASK["question"], **fields: Any) -> dict[str, Any]:  # type: ignore[assignment]
    text = {"messages": [{"role": "user", "content": question}]} if path == CHAT else {"input": question}
    return {"model": "selfrag", **text, **fields}


def send(api: httpx2.Client, path: str, **fields: Any) -> tuple[int, Any]:
    """Return the status and the body of a reply, which is as the published description says."""
    headers = fields.pop("headers", {})
    reply = api.post(path, json=asking(path, **fields), headers=headers)
    body = reply.json()
    assert_conforms(path, body, whole=reply.is_success)
    assert reply.headers["content-type"] == "application/json"
    return reply.status_code, body


def text_of(path: str, body: Any) -> str:
    return str(body["choices"][0]["message"]["content"] if path == CHAT else body["output"][1]["content"][0]["text"])


def test_openai_sdk_reads_same_answer_by_both_interfaces_whole_and_streamed(
    client: openai.OpenAI, api: httpx2.Client
) -> None:
    answer = api.post("/v1/ask", json=ASK).json()
    assert [model.id for model in client.models.list()][:2] == ["selfrag", "selfrag/c"]
    chat: Any = client.chat.completions.create(**asking(CHAT))
    assert chat.selfrag["answer"] == answer["answer"]
    assert chat.selfrag["reflection"]["support"]["claims"] == answer["reflection"]["support"]["claims"]
    assert chat.usage.cost_usd is not None
    content, annotations = chat.choices[0].message.content, chat.choices[0].message.annotations
    places = [(each.url_citation.start_index, each.url_citation.end_index) for each in annotations]
    assert content[slice(*places[0])] == "[1]"
    response: Any = client.responses.create(**asking(RESPONSES))
    assert (response.output_text, response.status) == (content, "completed")
    with client.responses.stream(**asking(RESPONSES)) as events:
        assert events.get_final_response().output_text == content
    chunks = list(client.chat.completions.create(**asking(CHAT, stream=True, stream_options={"include_usage": True})))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == content
    assert chunks[-1].usage.total_tokens == chat.usage.total_tokens
    followed: Any = client.responses.create(**asking(RESPONSES, "And then?", previous_response_id=response.id))
    assert followed.previous_response_id == response.id


@pytest.mark.parametrize("path", [CHAT, RESPONSES])
def test_passes_stream_as_they_end_and_unchecked_text_is_withheld(
    path: str, api: httpx2.Client, held: threading.Event
) -> None:
    body = asking(path, asked_anew()["question"], stream=True)
    with api.stream("POST", path, json=body) as reply:
        assert reply.headers["content-type"] == "text/event-stream"
        parts, seen = parts_of(reply.iter_lines()), []
        for part in parts:
            seen.append(part)
            if "draft" in json.dumps(part):
                break
        question_id = (seen[0]["id"] if path == CHAT else seen[0]["response"]["id"]).partition("_")[2]
        question_id = question_id or seen[0]["id"].removeprefix("chatcmpl-")
        draft = api.get(f"/v1/questions/{question_id}", params={"trace": True}).json()["draft"]["answer"]
        assert draft not in json.dumps(seen)
        held.set()
        rest = list(parts)
    assert draft[:10] in json.dumps(rest)
    for part in (*seen, *rest):
        assert_conforms(path, part)


def test_a_server_without_a_stream_sends_the_same_events_as_a_whole(served_stack: ServedStack) -> None:
    from selfrag_cli.local.serving.invocation import LocalContext, threaded_handler

    for path in (CHAT, RESPONSES):
        body = json.dumps(asking(path, stream=True)).encode()
        reply = threaded_handler()(gateway_event("POST", path, body, host="h"), LocalContext())
        assert (reply["statusCode"], reply["multiValueHeaders"]["Content-Type"]) == (200, ["text/event-stream"])
        *parts, last = parts_of([reply["body"]])
        assert len(parts) > 3
        for part in (*parts, last):
            assert_conforms(path, part)


@pytest.mark.parametrize("path", [CHAT, RESPONSES])
def test_a_refused_request_is_an_error_that_the_sdk_reads(path: str, api: httpx2.Client, client: openai.OpenAI) -> None:
    bind("key#uploader", "c", actions=["upload"])
    for status, kind, fields in (
        (403, "permission_error", {"headers": {"x-api-key": "nobody"}}),
        (403, "permission_error", {"headers": {"x-api-key": "uploader"}}),
        (403, "permission_error", {"model": "selfrag/foreign"}),
        (404, "invalid_request_error", {"model": "gpt-4o"}),
        (400, "invalid_request_error", {"n": 2} if path == CHAT else {"conversation": "c"}),
        (400, "invalid_request_error", {"question": ""}),
        (400, "invalid_request_error", {"question": "?" * 2001, "stream": True}),
        (413, "invalid_request_error", {"question": "?" * 1_100_000}),
        (404, "invalid_request_error", {"metadata": {"previous": "chatcmpl-unknown"}}),
    ):
        found, body = send(api, path, **fields)
        assert (found, body["error"]["type"]) == (status, kind), body
        assert body["error"]["message"].count(".") >= 2, "what happened, and what to do"
    create: Callable[..., Any] = client.chat.completions.create if path == CHAT else client.responses.create
    with pytest.raises(openai.NotFoundError, match="GET /v1/models lists yours"):
        create(**asking(path, model="gpt-4o"))
    assert api.get(path).json()["error"]["code"] == "method-not-allowed"


@pytest.mark.parametrize("path", [CHAT, RESPONSES])
def test_reply_reports_guardrail_failed_step_and_missing_verdict(
    path: str, api: httpx2.Client, model: ModelServer
) -> None:
    guardrail: Any = Words("days?")
    with bootstrap.using(guardrail=guardrail):
        status, guarded = send(api, path, question="How many days? (guarded)")
    assert (status, guarded["selfrag"]["status"]) == (200, "abstained")
    assert "guardrail" in text_of(path, guarded)
    model.begin_anew(lambda step, n: "refusal" if step == "generate" else None)
    status, failed = send(api, path, question=asked_anew()["question"])
    assert (status, failed["selfrag"]["status"]) == (200, "failed")
    assert "step failed" in text_of(path, failed)
    model.begin_anew(lambda step, n: "refusal" if step == "grade_support" else None)
    status, partial = send(api, path, question=asked_anew()["question"])
    assert (status, partial["selfrag"]["status"]) == (200, "partial")
    assert "Not checked: whether the passages support the answer." in text_of(path, partial)
    if path == CHAT:
        reasons = [body["choices"][0]["finish_reason"] for body in (guarded, failed, partial)]
        assert reasons == ["content_filter", "stop", "length"]
        assert guarded["choices"][0]["message"]["refusal"]
    else:
        assert [body["status"] for body in (guarded, failed, partial)] == ["completed", "failed", "completed"]
        assert guarded["output"][1]["content"][1]["type"] == "refusal"
