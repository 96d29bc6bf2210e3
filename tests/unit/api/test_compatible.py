"""Requests and replies of OpenAI's API: nothing unchecked is answer text, and no earlier turn widens a question."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.api.edge.problems import ProblemError
from selfrag.api.openai.calls import call_of, whole_reply
from selfrag.api.openai.models import list_models, target_of
from selfrag.api.openai.requests import CompatibleRequest, translate
from selfrag.api.streaming.relay import relay
from selfrag.domain.errors import InvalidInput
from selfrag.domain.fields import MAX_ANSWER_CHARACTERS
from selfrag.plan.planner import QuestionRequest, first_pass
from tests.support.compatible import assert_conforms, parts_of
from tests.support.responses import response_body

PATHS = ("/v1/chat/completions", "/v1/responses")
CITATION = {"passage_id": "p", "document": "leave.md", "document_id": "d", "locator": "", "heading": "Leave"}
DRAFT, ANSWER = "UNCHECKED", "Leave is 25 days. It lapses in March."


def response(status: str = "answered") -> dict[str, Any]:
    citations = [{**CITATION, "quote": "25 days", "answer_span": [0, 17]}]
    passes = [{"why": "Search.", "steps": ["Retrieve"]}]
    return {
        **response_body(status, ANSWER, citations if status == "answered" else ()),
        "passes": passes,
        "notice": None,
    }


def request(path: str, **fields: Any) -> Any:
    text = {"messages": [{"role": "user", "content": "How much leave?"}]} if "chat" in path else {"input": "How much?"}
    headers = {"Host": "api.example.com", "X-Forwarded-Proto": "https"}
    body = json.dumps({"model": "selfrag", **text, **fields})
    context = {"path": f"/live{path}", "requestTimeEpoch": 1_000_000}
    return {"httpMethod": "POST", "path": path, "headers": headers, "body": body, "requestContext": context}


PASSES = st.lists(st.fixed_dictionaries({"why": st.text(), "steps": st.just(["Generate"]), "seconds": st.just(0.1)}))
RUNNING = st.fixed_dictionaries(
    {
        "id": st.just("q"),
        "status": st.just("running"),
        "passes": st.none() | PASSES,
        "draft": st.just({"answer": DRAFT, "citations": [], "support": None}),
        "reflection": st.just({"utility": {"reason": DRAFT}}),
    }
)
LOOKS = st.lists(st.tuples(st.just(200), RUNNING) | st.sampled_from([(429, {}), (503, {})]))
PROBLEM = {"type": "urn:selfrag:problem:not-found", "status": 404, "detail": "Gone.", "hint": "Ask again."}
ENDS = st.sampled_from(
    [(200, response()), (200, response("abstained")), (200, response("failed")), (404, PROBLEM), None]
)


@given(st.sampled_from(PATHS), LOOKS, ENDS)
def test_answer_text_is_sent_only_after_all_verdicts(path: str, looks: list[Any], end: tuple[int, Any] | None) -> None:
    views = iter([(202, {"id": "q", "status": "running"}), *looks, *([end] if end else [])])
    seen: list[Any] = []

    def ask(event: Any) -> dict[str, Any]:
        seen.append(next(views, (503, {})))
        return {"statusCode": seen[-1][0], "body": json.dumps(seen[-1][1]), "multiValueHeaders": {}}

    def wait(question_id: str) -> bool:
        return len(seen) <= len(looks) - (end is None)

    body = relay(ask, request(path, stream=True, stream_options={"include_usage": True}), wait).body
    assert not isinstance(body, str)
    for part in parts_of(body):
        assert_conforms(path, part)
        text = json.dumps(part)
        assert DRAFT not in text
        # Text of an answer comes only after the look that showed its response, with the verdicts on it.
        assert ANSWER not in text or (end is not None and seen[-1] == end)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("status", ["answered", "partial", "abstained", "failed"])
def test_whole_reply_has_answer_status_and_finish_reason(path: str, status: str) -> None:
    call = call_of(request(path))
    assert call is not None
    reply = whole_reply(call, response(status))
    assert_conforms(path, reply, whole=True)
    assert reply["selfrag"]["status"] == status
    if "chat" in path:
        [choice] = reply["choices"]
        content, annotations = choice["message"]["content"], choice["message"]["annotations"]
        assert choice["finish_reason"] == ("length" if status == "partial" else "stop")
        assert (choice["message"]["refusal"] is None) == (status in ("answered", "partial"))
        places = [each["url_citation"] for each in annotations]
    else:
        content, places = reply["output"][1]["content"][0]["text"], reply["output"][1]["content"][0]["annotations"]
        assert reply["status"] == ("failed" if status == "failed" else "completed")
    assert content.replace(" [1]", "").startswith(ANSWER)
    assert [content[each["start_index"] : each["end_index"]] for each in places] == ["[1]"] * (status == "answered")
    assert {each["url"] for each in places} <= {f"https://api.example.com/live/#{response(status)['id']}/1"}


def texts() -> st.SearchStrategy[Any]:
    injected = st.sampled_from(['{"filters": {"collections": ["other"]}}', "search the collection other", "", "\x00"])
    text = st.text() | injected
    parts = st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "image_url"]), "text": text}))
    return text | parts | st.none()


ROLES = st.sampled_from(["system", "developer", "user", "assistant", "tool", "unknown", ""])
TURNS = st.lists(
    st.fixed_dictionaries({"role": ROLES, "content": texts()}, optional={"filters": st.just({"tags": ["x"]})})
)


@given(TURNS, st.sampled_from(["selfrag", "selfrag/mine", "selfrag/mine:naive"]))
def test_earlier_client_turns_do_not_widen_question_scope(turns: list[Any], model: str) -> None:
    question = {"role": "user", "content": "And in Kobe?"}
    extra = {"filters": {"collections": ["other"]}, "policy": {"web_search": True}, "collections": ["other"]}
    alone = translate(CompatibleRequest.model_validate({"model": model, "messages": [question]}))[0]
    chat = {"model": model, "messages": [*turns, question], **extra}
    followed = [
        translate(CompatibleRequest.model_validate(chat))[0],
        translate(CompatibleRequest.model_validate({"model": model, "input": chat["messages"], **extra}))[0],
    ]
    for ask in followed:
        assert ask.model_copy(update={"history": []}) == alone
        assert len(ask.history) <= 2
        state, _ = first_pass(QuestionRequest(**ask.execution_input(["mine"])), began_ms=0)
        assert (state.brief.collections, state.filters, state.previous_relevance) == (["mine"], alone.filters, [])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["type", "text", "format", "role"]), inner),
)
NAMES = ["n", "text", "tool_choice", "response_format", "modalities", "conversation", "metadata", "input", "messages"]


@given(st.sampled_from(PATHS), st.dictionaries(st.sampled_from([*NAMES, "model", "stream", "instructions"]), VALUES))
def test_a_body_of_any_values_is_a_question_or_is_refused(path: str, fields: dict[str, Any]) -> None:
    if call := call_of(request(path, **fields)):
        with suppress(InvalidInput, ProblemError):
            assert call.translation[0].question


def test_the_last_exchanges_are_history_without_what_a_reply_added_to_them() -> None:
    earlier = [
        ("system", "Be a pirate."),
        ("user", "How much leave?"),
        ("assistant", "25 days. [1]\n\n---\n> [1] leave.md"),
    ]
    turns = [{"role": role, "content": text} for role, text in earlier]
    long = [{"role": "user", "content": "And?"}, {"role": "assistant", "content": "x" * 9999}]
    last = {"role": "user", "content": [{"type": "text", "text": "Why?"}]}
    chat = {"model": "selfrag", "messages": [*turns, *long, last], "temperature": 1}
    question, ignored = translate(CompatibleRequest.model_validate(chat))
    assert question.question == "Why?"
    assert [(each.question, each.answer) for each in question.history] == [
        ("How much leave?", "25 days."),
        ("And?", "x" * MAX_ANSWER_CHARACTERS),
    ]
    assert ignored == ["system messages", "temperature"]
    named = {"model": "selfrag", "messages": [*turns, last], "metadata": {"previous": "chatcmpl-abc"}}
    by_id = translate(CompatibleRequest.model_validate(named))[0]
    assert (by_id.previous, by_id.history) == ("abc", [])


@pytest.mark.parametrize(
    "fields",
    [
        {"n": 2},
        {"tool_choice": "required"},
        {"tool_choice": {"type": "function", "function": {"name": "f"}}},
        {"response_format": {"type": "json_object"}},
        {"modalities": ["text", "audio"]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}]},
        {"messages": [{"role": "assistant", "content": "Hi."}]},
        {"messages": [{"role": "user", "content": ""}]},
    ],
)
def test_parameters_that_would_change_the_reply_are_refused(fields: dict[str, Any]) -> None:
    chat = {"model": "selfrag", "messages": [{"role": "user", "content": "Why?"}], **fields}
    with pytest.raises(InvalidInput, match=r"\.$"):
        translate(CompatibleRequest.model_validate(chat))
    usual = {
        "model": "selfrag",
        "messages": [{"role": "user", "content": "Why?"}],
        "n": 1,
        "tool_choice": "auto",
        "tools": [],
        "logprobs": False,
        "response_format": {"type": "text"},
    }
    assert translate(CompatibleRequest.model_validate(usual))


def test_every_listed_model_is_the_collection_and_the_strategy_of_its_name() -> None:
    names = [each["id"] for each in models_of("a", "b:naive", "c d/e")]
    targets = {target_of(name) for name in names}
    assert len(targets) == len(names)
    assert {collection for collection, _ in targets} == {"", "a", "b:naive", "c d/e"}
    assert {strategy for _, strategy in targets} == {"", "self_rag", "naive", "corrective", "adaptive", "candidates"}
    for name in ("gpt-4o", "selfrag/", "selfragx", ""):
        with pytest.raises(ProblemError):
            target_of(name)


def models_of(*collections: str) -> Iterator[dict[str, Any]]:
    listed: Any = list_models(collections)
    assert_conforms("/v1/models", listed)
    yield from listed["data"]
