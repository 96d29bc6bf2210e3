"""Who may ask what: API keys and IAM identities are bound to collections, everyone else gets the default."""

import json
from http import HTTPStatus
from typing import Any

import pytest

from ask.edge.callers import Caller, caller_of
from ask.edge.problems import ProblemRaised
from selfrag import bootstrap
from selfrag.domain.errors import Misconfigured
from selfrag.runtime.settings import ApiSettings

ACCOUNT = "123456789012"
MACHINES = {"express_machine_arn": "arn:aws:states:x", "standard_machine_arn": "arn:aws:states:x"}
BOUND = {
    "key-a": ["a"],
    f"arn:aws:iam::{ACCOUNT}:user/Alice": ["b", "c"],
    f"arn:aws:iam::{ACCOUNT}:role/teams/sales/Seller": ["sales"],
}


def caller(**identity: Any) -> Caller:
    # What all may ask without key_collections is for nobody once there are some.
    settings = {"collections": ["everything"], "default_collections": ["shared"], "key_collections": BOUND}
    config = ApiSettings.model_validate({**MACHINES, **settings})
    return caller_of({"requestContext": {"identity": identity}}, config)


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
    config = ApiSettings.model_validate({**MACHINES, "default_collections": ["d"], "key_collections": {"": ["a"]}})
    assert caller_of({"path": "/v1/ask"}, config) == Caller("", ("d",))


def test_where_no_caller_is_bound_all_may_ask_every_collection() -> None:
    config = ApiSettings.model_validate({**MACHINES, "collections": ["a", "b"]})
    assert caller_of({"requestContext": {"identity": {"apiKeyId": "any"}}}, config).collections == ("a", "b")


def test_once_callers_are_bound_the_others_may_ask_nothing() -> None:
    config = ApiSettings.model_validate({**MACHINES, "collections": ["a", "b"], "key_collections": BOUND})
    with pytest.raises(ProblemRaised) as refused:
        caller_of({"requestContext": {"identity": {"apiKeyId": "of-a-new-tenant"}}}, config)
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


@pytest.mark.parametrize("value", ["[]", '{"key": []}', '{"key": "a"}', "key=a"])
def test_a_binding_that_cannot_be_read_is_a_fault_and_not_the_default(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    for name, setting in MACHINES.items():
        monkeypatch.setenv(f"SELFRAG_{name.upper()}", setting)
    monkeypatch.setenv("SELFRAG_KEY_COLLECTIONS", value)
    with pytest.raises(Misconfigured, match="SELFRAG_KEY_COLLECTIONS"):
        bootstrap.api_settings()
    monkeypatch.setenv("SELFRAG_KEY_COLLECTIONS", json.dumps(BOUND))
    assert bootstrap.api_settings().key_collections["key-a"] == ("a",)
