"""Authorization: API keys and IAM identities are bound to collections, and other callers are rejected."""

from collections.abc import Collection, Iterator
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from selfrag.adapters.bindings import DynamoBindings
from selfrag.api.edge.callers import Caller, caller_of
from selfrag.api.edge.problems import ProblemError
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable, Unreadable
from selfrag.ports.bindings import Action, Binding
from tests.support.aws.resources import CALLERS_TABLE, bind, make

ACCOUNT = "123456789012"
# A role is bound without its path, as Terraform writes it: who has taken it is known by its name alone.
BOUND = {
    "key#key-a": ("a",),
    f"principal#arn:aws:iam::{ACCOUNT}:user/Alice": ("b", "c"),
    f"principal#arn:aws:iam::{ACCOUNT}:role/Seller": ("sales",),
    "client#key-a": ("clients",),
}


class Bound:
    """Bindings that do not change."""

    def get(self, caller: str) -> Binding | None:
        return Binding(BOUND[caller], frozenset({"ask"})) if caller in BOUND else None

    def has_collections(self, collections: Collection[str]) -> bool:
        raise AssertionError("a caller of named collections needs no list")


def caller(action: Action | None = None, **identity: Any) -> Caller:
    return caller_of({"requestContext": {"identity": identity}}, Bound(), action)


@pytest.mark.parametrize(
    ("identity", "collections"),
    [
        ({"apiKeyId": "key-a"}, ("a",)),
        ({"apiKeyId": None, "userArn": f"arn:aws:iam::{ACCOUNT}:user/Alice"}, ("b", "c")),
        ({"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/Seller/session-1"}, ("sales",)),
        ({"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/Seller/key-a"}, ("sales",)),
        ({"userArn": f"arn:aws:iam::{ACCOUNT}:role/teams/Seller"}, ("sales",)),
    ],
)
def test_caller_has_collections_bound_to_key_or_identity(
    identity: dict[str, Any], collections: tuple[str, ...]
) -> None:
    assert caller("ask", **identity).binding.collections == collections


@pytest.mark.parametrize(
    "identity",
    [
        {"apiKeyId": "of-a-new-tenant"},
        {"apiKeyId": f"arn:aws:iam::{ACCOUNT}:user/Alice"},
        {"userArn": "key-a"},
        {"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/Buyer/Seller"},
        {"userArn": "arn:aws:sts::210987654321:assumed-role/Seller/session-1"},
        {},
    ],
)
def test_a_caller_that_is_not_bound_may_do_nothing(identity: dict[str, Any]) -> None:
    for action in ("ask", "upload", None):
        with pytest.raises(ProblemError, match="bound to no collection") as refused:
            caller(action, **identity)  # type: ignore[arg-type]
        assert refused.value.status == HTTPStatus.FORBIDDEN


def test_a_binding_without_an_action_refuses_it_and_says_what_to_do() -> None:
    with pytest.raises(ProblemError) as refused:
        caller("upload", apiKeyId="key-a")
    assert (refused.value.status, "add the action upload" in refused.value.hint) == (HTTPStatus.FORBIDDEN, True)


@pytest.mark.parametrize("identity", [{}, {"apiKeyId": "key-a"}, {"apiKeyId": "of-the-plan"}])
def test_authorized_caller_is_bound_by_principal_not_by_usage_key(
    identity: dict[str, str],
) -> None:
    def client(principal: str | None) -> Caller:
        context: Any = {"identity": identity, "authorizer": {"principalId": principal}}
        return caller_of({"requestContext": context}, Bound())

    found = client("key-a")
    assert (found.name, found.binding) == ("client#key-a", Binding(("clients",), frozenset({"ask"})))
    for other in ("key-b", "client#key-a", f"arn:aws:iam::{ACCOUNT}:user/Alice"):
        with pytest.raises(ProblemError, match="bound to no collection"):
            client(other)


def test_sessions_of_one_role_are_callers_of_their_own() -> None:
    names = {caller(userArn=f"arn:aws:sts::{ACCOUNT}:assumed-role/Seller/{n}").name for n in range(2)}
    assert len(names) == 2


def test_foreign_collection_is_refused_like_a_missing_one() -> None:
    said = set()
    for wanted in (["a", "b"], ["never-was"]):
        with pytest.raises(ProblemError) as refused:
            caller(apiKeyId="key-a").allowed(wanted)
        said.add((refused.value.status, refused.value.detail, refused.value.hint))
    assert len(said) == 1
    assert said.pop()[0] == HTTPStatus.FORBIDDEN
    caller(apiKeyId="key-a").allowed(["a"])
    caller(apiKeyId="key-a").allowed([])


