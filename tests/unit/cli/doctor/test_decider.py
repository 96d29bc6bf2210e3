"""The doctor lets a decision model judge a pair whose answer is plain."""

from collections.abc import Mapping
from typing import Any

import pytest

from selfrag_cli.deployment.terraform import Choices, DeciderChoice
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding
from selfrag_cli.doctor.models import decider
from tests.support.doubles.systemone import SystemOneServer


def right(name: str, question: Mapping[str, Any], state: Any) -> dict[str, float]:
    yes = 0.98 if "25 days" in state["passage"]["text"] else 0.03
    return {"yes": yes, "no": 1 - yes}


def wrong(name: str, question: Mapping[str, Any], state: Any) -> dict[str, float]:
    return {"yes": 0.5, "no": 0.5}


def examined(server: SystemOneServer | None, **choice: Any) -> list[Finding]:
    url = server.url if server else "http://127.0.0.1:9"
    choices = Choices(decider=DeciderChoice(url=url, model="jev-latest", **choice))
    account: Any = Account.__new__(Account)
    object.__setattr__(account, "choices", choices)
    return list(decider(account))


def test_a_model_that_tells_the_two_apart_is_fine() -> None:
    with SystemOneServer(right) as server:
        [finding] = examined(server)
    assert finding.level == "fine"
    assert "0.98" in finding.says
    assert "0.03" in finding.says


def test_a_model_that_does_not_is_to_be_looked_at() -> None:
    with SystemOneServer(wrong) as server:
        [finding] = examined(server)
    assert finding.level == "look"


@pytest.mark.parametrize("mode", ["501", "404", "not_json", "refusal"])
def test_a_server_that_gives_no_decision_blocks_with_the_reason(mode: str) -> None:
    with SystemOneServer(right, mode) as server:
        [finding] = examined(server)
    assert finding.level == "blocks"
    assert "jev-latest gives no decision" in finding.says


def test_a_key_comes_from_the_environment_and_is_missed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SELFRAG_DECIDER_KEY", raising=False)
    [missing] = examined(None, secret=True)
    assert (missing.level, "SELFRAG_DECIDER_KEY" in missing.says) == ("unknown", True)
    monkeypatch.setenv("SELFRAG_DECIDER_KEY", "good")
    with SystemOneServer(right, key="good") as server:
        [finding] = examined(server, secret=True)
    assert finding.level == "fine"


def test_without_one_there_is_nothing_to_examine() -> None:
    account: Any = Account.__new__(Account)
    object.__setattr__(account, "choices", Choices())
    assert list(decider(account)) == []
