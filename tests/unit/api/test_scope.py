"""The collections of a question: those that it names or its key means, and who may read what became of it."""

import json
import time
from collections.abc import Collection
from typing import Any

import boto3
import pytest
from moto import mock_aws

from selfrag import bootstrap
from selfrag.adapters.executions import StatesExecutions
from selfrag.api.handler import handler
from selfrag.api.lifecycle import NAMES_BYTES
from selfrag.ports.bindings import Action, Binding
from tests.support.aws.resources import TABLES, make
from tests.unit.api.test_ask import CONTEXT, EXPRESS, STANDARD, FakeStates, event, machines_of

TENANTS = tuple(f"tenant-{number}" for number in range(10_000))
ACTIONS: frozenset[Action] = frozenset({"ask", "upload"})


class Tenants:
    """The bindings of some callers in a deployment of many collections."""

    def __init__(self, **bound: Binding) -> None:
        self.bound = bound

    def get(self, caller: str) -> Binding | None:
        return self.bound.get(caller.removeprefix("key#"))

    def has_collections(self, collections: Collection[str]) -> bool:
        return set(collections) <= set(TENANTS)


CALLERS = Tenants(
    every=Binding(("tenant-0", "tenant-1"), ACTIONS, all_collections=True),
    unnamed=Binding((), ACTIONS, all_collections=True),
    many=Binding(TENANTS, ACTIONS),
    single=Binding(("tenant-7",), ACTIONS),
    pair=Binding(("tenant-7", "tenant-8"), ACTIONS),
)


class Service:
    """The API over tables of moto, with machines that only record their inputs."""

    def __init__(self) -> None:
        self.states = FakeStates(start_execution={})
        machines = machines_of(answers=TABLES["answers_table"][0])
        self.parts = {
            "executions": StatesExecutions(self.states, boto3.client("dynamodb"), machines),
            "bindings": CALLERS,
        }

    def send(self, key: str, method: str, place: str, body: Any = None) -> tuple[int, Any]:
        with bootstrap.using(**self.parts):
            reply = handler(event(method, place, body, identity={"apiKeyId": key}), CONTEXT)
        return reply["statusCode"], json.loads(reply["body"])

    def ask(self, key: str, **request: Any) -> tuple[int, Any]:
        self.states.asked.clear()
        return self.send(key, "POST", "/v1/questions", {"question": "How many days?", **request})

    def payload(self) -> dict[str, Any]:
        return dict(json.loads(self.states.asked["start_execution"]["input"]))

    def asked_under(self) -> list[str]:
        names: list[str] = self.payload()["collections"]
        return names

    def answer(self, question_id: str, *collections: str) -> None:
        """Store an answer, as the workflow does."""
        item = {
            "id": {"S": question_id},
            "collections": {"L": [{"S": name} for name in collections]},
            "expires_at": {"N": str(int(time.time()) + 999)},
            "response": {"S": json.dumps({"id": question_id, "status": "answered"})},
        }
        boto3.client("dynamodb").put_item(TableName=TABLES["answers_table"][0], Item=item)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SELFRAG_EXPRESS_MACHINE_ARN", EXPRESS)
    monkeypatch.setenv("SELFRAG_STANDARD_MACHINE_ARN", STANDARD)
    with mock_aws():
        make()
        yield Service()


@pytest.mark.parametrize(
    ("key", "named", "asked_under"),
    [
        ("every", None, ["tenant-0", "tenant-1"]),
        ("every", ["tenant-9999"], ["tenant-9999"]),
        ("every", ["tenant-5", "tenant-0"], ["tenant-0", "tenant-5"]),
        ("unnamed", ["tenant-3"], ["tenant-3"]),
        ("many", ["tenant-3"], ["tenant-3"]),
        ("pair", None, ["tenant-7", "tenant-8"]),
        ("pair", ["tenant-8"], ["tenant-8"]),
    ],
)
def test_question_runs_under_named_or_bound_collections(
    service: Service, key: str, named: list[str] | None, asked_under: list[str]
) -> None:
    status, body = service.ask(key, filters={"collections": named})
    assert (status, service.asked_under()) == (202, asked_under)
    # Ten thousand collections make neither the input nor the stored question larger.
    assert len(service.states.asked["start_execution"]["input"]) < 1000
    assert service.send("single", "GET", f"/v1/questions/{body['id']}")[0] == 404
    assert service.send(key, "GET", f"/v1/questions/{body['id']}")[0] == 200