@pytest.fixture
def table() -> Iterator[Any]:
    with mock_aws():
        make()
        yield boto3.resource("dynamodb").Table(CALLERS_TABLE)


def bindings(table: Any) -> DynamoBindings:
    return DynamoBindings(boto3.client("dynamodb"), table.name)


def test_thousands_of_callers_can_be_bound_and_each_gets_its_own(table: Any) -> None:
    with table.batch_writer() as batch:
        for number in range(2000):
            batch.put_item({"caller": f"key#{number}", "collections": {f"tenant-{number}", "shared"}})
    # A binding without actions allows only questions.
    assert bindings(table).get("key#1999") == Binding(("shared", "tenant-1999"), frozenset({"ask"}))
    assert bindings(table).get("key#2000") is None


def test_binding_changes_apply_to_next_request(table: Any) -> None:
    known = bindings(table)
    assert known.get("key#a") is None
    bind("key#a", "a", actions=["upload"])
    assert known.get("key#a") == Binding(("a",), frozenset({"upload"}))
    table.delete_item(Key={"caller": "key#a"})
    assert known.get("key#a") is None


def test_an_action_of_a_later_release_gives_nothing_and_takes_nothing(table: Any) -> None:
    bind("key#a", "a", actions=["ask", "administer"])
    assert bindings(table).get("key#a") == Binding(("a",), frozenset({"ask"}))


@pytest.mark.parametrize("attribute", ["collections", "actions", "all_collections"])
@pytest.mark.parametrize("value", [None, "true", 7, {"a": 1}, {7}])
def test_unreadable_binding_is_a_fault_and_admits_no_caller(table: Any, attribute: str, value: Any) -> None:
    table.put_item(Item={"caller": "key#a", "collections": {"a"}, attribute: value})
    with pytest.raises(Unreadable, match="the table of callers"):
        bindings(table).get("key#a")


@pytest.fixture
def listing(table: Any) -> DynamoBindings:
    """Bindings of a table that lists 10,000 collections, with a caller of all and one of a single one."""
    with table.batch_writer() as batch:
        for number in range(10_000):
            batch.put_item({"caller": f"collection#tenant-{number}"})
        batch.put_item({"caller": "key#all", "all_collections": True, "collections": {"tenant-0"}})
        batch.put_item({"caller": "key#single", "collections": {"tenant-0"}})
    return bindings(table)


def test_all_collections_caller_reaches_listed_collections_and_no_other(listing: DynamoBindings) -> None:
    identities = [{"requestContext": {"identity": {"apiKeyId": key}}} for key in ("all", "single")]
    every, single = (caller_of(identity, listing) for identity in identities)
    assert every.reaches([f"tenant-{number}" for number in range(0, 10_000, 40)])
    assert every.reaches([])
    assert single.reaches(["tenant-0"])
    assert not single.reaches(["tenant-0", "tenant-1"])
    # Another kind of item is no collection, nor is a name that no key of the table could hold.
    for name in ("tenant-10000", "tenant-", "*", "key#all", "\U0001f600" * 1024):
        assert not every.reaches(["tenant-9999", name])


def test_collection_is_reachable_only_while_listed(table: Any) -> None:
    table.put_item(Item={"caller": "key#all", "all_collections": True})
    every = caller_of({"requestContext": {"identity": {"apiKeyId": "all"}}}, bindings(table))
    assert not every.reaches(["new"])
    table.put_item(Item={"caller": "collection#new"})
    assert every.reaches(["new"])
    table.delete_item(Key={"caller": "collection#new"})
    assert not every.reaches(["new"])


def test_a_throttled_look_at_the_list_is_a_fault_and_no_refusal() -> None:
    busy = {"Responses": {"callers": []}, "UnprocessedKeys": {"callers": {"Keys": [{"caller": {"S": "collection#a"}}]}}}
    client = SimpleNamespace(batch_get_item=lambda **request: busy)
    with pytest.raises(TemporarilyUnavailable, match="try again"):
        DynamoBindings(client, "callers").has_collections(["a"])


@pytest.mark.parametrize("item", [{}, {"all_collections": False}])
def test_a_binding_to_no_collection_at_all_is_a_fault(table: Any, item: dict[str, Any]) -> None:
    table.put_item(Item={"caller": "key#a", **item})
    with pytest.raises(Unreadable, match="the table of callers"):
        bindings(table).get("key#a")


def test_a_table_of_callers_that_is_not_there_lets_nobody_in(table: Any) -> None:
    with pytest.raises(Misconfigured, match="the table of callers"):
        DynamoBindings(boto3.client("dynamodb"), "another").get("key#a")
