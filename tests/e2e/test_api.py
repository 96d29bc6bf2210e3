"""The HTTP API as its users see it, over the local stack."""

import http.client
import json
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import httpx2
import pytest

from selfrag import bootstrap
from selfrag.api.edge.body import MAX_BODY_BYTES
from selfrag_cli.local.serving.gateway import serving
from tests.support.aws.resources import TABLES
from tests.support.aws.stack import MACHINE_ARN
from tests.support.doubles.model_server import ModelServer
from tests.support.serving import ASK, eventually, executions, finished, problem


def test_a_question_is_answered_in_the_response_and_can_be_read_again(api: httpx2.Client) -> None:
    reply = api.post("/v1/ask", json=ASK)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    response = reply.json()
    assert (response["status"], response["question"]) == ("answered", ASK["question"])
    assert "Fact number 0 is 0 days." in response["answer"]
    assert reply.headers["x-request-id"]
    assert api.get(f"/v1/questions/{response['id']}").json() == response


@pytest.mark.parametrize(
    ("path", "takes"),
    [
        ("/v1/documents?colection=notes", "it takes collection, limit, cursor"),
        ("/v1/questions/abc?Trace=true", "it takes trace"),
        ("/v1/health?verbose=1", "it takes none"),
    ],
)
def test_a_query_parameter_that_a_path_does_not_have_is_refused(api: httpx2.Client, path: str, takes: str) -> None:
    name = path.partition("?")[2].partition("=")[0]
    assert problem(api.get(path), 400)["detail"] == f"{name} is no query parameter of this path: {takes}."


def test_a_question_that_was_started_is_answered_at_its_location(api: httpx2.Client) -> None:
    reply = api.post("/v1/questions", json=ASK)
    assert reply.status_code == 202
    started = reply.json()
    assert reply.headers["location"] == f"/v1/questions/{started['id']}"
    response = finished(api, reply.headers["location"])
    assert (response["id"], response["status"]) == (started["id"], "answered")
    assert response["reflection"]["support"]["level"] == "fully_supported"


def test_running_question_shows_its_trace_and_verdicts_so_far(api: httpx2.Client, model: ModelServer) -> None:
    held = threading.Event()
    answer = model.answers.get("grade_utility")
    model.answers["grade_utility"] = lambda body: (
        held.wait(20),
        answer(body) if answer else {"reason": "r", "score": 5},
    )[1]
    location = api.post("/v1/questions", json=ASK).headers["location"]

    def graded() -> dict[str, Any] | None:
        reply = api.get(location, params={"trace": True}).json()
        return reply if "GradeUtility" in reply["path"] and reply["reflection"]["support"] else None

    view = eventually(graded)
    held.set()
    assert (view["status"], view["question"]) == ("running", ASK["question"])
    assert view["reflection"]["retrieve"]["decision"] == "yes"
    assert [verdict["relevant"] for verdict in view["reflection"]["relevance"]] == [True] * 4
    assert view["reflection"]["utility"] is None
    assert "Fact number 0 is 0 days." in view["draft"]["answer"]
    assert view["draft"]["support"] == view["reflection"]["support"]
    steps = {step["state"]: step["finished"] for step in view["trace"]}
    assert (steps["Generate"], steps["GradeUtility"]) == (True, False)
    assert finished(api, location)["status"] == "answered"


def test_sixteen_requests_at_once_with_one_key_are_one_execution(
    api: httpx2.Client, record_property: Callable[[str, str], None]
) -> None:
    def send(path: str) -> httpx2.Response:
        return api.post(path, json=ASK, headers={"Idempotency-Key": f"one{path}"})

    for path, status in (("/v1/questions", 202), ("/v1/ask", 200)):
        before = len(executions())
        with ThreadPoolExecutor(16) as pool:
            replies = list(pool.map(send, [path] * 16))
        assert Counter(reply.status_code for reply in replies) == {status: 16}
        assert len({reply.json()["id"] for reply in replies}) == 1
        assert len(executions()) - before == 1
        record_property("figures", f"16 requests at once with one Idempotency-Key to {path}: 1 execution")


