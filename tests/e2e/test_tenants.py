"""A key bound to one collection never exposes another one, neither in replies nor in the model's input.

Everything is real but the services: the API, the workflow, the steps, the index's adapter, and the ingestion.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import boto3
import httpx2
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from selfrag_cli.local.serving.gateway import serving
from selfrag_cli.local.serving.invocation import threaded_handler
from selfrag_cli.local.stack import QUESTION
from tests.support.aws.resources import TABLES, bind
from tests.support.aws.stack import MACHINE_ARN, deployed_handlers
from tests.support.doubles.model_server import ModelServer
from tests.support.grids import some_of
from tests.support.ingesting import Ingestion, ingestion
from tests.support.roles.recorded import as_caller
from tests.support.serving import eventually, problem

BOUND = {"key-a": ["a"], "key-b": ["b"], "key-both": ["a", "b"]}
# A word that is in each of a collection's documents, in its keys and in its tenant's own question, and nowhere else.
WORDS = {"a": "aardvark", "b": "badger"}
DOCUMENTS = {
    f"{name}/{word}-{kind}.md": f"---\ntags: [{kind}]\ndate: 2026-01-{len(kind):02}\n---\n"
    f"# {kind.title()} of the {word}\n\n{text.format(word)}\n"
    for name, word in WORDS.items()
    for kind, text in {
        "leave": "Everyone at the {} has 25 days of leave a year.",
        "office": "The office of the {} opens at nine in the morning.",
        "travel": "Travel for the {} is by train. Leave the office in time.",
    }.items()
}
SAME = "# Notice\n\nThe office is closed in August, and leave is taken then.\n"


@dataclass
class Service:
    """The API with two tenants and a caller with access to both; `answers` are all answers with their collections."""

    api: httpx2.Client
    model: ModelServer
    documents: Ingestion
    answers: list[tuple[str, set[str]]] = field(default_factory=list)

    def send(self, key: str, method: str, path: str, **content: Any) -> httpx2.Response:
        return self.api.request(method, path, headers={"x-api-key": key, **content.pop("headers", {})}, **content)

    def ask(self, key: str, body: Any, path: str = "/v1/ask") -> httpx2.Response:
        """Return the response to a question, whichever endpoint takes it on."""
        reply = self.send(key, "POST", path, json=body)
        if reply.status_code != 202:
            return reply

        def look() -> httpx2.Response | None:
            seen = self.send(key, "GET", reply.headers["location"])
            return None if seen.json()["status"] == "running" else seen

        shown: httpx2.Response = eventually(look)
        return shown

    def passage_ids(self, collection: str) -> set[str]:
        found = [d.source for index in self.documents.collection.indices.values() for d in index.documents]
        return {source["passage_id"] for source in found if source["collection"] == collection}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with ModelServer() as model:
        environment = {
            "SELFRAG_WEB_SEARCH": "false",
            "SELFRAG_MODEL_BASE_URL": model.url,
            "SELFRAG_MODEL_SECRET": "model-key",
        }
        with (
            ingestion(deployed_handlers(QUESTION), **environment) as documents,
            serving(0, documents.stack.watch, handler=as_caller("ask", threaded_handler())) as url,
            httpx2.Client(base_url=url, timeout=40) as api,
        ):
            boto3.client("secretsmanager").create_secret(Name="model-key", SecretString="test")
            for key, collections in BOUND.items():
                bind(f"key#{key}", *collections)
            for key, text in {**DOCUMENTS, "a/notice.md": SAME, "b/notice.md": SAME}.items():
                documents.put(key, text.encode())
                assert documents.done(key)["status"] == "ready"
            yield Service(api, model, documents)


@pytest.fixture(autouse=True)
def plain_model(service: Service) -> None:
    service.model.answers.clear()
    service.model.requests.clear()


def executions() -> int:
    return len(boto3.client("stepfunctions").list_executions(stateMachineArn=MACHINE_ARN)["executions"])


def sees_nothing_of(service: Service, collection: str, text: str) -> None:
    assert WORDS[collection] not in text.lower()
    assert f'"{collection}/' not in text
    assert not [i for i in service.passage_ids(collection) if i in text]


tenants = st.sampled_from(["key-a", "key-b", "key-both"])
subsets = st.lists(st.sampled_from(["a", "b"]), min_size=1, unique=True)
filters = st.fixed_dictionaries(
    {},
    optional={
        "collections": subsets,
        "documents": st.lists(st.sampled_from(sorted(DOCUMENTS)), min_size=1),
        "tags": st.lists(st.sampled_from(["leave", "office", "travel"]), min_size=1),
        "since": st.sampled_from(["2026-01-01", "2026-01-06"]),
        "until": st.sampled_from(["2026-01-06", "2027-01-01"]),
    },
)
policies = st.fixed_dictionaries(
    {},
    optional={
        "strategy": st.sampled_from(["self_rag", "self_rag", "adaptive", "corrective", "naive"]),
        "top_k": st.integers(1, 10),
        "relevance_threshold": st.sampled_from([0.0, 0.5, 1.0]),
        "min_utility": st.integers(1, 5),
        "max_rewrites": st.integers(0, 2),
        "max_regenerations": st.integers(0, 1),
        "web_search": st.booleans(),
    },
)
# The model's replies; cached verdicts are not requested again.
moods = st.fixed_dictionaries(
    {
        "decision": st.sampled_from(["yes", "continue", "continue", "no"]),
        "complexity": st.sampled_from(["simple", "complex"]),
        "relevance": st.sampled_from([0.9, 0.9, 0.1]),
        "support": st.sampled_from(["full", "full", "none"]),
        "utility": st.sampled_from([5, 5, 2]),
    }
)
steps = st.fixed_dictionaries(
    {
        "key": tenants,
        # No other test asks these: the random verdicts on them stay in the cache.
        "question": st.sampled_from(["How long is the leave?", "When is the office open?", ""]),
        "filters": filters,
        "policy": policies,
        "mood": moods,
        "previous": st.none() | st.integers(0, 3),
        "path": st.sampled_from(["/v1/ask", "/v1/ask", "/v1/questions"]),
    }
)


def take_on(model: ModelServer, mood: dict[str, Any]) -> None:
    strips = [{"strip": number, "score": mood["relevance"]} for number in range(1, 4)]
    decided = {"reason": "r", "decision": mood["decision"], "complexity": mood["complexity"], "query": "days in May"}
    model.answers["decide_retrieval"] = lambda body: decided
    model.answers["grade_relevance"] = lambda body: {"reason": "r", "score": mood["relevance"], "strips": strips}
    claim = {"claim": "a claim", "support": mood["support"], "passages": [1]}
    model.answers["grade_support"] = lambda body: {"claims": [claim]}
    model.answers["grade_utility"] = lambda body: {"reason": "r", "score": mood["utility"]}
    model.answers["rewrite_question"] = lambda body: {"reason": "r", "query": "office leave travel notice"}


@pytest.mark.long
def test_key_never_sees_unbound_collection(service: Service, record_property: Callable[[str, str], None]) -> None:
    seen: Counter[str] = Counter()

    def one_step(step: dict[str, Any]) -> None:
        key, mine = step["key"], BOUND[step["key"]]
        wanted = step["filters"].get("collections", mine)
        body = {
            # The tenant's own question has a word that the other must not meet in an earlier turn either.
            "question": step["question"] or f"What does the {WORDS[wanted[-1]]} say of leave?",
            "filters": step["filters"],
            "policy": step["policy"],
        }
        # One of the last four answers, of any caller.
        earlier = service.answers[-4:][step["previous"] :][:1] if step["previous"] is not None else []
        if earlier:
            body["previous"] = earlier[0][0]
        take_on(service.model, step["mood"])
        started, asked = executions(), len(service.model.requests)
        reply = service.ask(key, body, step["path"])
        prompts = service.model.requests[asked:]
        for other in set(WORDS) - set(mine):
            sees_nothing_of(service, other, reply.text)
            sees_nothing_of(service, other, json.dumps(prompts))
        if not set(wanted) <= set(mine):
            problem(reply, 403)
        elif earlier and not earlier[0][1] <= set(mine):
            problem(reply, 404)
        else:
            answered(reply.json(), step, wanted, earlier[0][1] if earlier else set())
            return
        seen[f"refused with {reply.status_code}"] += 1
        assert (executions(), prompts) == (started, [])

    def answered(response: dict[str, Any], step: dict[str, Any], wanted: list[str], before: set[str]) -> None:
        assert response["status"] in ("answered", "partial", "abstained"), response
        asked_under = {*wanted, *before}
        service.answers.append((response["id"], asked_under))
        within = set().union(*(service.passage_ids(name) for name in wanted))
        # The verdicts of an earlier answer that come along are of passages that the filters let through.
        assert {verdict["passage_id"] for verdict in response["reflection"]["relevance"]} <= within
        cited = {citation["document"] for citation in response["citations"]}
        assert cited <= set(step["filters"].get("documents", cited))
        kinds = {document.removesuffix(".md").partition("-")[2] for document in cited}
        assert kinds <= set(step["filters"].get("tags", kinds))
        days = {f"2026-01-{len(kind):02}" if kind else "" for kind in kinds}
        first, last = step["filters"].get("since", ""), step["filters"].get("until", "9")
        assert all(first <= day <= last for day in days)
        assert "" not in days or not step["filters"].keys() & {"since", "until"}
        seen["answered"] += 1
        seen["from earlier evidence"] += bool(before) and not response["queries"] and bool(cited)
        seen["cached verdicts"] += response["usage"]["cached_verdicts"]
        for other, collections in BOUND.items():
            shown = service.send(other, "GET", f"/v1/questions/{response['id']}").status_code
            assert shown == (200 if asked_under <= set(collections) else 404)

    # Answers and verdicts add up over the examples, so that a shorter one would not show the same.
    @settings(max_examples=30, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.lists(steps, min_size=1, max_size=4))
    def tenants_stay_apart(several: list[dict[str, Any]]) -> None:
        for step in several:
            one_step(step)

    tenants_stay_apart()
    assert min(seen[kind] for kind in ("answered", "refused with 403", "cached verdicts")) > 0
    counted = ", ".join(f"{kind}: {count}" for kind, count in sorted(seen.items()))
    record_property("figures", f"two tenants and one of both: {counted}; nothing of the other was seen")


def test_the_search_itself_would_find_the_other_tenants_passages(service: Service) -> None:
    """Without the binding there would be something to see, so that the property above says something."""
    reply = service.ask("key-both", {"question": "How many days of leave?", "policy": {"top_k": 10}})
    cited = {citation["document"][0] for citation in reply.json()["citations"]}
    assert cited == {"a", "b"}


def test_a_key_that_is_not_bound_opens_nothing(service: Service) -> None:
    started = executions()
    for key in ("key-new", ""):
        refused = [
            service.ask(key, {"question": "How many days of leave?"}),
            service.ask(key, {"question": "How many days of leave?"}, "/v1/questions"),
            service.send(key, "GET", "/v1/questions/some-id"),
            service.send(key, "GET", "/v1/documents"),
            service.send(key, "POST", "/v1/documents", json={"key": "a/new.md", "size": 1}),
        ]
        assert {problem(reply, 403)["hint"] for reply in refused} == {
            "Have the operator bind your key to a collection (the output bind_command)."
        }
    assert executions() == started


def test_cached_verdicts_are_reused_without_leaking_between_tenants(service: Service) -> None:
    question = {"question": "Is the office closed in August?", "policy": {"top_k": 10}}
    for key in ("key-a", "key-b", "key-a"):
        service.model.requests.clear()
        response = service.ask(key, question).json()
        other = {"key-a": "b", "key-b": "a"}[key]
        sees_nothing_of(service, other, json.dumps([response, service.model.requests]))
    assert response["usage"]["cached_verdicts"] > 0
    assert service.model.asked("grade_relevance") == []


@pytest.mark.parametrize(
    "strategy", some_of(("self_rag", "adaptive", "candidates", "segments"), "self_rag", "candidates")
)
def test_usage_hides_same_question_of_another_tenant(service: Service, strategy: str) -> None:
    def usage(key: str, company: str) -> dict[str, Any]:
        question = f"Will the board approve the takeover of {company} on 3 March?"
        body = {"question": question, "policy": {"strategy": strategy}}
        usage: dict[str, Any] = service.ask(key, body, "/v1/questions").json()["usage"]
        untimed = {
            step: {name: value for name, value in took.items() if name not in ("started", "seconds")}
            for step, took in usage["by_step"].items()
        }
        return {**usage, "by_step": untimed}

    asked_by_nobody = usage("key-b", f"{strategy} Bar")
    usage("key-a", f"{strategy} Foo")
    usage("key-both", f"{strategy} Foo")
    assert usage("key-b", f"{strategy} Foo") == asked_by_nobody
    assert usage("key-b", f"{strategy} Foo")["cached_verdicts"] > asked_by_nobody["cached_verdicts"]


def test_earlier_evidence_is_limited_to_caller_collections_and_filters(service: Service) -> None:
    question = {"question": "How many days of leave?", "policy": {"top_k": 10}}
    first = service.ask("key-both", question).json()
    mood = {"decision": "continue", "complexity": "complex", "relevance": 0.9, "support": "full", "utility": 5}
    take_on(service.model, mood)
    follow_up = {"question": "And in May?", "previous": first["id"]}

    def evidence(key: str, **changes: Any) -> set[str]:
        service.model.requests.clear()
        response = service.ask(key, {**follow_up, **changes}).json()
        # The search that was begun before the decision was known has no part in the answer.
        assert response["queries"] == []
        assert response["path"][-4:] == ["Retrieve", "Generate", "GradeSupport", "GradeUtility"]
        return {citation["document"] for citation in response["citations"]}

    assert {document[0] for document in evidence("key-both")} == {"a", "b"}
    assert {document[0] for document in evidence("key-both", filters={"collections": ["b"]})} == {"b"}
    only = "a/aardvark-leave.md"
    assert evidence("key-both", filters={"documents": [only]}) == {only}

    # Even an answer that says it is of one collection, and names passages of the other, brings none of them.
    client, table = boto3.client("dynamodb"), TABLES["answers_table"][0]
    item = client.get_item(TableName=table, Key={"id": {"S": first["id"]}})["Item"]
    forged = {"id": {"S": "forged"}, "answer": {"S": "25 days."}, "collections": {"L": [{"S": "a"}]}}
    client.put_item(TableName=table, Item={**item, **forged})
    assert {document[0] for document in evidence("key-a", previous="forged")} == {"a"}
    sees_nothing_of(service, "b", json.dumps(service.model.requests))


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/questions"])
def test_tenant_cannot_follow_up_on_foreign_answer(service: Service, path: str) -> None:
    theirs = service.ask("key-b", {"question": "How much leave has the badger?"}).json()
    service.model.requests.clear()
    started = executions()
    follow_up = {"question": "And how much of it in May?", "previous": theirs["id"]}
    refused = problem(service.send("key-a", "POST", path, json=follow_up), 404)
    unknown = problem(service.send("key-a", "POST", path, json={**follow_up, "previous": "never-was"}), 404)
    assert {**refused, "request_id": ""} == {**unknown, "request_id": ""}
    assert (executions(), service.model.requests) == (started, [])
    assert service.ask("key-b", follow_up, path).json()["status"] == "answered"


def test_a_question_at_work_is_shown_to_its_own_tenant_only(service: Service) -> None:
    held = threading.Event()
    service.model.answers["grade_utility"] = lambda body: (held.wait(20), {"reason": "r", "score": 5})[1]
    body = {"question": "When does the office of the badger open?"}
    location = service.send("key-b", "POST", "/v1/questions", json=body).headers["location"]
    assert service.send("key-b", "GET", location).json()["status"] == "running"
    problem(service.send("key-a", "GET", location), 404)
    problem(service.send("key-a", "GET", f"{location}?trace=true"), 404)
    held.set()
    eventually(lambda: True if service.send("key-b", "GET", location).json()["status"] != "running" else None)
    problem(service.send("key-a", "GET", location), 404)


def test_one_idempotency_key_of_two_tenants_is_two_questions(service: Service) -> None:
    body, headers = {"question": "How many days of leave?"}, {"Idempotency-Key": "mine"}
    replies = {key: service.send(key, "POST", "/v1/ask", json=body, headers=headers).json() for key in BOUND}
    assert len({reply["id"] for reply in replies.values()}) == len(BOUND)
    sees_nothing_of(service, "b", json.dumps(replies["key-a"]))


def test_a_filter_narrows_to_collections_documents_tags_and_a_time(service: Service) -> None:
    question = {"question": "How many days of leave?", "policy": {"top_k": 10}}

    def cited(**wanted: Any) -> set[str]:
        response = service.ask("key-both", {**question, "filters": wanted}).json()
        return {citation["document"] for citation in response["citations"]}

    assert {document[0] for document in cited(collections=["a"])} == {"a"}
    only = "b/badger-leave.md"
    assert cited(documents=[only]) == {only}
    assert cited(collections=["a"], documents=[only]) == set()
    assert cited(tags=["Leave"]) == {"a/aardvark-leave.md", only}
    assert cited(tags=["leave"], collections=["b"]) == {only}
    assert cited(since="2026-01-06", tags=["leave"]) == set()
    assert cited(until="2026-01-05", collections=["b"]) == {only}
