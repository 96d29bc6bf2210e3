"""Who may ask what: API keys and IAM identities are bound to collections, everyone else gets the default."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import boto3
import pytest
from moto import mock_aws

from ask.edge.callers import Caller, caller_of
from ask.edge.problems import ProblemRaised
from selfrag.adapters.bindings import DynamoBindings
from selfrag.domain.errors import Misconfigured, Unreadable
from selfrag.runtime.settings import ApiSettings
from tests.support.emulated_aws.resources import CALLERS_TABLE, make

ACCOUNT = "123456789012"
MACHINES = {"express_machine_arn": "arn:aws:states:x", "standard_machine_arn": "arn:aws:states:x"}
# A role is bound without its path, as Terraform writes it: who has taken it is known by its name alone.
BOUND = {
    "key-a": ("a",),
    f"arn:aws:iam::{ACCOUNT}:user/Alice": ("b", "c"),
    f"arn:aws:iam::{ACCOUNT}:role/Seller": ("sales",),
}


class Bound:
    """Bindings that do not change."""

    def of(self, caller: str) -> tuple[str, ...] | None:
        return BOUND.get(caller)


def caller(**identity: Any) -> Caller:
    return caller_of({"requestContext": {"identity": identity}}, Bound(), ["shared"])


@pytest.mark.parametrize(
    ("identity", "collections"),
    [
        ({"apiKeyId": "key-a"}, ("a",)),
        ({"apiKeyId": "key-a2"}, ("shared",)),
        ({"apiKeyId": None, "userArn": f"arn:aws:iam::{ACCOUNT}:user/Alice"}, ("b", "c")),
        ({"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/Seller/session-1"}, ("sales",)),
        ({"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/Seller/key-a"}, ("sales",)),
        ({"userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/Buyer/Seller"}, ("shared",)),
        ({"userArn": "arn:aws:sts::210987654321:assumed-role/Seller/session-1"}, ("shared",)),
        ({}, ("shared",)),
    ],
)
def test_a_caller_may_ask_the_collections_that_the_key_or_identity_is_bound_to(
    identity: dict[str, Any], collections: tuple[str, ...]
) -> None:
    assert caller(**identity).collections == collections


def test_a_call_without_any_identity_gets_the_default() -> None:
    assert caller_of({"path": "/v1/ask"}, Bound(), ["d"]) == Caller("", ("d",))


def test_where_no_default_is_set_a_caller_that_is_not_bound_may_ask_every_collection() -> None:
    assert ApiSettings.model_validate({**MACHINES, "collections": ["a", "b"]}).for_others == ("a", "b")
    assert ApiSettings.model_validate({**MACHINES, "default_collections": ["b"]}).for_others == ("b",)


def test_where_the_default_is_nothing_a_caller_that_is_not_bound_may_ask_nothing() -> None:
    others = ApiSettings.model_validate({**MACHINES, "default_collections": []}).for_others
    with pytest.raises(ProblemRaised) as refused:
        caller_of({"requestContext": {"identity": {"apiKeyId": "of-a-new-tenant"}}}, Bound(), others)
    assert refused.value.status == HTTPStatus.FORBIDDEN


def test_sessions_of_one_role_are_callers_of_their_own() -> None:
    names = {caller(userArn=f"arn:aws:sts::{ACCOUNT}:assumed-role/Seller/{n}").name for n in range(2)}
    assert len(names) == 2


def test_a_collection_of_another_is_refused_in_the_words_of_one_that_does_not_exist() -> None:
    said = set()
    for wanted in (["shared", "a"], ["never-was"]):
        with pytest.raises(ProblemRaised) as refused:
            caller().allowed(wanted)
        said.add((refused.value.status, refused.value.detail, refused.value.hint))
    assert len(said) == 1
    assert said.pop()[0] == HTTPStatus.FORBIDDEN
    caller().allowed(["shared"])
    caller().allowed([])


@pytest.fixture
def table() -> Iterator[Any]:
    with mock_aws():
        make({})
        yield boto3.resource("dynamodb").Table(CALLERS_TABLE)


def bindings(table: Any) -> DynamoBindings:
    return DynamoBindings(boto3.client("dynamodb"), table.name)


def test_thousands_of_callers_can_be_bound_and_each_gets_its_own(table: Any) -> None:
    with table.batch_writer() as batch:
        for number in range(2000):
            batch.put_item({"caller": f"key-{number}", "collections": {f"tenant-{number}", "shared"}})
    assert bindings(table).of("key-1999") == ("shared", "tenant-1999")
    assert bindings(table).of("key-2000") is None


def test_a_binding_holds_from_the_next_request_on_and_so_does_its_end(table: Any) -> None:
    known = bindings(table)
    assert known.of("key-a") is None
    table.put_item(Item={"caller": "key-a", "collections": {"a"}})
    assert known.of("key-a") == ("a",)
    table.delete_item(Key={"caller": "key-a"})
    assert known.of("key-a") is None


@pytest.mark.parametrize("collections", [None, "a", 7, [], {"a": 1}, {7}])
def test_a_binding_that_cannot_be_read_is_a_fault_and_not_the_default(table: Any, collections: Any) -> None:
    table.put_item(Item={"caller": "key-a", "collections": collections})
    with pytest.raises(Unreadable, match="the table of callers"):
        bindings(table).of("key-a")


def test_a_table_of_callers_that_is_not_there_lets_nobody_in(table: Any) -> None:
    with pytest.raises(Misconfigured, match="the table of callers"):
        DynamoBindings(boto3.client("dynamodb"), "another").of("key-a")