def test_the_same_key_with_another_request_is_a_conflict(api: httpx2.Client) -> None:
    headers = {"Idempotency-Key": "k"}
    assert api.post("/v1/questions", json=ASK, headers=headers).status_code == 202
    problem(api.post("/v1/questions", json={"question": "Another one?"}, headers=headers), 409)
    problem(api.post("/v1/ask", json=ASK, headers=headers), 409)


def test_a_request_whose_start_failed_may_be_repeated_with_its_key(
    api: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = {"Idempotency-Key": "k"}
    monkeypatch.setenv("SELFRAG_STANDARD_MACHINE_ARN", MACHINE_ARN + "-gone")
    bootstrap.forget()
    assert "gone" not in json.dumps(problem(api.post("/v1/questions", json=ASK, headers=headers), 500))
    monkeypatch.setenv("SELFRAG_STANDARD_MACHINE_ARN", MACHINE_ARN)
    bootstrap.forget()
    assert api.post("/v1/questions", json=ASK, headers=headers).status_code == 202


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        (b"", 400, "not valid JSON"),
        (b"{", 400, "not valid JSON"),
        (b"\xff\xfe", 400, "UTF-8"),
        (b"[" * 20_000, 400, "not valid JSON"),
        (b"[]", 400, "JSON object"),
        (b"null", 400, ""),
        (b"{}", 400, "question is missing"),
        (b'{"question": "\\ud800?"}', 400, "surrogate"),
        (b'{"question": "a?", "polcy": {}}', 400, "polcy does not exist; the fields are question, policy, previous"),
        (b'{"question": "a?", "policy": {"deadline_seconds": 60}}', 400, "POST /v1/questions gives more time"),
        (b'{"question": "a?", "policy": {"deadline_seconds": NaN}}', 400, "deadline_seconds"),
        (b'{"question": "' + b"a" * MAX_BODY_BYTES + b'"}', 413, "limit"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_problem_that_says_what_is_wrong(
    api: httpx2.Client, body: bytes, status: int, word: str
) -> None:
    assert word in problem(api.post("/v1/ask", content=body), status)["detail"]
    assert executions() == []


def test_a_slash_at_the_end_of_a_path_changes_nothing(api: httpx2.Client) -> None:
    problem(api.post("/v1/questions/", content=b"\x80"), 400)
    assert "key is missing" in problem(api.post("/v1/documents/", json={}), 400)["detail"]
    assert api.put("/v1/documents/").headers["allow"] == "GET, POST, HEAD, OPTIONS"


def test_other_content_types_than_json_are_refused(api: httpx2.Client) -> None:
    problem(api.post("/v1/ask", data={"question": "How many days?"}), 415)


@pytest.mark.parametrize("key", ["with a blank", "x" * 201, "\u00e9"])
def test_a_key_that_is_no_key_is_refused(api: httpx2.Client, key: str) -> None:
    reply = api.post("/v1/ask", json=ASK, headers={b"Idempotency-Key": key.encode()})
    assert "idempotency-key" in problem(reply, 400)["detail"]


@pytest.mark.parametrize("path", ["/v1", "/v2/ask", "/v1/questions/a/b", "/v1/questions/%1f", "/v1/questions/%C2%84"])
def test_unknown_path_returns_problem(api: httpx2.Client, path: str) -> None:
    problem(api.get(path), 404)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/ask", "POST, OPTIONS"),
        ("PUT", "/v1/documents", "GET, POST, HEAD, OPTIONS"),
        ("PATCH", f"/v1/documents/{'0' * 32}", "GET, DELETE, HEAD, OPTIONS"),
        ("TRACE", "/v1/health", "GET, HEAD, OPTIONS"),
        ("HEAD", "/v1/ask", "POST, OPTIONS"),
        ("POST", "/v1/health", "GET, HEAD, OPTIONS"),
        ("POST", "/", "GET, HEAD, OPTIONS"),
        ("POST", "/v1/questions/abc", "GET, DELETE, HEAD, OPTIONS"),
    ],
)
def test_unsupported_method_is_refused_with_the_allowed_ones(
    api: httpx2.Client, method: str, path: str, allowed: str
) -> None:
    reply = api.request(method, path)
    assert (reply.status_code, reply.headers["allow"]) == (405, allowed)
    if method != "HEAD":
        problem(reply, 405)