@pytest.mark.parametrize("named", [["tenant-10000"], ["tenant-0", "other"], ["*"]])
def test_a_collection_that_the_deployment_does_not_list_is_refused(service: Service, named: list[str]) -> None:
    assert service.ask("every", filters={"collections": named})[0] == 403
    assert service.send("every", "GET", f"/v1/documents?collection={named[-1]}")[0] == 403
    upload = {"key": f"{named[-1]}/leave.md", "size": 10}
    assert service.send("every", "POST", "/v1/documents", upload)[0] == 403
    assert not service.states.asked


@pytest.mark.parametrize(
    ("key", "filters"),
    [("many", {}), ("unnamed", {}), ("long", {"collections": [f"{number:03}" + "a" * 200 for number in range(100)]})],
)
def test_a_question_of_too_many_collections_is_told_to_name_fewer(
    service: Service, key: str, filters: dict[str, Any]
) -> None:
    service.parts["bindings"] = Tenants(**CALLERS.bound, long=Binding(tuple(filters.get("collections", ())), ACTIONS))
    status, problem = service.ask(key, filters=filters)
    assert (status, problem["hint"]) == (400, "Name them in filters.collections.")
    assert not service.states.asked


def test_three_hundred_collections_can_be_searched_at_once(service: Service) -> None:
    names = tuple(sorted(f"department-{number:03}-of-the-organisation" for number in range(300)))
    assert len(json.dumps(names)) < NAMES_BYTES
    service.parts["bindings"] = Tenants(some=Binding(names, ACTIONS))
    assert (service.ask("some")[0], service.asked_under()) == (202, list(names))


def test_key_of_all_collections_must_name_one_to_list_documents(service: Service) -> None:
    status, problem = service.send("unnamed", "GET", "/v1/documents")
    assert (status, "name one of yours" in problem["detail"]) == (400, True)


def test_follow_up_keeps_collections_of_previous_question(service: Service) -> None:
    service.answer("before", "tenant-8")
    status, body = service.ask("pair", previous="before", filters={"collections": ["tenant-7"]})
    assert (status, service.asked_under()) == (202, ["tenant-7", "tenant-8"])
    assert service.send("single", "GET", f"/v1/questions/{body['id']}")[0] == 404
    # Without a name it may search where the question before it did.
    assert (service.ask("unnamed", previous="before")[0], service.asked_under()) == (202, ["tenant-8"])
    assert service.ask("single", previous="before")[0] == 404


def test_answer_needs_access_to_all_its_collections(service: Service) -> None:
    service.answer("a", "tenant-7", "tenant-8")
    service.answer("of-no-list", "tenant-7", "secret")
    service.answer("of-nobody")
    readers = {
        question: {key for key in CALLERS.bound if service.send(key, "GET", f"/v1/questions/{question}")[0] == 200}
        for question in ("a", "of-no-list", "of-nobody")
    }
    assert readers == {"a": {"every", "unnamed", "many", "pair"}, "of-no-list": set(), "of-nobody": set()}


@pytest.mark.parametrize(
    ("default", "policy", "limit"),
    [
        ("0.05", {}, 0.05),
        ("0.05", {"max_cost_usd": None}, 0.05),
        ("0.05", {"max_cost_usd": 0.2}, 0.2),
        ("0.05", {"max_cost_usd": 0.01}, 0.01),
        ("0.05", {"strategy": "candidates"}, 0.05),
        ("0.5", {"strategy": "candidates"}, 0.1),
        ("", {}, None),
    ],
)
def test_a_question_that_names_no_limit_of_dollars_gets_the_operators(
    service: Service, monkeypatch: pytest.MonkeyPatch, default: str, policy: dict[str, Any], limit: float | None
) -> None:
    if default:
        monkeypatch.setenv("SELFRAG_MAX_COST_USD", default)
    assert service.ask("single", policy=policy)[0] == 202
    assert service.payload()["policy"].get("max_cost_usd") == limit


@pytest.mark.parametrize(
    ("default", "policy", "seconds"), [("180", {}, 180), ("180", {"deadline_seconds": 9}, 9), ("", {}, 25)]
)
def test_a_question_that_names_no_deadline_gets_the_operators(
    service: Service, monkeypatch: pytest.MonkeyPatch, default: str, policy: dict[str, Any], seconds: float
) -> None:
    if default:
        monkeypatch.setenv("SELFRAG_DEADLINE_SECONDS", default)
    assert service.ask("single", policy=policy)[0] == 202
    assert service.payload()["policy"]["deadline_seconds"] == seconds
