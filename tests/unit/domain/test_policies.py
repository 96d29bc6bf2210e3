"""The policy of each strategy: accepted fields, defaults, and one-sentence error messages."""

import json
from typing import Any

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import Policy, read_request

CANDIDATES, SEGMENTS = {"strategy": "candidates"}, {"strategy": "segments"}


def policy_of(fields: dict[str, Any]) -> Policy:
    return read_request("How many days?", json.dumps(fields)).policy


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({}, (4, 25, None)),
        ({"strategy": "naive"}, (4, 25, None)),
        (CANDIDATES, (4, 180, 0.10)),
        (SEGMENTS, (3, 180, 0.25)),
        ({**SEGMENTS, "top_k": 4, "deadline_seconds": 30, "max_cost_usd": 0.01}, (4, 30, 0.01)),
        # Null is no limit of the caller's own.
        ({**CANDIDATES, "max_cost_usd": None}, (4, 180, 0.10)),
    ],
)
def test_a_strategy_has_passages_seconds_and_dollars_of_its_own(
    fields: dict[str, Any], wanted: tuple[Any, ...]
) -> None:
    policy = policy_of(fields)
    assert (policy.top_k, policy.deadline_seconds, policy.max_cost_usd) == wanted


def test_tree_policy_allows_more_model_calls_than_candidates() -> None:
    assert [policy_of(fields).max_model_calls for fields in (CANDIDATES, SEGMENTS)] == [40, 80]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"choices": ["true", "false"]},
            "policy.choices was not accepted: the strategy self_rag does nothing with it; leave it out, or ask by "
            "candidates.",
        ),
        ({**SEGMENTS, "choices": ["true", "false"]}, "leave it out, or ask by candidates."),
        ({**CANDIDATES, "beam": 3}, "leave it out, or ask by segments."),
        ({**CANDIDATES, "max_segments": 2}, "leave it out, or ask by segments."),
        ({"strategy": "naive", "retrieval": "never"}, "leave it out, or ask by candidates or segments."),
        ({"max_model_calls": 10}, "leave it out, or ask by candidates or segments."),
        ({**CANDIDATES, "max_rewrites": 1}, "leave it out, or ask by self_rag, naive, corrective or adaptive."),
        ({**SEGMENTS, "lower_threshold": 0.1}, "the strategy segments does nothing with it"),
        ({**CANDIDATES, "top_k": 9}, "policy.top_k was not accepted: candidates takes at most 8; ask for less."),
        ({**SEGMENTS, "max_cost_usd": 1}, "policy.max_cost_usd was not accepted: segments takes at most 0.25;"),
        ({**CANDIDATES, "max_model_calls": 41}, "candidates takes at most 40"),
        ({**SEGMENTS, "deadline_seconds": 200}, "segments takes at most 180"),
        ({**SEGMENTS, "beam": 4}, "policy.beam was not accepted"),
        ({**SEGMENTS, "max_segments": 7}, "policy.max_segments was not accepted"),
        ({**CANDIDATES, "constraints": "none"}, "policy.constraints was not accepted"),
        ({**CANDIDATES, "generator": "claude"}, "policy.generator does not exist; the fields are strategy, top_k,"),
        ({**SEGMENTS, "threshold": 0.2}, "policy.threshold does not exist"),
        ({**SEGMENTS, "max_sequences": 20}, "policy.max_sequences does not exist"),
        ({**CANDIDATES, "choices": ["one"]}, "policy.choices was not accepted: list should have at least 2 items"),
        ({**CANDIDATES, "choices": ["a", " "]}, "policy.choices.1 was not accepted: a choice holds letters or digits"),
        ({**CANDIDATES, "choices": ["a", "x" * 101]}, "policy.choices.1 was not accepted: string should have at most"),
        ({**CANDIDATES, "choices": ["True", "(true)."]}, "policy.choices was not accepted: two of them are the same"),
        ({**CANDIDATES, "choices": ["SUPPORTS", "true"]}, "policy.choices was not accepted: two of them are the same"),
    ],
)
def test_unsupported_policy_fields_are_refused_with_advice(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput) as error:
        policy_of(fields)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("strategy", ["self_rag", "candidates", "segments"])
def test_a_client_that_sends_all_fields_at_their_defaults_is_not_refused(strategy: str) -> None:
    sent = {
        name: field.default
        for name, field in Policy.model_fields.items()
        if field.default_factory is None and name not in ("strategy", "weights")
    }
    assert policy_of({**sent, "strategy": strategy}) == policy_of({"strategy": strategy})