def test_form_sent_to_a_wrong_path_gets_an_error_about_the_path(api: httpx2.Client) -> None:
    problem(api.post("/v1/health", data={"a": "b"}), 405)
    problem(api.post("/nowhere", data={"a": "b"}), 404)


def test_options_lists_methods_of_a_path_and_rejects_unknown_paths(api: httpx2.Client) -> None:
    for path, allowed in (("/v1/questions/abc", "GET, DELETE, HEAD, OPTIONS"), ("/v1/ask", "POST, OPTIONS")):
        reply = api.options(path)
        assert (reply.status_code, reply.headers["allow"], reply.content) == (204, allowed, b"")
    problem(api.options("/v1/nowhere"), 404)


@pytest.mark.parametrize("path", ["/", "/v1/health", "/v1/openapi.json", "/v1/documents", "/v1/questions/{id}"])
def test_head_works_for_all_get_paths(api: httpx2.Client, path: str) -> None:
    where = path.format(id=api.post("/v1/ask", json=ASK).json()["id"]) if "{id}" in path else path
    got, looked = api.get(where), api.head(where)
    assert (looked.status_code, looked.content) == (200, b"")
    for name in ("content-length", "content-type"):
        assert looked.headers[name] == got.headers[name]


def test_server_error_returns_problem_without_its_details() -> None:
    def broken(event: dict[str, Any], context: Any) -> dict[str, Any]:
        raise RuntimeError("SECRET")

    with (
        serving(0, lambda name, seen, seconds: None, handler=broken) as url,
        httpx2.Client(base_url=url, timeout=10) as client,
    ):
        for _ in range(2):
            assert "SECRET" not in json.dumps(problem(client.get("/v1/health"), 500))


def test_overlong_path_returns_problem(api: httpx2.Client) -> None:
    connection = http.client.HTTPConnection(api.base_url.host, api.base_url.port)
    connection.request("GET", "/v1/" + "x" * 70_000)
    reply = connection.getresponse()
    problem(httpx2.Response(reply.status, headers=dict(reply.headers), content=reply.read()), 414)


def test_an_unknown_question_is_not_found(api: httpx2.Client) -> None:
    problem(api.get("/v1/questions/unknown"), 404)
    problem(api.get("/v1/questions/" + "x" * 81), 400)


def test_answer_from_forbidden_collections_is_not_found(api: httpx2.Client) -> None:
    response = api.post("/v1/ask", json=ASK).json()
    client, table = boto3.client("dynamodb"), TABLES["answers_table"][0]
    item = client.get_item(TableName=table, Key={"id": {"S": response["id"]}})["Item"]
    client.put_item(TableName=table, Item={**item, "id": {"S": "others"}, "collections": {"L": [{"S": "others"}]}})
    client.put_item(TableName=table, Item={**item, "id": {"S": "expired"}, "expires_at": {"N": "1"}})
    problem(api.get("/v1/questions/others"), 404)
    problem(api.get("/v1/questions/expired"), 404)


def test_the_api_says_that_it_is_well_and_describes_itself(api: httpx2.Client) -> None:
    assert api.get("/v1/health").json() == {"status": "ok"}
    described = api.get("/v1/openapi.json").json()
    assert set(described["paths"]) == {
        "/v1/ask", "/v1/questions", "/v1/questions/{question_id}", "/v1/questions/{question_id}/feedback",
        "/v1/documents", "/v1/documents/{document_id}", "/v1/documents/{document_id}/original",
        "/v1/documents/{document_id}/text", "/v1/health", "/v1/ready", "/v1/openapi.json",
        "/v1/models", "/v1/chat/completions", "/v1/responses",
    }  # fmt: skip
    # This server asks for no key.
    assert (described["security"], described["components"]["securitySchemes"]) == ([], {})
