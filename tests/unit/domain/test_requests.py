"""Valid requests, and the one-sentence error of invalid ones."""

import json
from typing import get_args

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from pydantic import ValidationError

from selfrag.domain.errors import InvalidInput
from selfrag.domain.fields import MAX_QUESTION_CHARACTERS
from selfrag.domain.questions import AskRequest, Policy, read_request
from selfrag.domain.strategies import Strategy
from selfrag.domain.validation import explain

STRATEGIES = get_args(Strategy)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("", "The question was not accepted: it is empty; write a question."),
        ("  \n\t　", "The question was not accepted: it is empty; write a question."),
        ("\u200b\u200b", "The question was not accepted: it is empty; write a question."),
        ("a\x00b", "The question was not accepted: it holds a NUL character; remove it."),
        ("a\ud800b", "The question was not accepted: it is not valid Unicode"),
        ("x" * 2001, "The question was not accepted: it has 2001 characters; 2000 is the limit."),
    ],
)
def test_a_question_that_cannot_be_asked_gets_one_clear_sentence(question: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as error:
        read_request(question)
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_earlier_answer_is_named_or_sent_but_not_both() -> None:
    sent = {"question": "And then?", "previous": "a1", "history": [{"question": "When?", "answer": "In May."}]}
    with pytest.raises(ValidationError) as error:
        AskRequest.model_validate(sent)
    assert explain(error.value, AskRequest) == "previous and history exclude each other; leave one out."


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("{", "not valid JSON"),
        ("[1]", "must be a JSON object"),
        ('{"top_k": 0}', "policy.top_k was not accepted: input should be greater than or equal to 1"),
        ('{"top_k": 99}', "less than or equal to 10"),
        ('{"topk": 4}', "policy.topk does not exist; the fields are strategy, top_k,"),
        ('{"weights": {"rell": 1}}', "policy.weights.rell does not exist; the fields are rel, sup, use"),
        ('{"preset": "segments"}', "policy.preset does not exist"),
        ('{"strategy": "plain"}', "policy.strategy was not accepted"),
        ('{"speculate": false}', "policy.speculate was not accepted"),
        ('{"deadline_seconds": 9999}', "policy.deadline_seconds was not accepted"),
        ('{"min_utility": "x"}', "policy.min_utility was not accepted"),
        ('{"relevance_threshold": NaN}', "policy.relevance_threshold was not accepted"),
        ('{"top_k": "6"}', "policy.top_k was not accepted: it must be a number"),
        ('{"max_cost_usd": "1"}', "policy.max_cost_usd was not accepted: it must be a number"),
        ('{"weights": {"use": true}}', "policy.weights.use was not accepted: it must be a number"),
        ('{"cache": "yes"}', "policy.cache was not accepted"),
    ],
)
def test_a_policy_that_cannot_be_followed_gets_one_clear_sentence(policy: str, words: str) -> None:
    with pytest.raises(InvalidInput) as error:
        read_request("How many days?", policy)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ("[", "filters is not valid JSON"),
        ('"hr"', 'filters must be a JSON object such as {"tags"'),
        ('{"tag": ["hr"]}', "filters.tag does not exist; the fields are collections, documents, tags, since, until"),
        (
            '{"tags": ["a,b"]}',
            "filters.tags.0 was not accepted: a tag holds letters or digits, and no comma",
        ),
        ('{"since": "31.1.2026"}', "filters.since was not accepted: it must be a day such as 2026-01-31"),
        ('{"since": "2026-02-01", "until": "2026-01-31"}', "filters was not accepted: since is later than until"),
    ],
)
def test_filters_that_mean_nothing_get_one_clear_sentence(filters: str, words: str) -> None:
    with pytest.raises(InvalidInput) as error:
        read_request("How many days?", filters=filters)
    assert words in str(error.value)


def test_tags_and_days_are_compared_in_one_form() -> None:
    filters = read_request(
        "How many days?", filters='{"tags": [" Human\\u00a0Resources"], "since": "20260131"}'
    ).filters
    assert (filters.tags, filters.since) == (["human resources"], "2026-01-31")


def test_an_id_that_cannot_be_one_is_refused() -> None:
    with pytest.raises(InvalidInput, match="previous was not accepted"):
        read_request("And then?", previous="../secrets")


@given(st.text(min_size=1, max_size=MAX_QUESTION_CHARACTERS))
def test_question_in_any_script_is_kept_verbatim_or_rejected_with_message(question: str) -> None:
    try:
        request = read_request(question)
    except InvalidInput as error:
        event(str(error)[:40])
    else:
        assert request.question == question.strip()


ANYTHING = st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.dictionaries(st.text(), x))
NUMBERS = st.integers(-1, 12) | st.floats(-1.0, 300.0) | st.booleans()


@given(ANYTHING)
def test_a_policy_of_unknown_fields_is_refused_in_words(policy: object) -> None:
    if policy == {}:
        assert read_request("How many days?", json.dumps(policy)).policy == Policy()
    else:
        with pytest.raises(InvalidInput):
            read_request("How many days?", json.dumps(policy))


@given(st.dictionaries(st.sampled_from([name for name in Policy.model_fields if name != "weights"]), NUMBERS))
def test_policy_of_known_fields_is_followed_or_rejected_with_message(policy: dict[str, float]) -> None:
    try:
        followed = read_request("How many days?", json.dumps(policy)).policy
    except InvalidInput as error:
        event(str(error)[:40])
    else:
        assert {name: getattr(followed, name) for name in Policy.model_fields} == {**dict(Policy()), **policy}
        event("followed")


@given(st.sampled_from(STRATEGIES), st.dictionaries(st.sampled_from(list(Policy.model_fields)), NUMBERS))
def test_valid_policy_round_trips_through_json(strategy: str, fields: dict[str, float]) -> None:
    try:
        policy = read_request("How many days?", json.dumps({**fields, "strategy": strategy})).policy
    except InvalidInput:
        event("refused")
    else:
        assert Policy.model_validate(policy.model_dump(mode="json")) == policy
        assert Policy.model_validate(policy.model_dump(mode="json", exclude_defaults=True)) == policy


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_execution_gets_the_fields_that_its_strategy_reads(strategy: str) -> None:
    given_to_machine = AskRequest.model_validate({"question": "?", "policy": {"strategy": strategy}})
    execution_input = given_to_machine.execution_input(["c"])
    assert set(execution_input) == {"question", "policy", "previous", "filters", "collections"}
    fields = set(execution_input["policy"])
    assert {"strategy", "top_k", "deadline_seconds", "max_cost_usd", "cache", "weights", "min_utility"} <= fields
    assert ("max_rewrites" in fields) == (strategy not in ("candidates", "segments"))
    assert ("constraints" in fields) == (strategy in ("candidates", "segments"))
    assert ("choices" in fields) == (strategy == "candidates")
    assert ("beam" in fields) == (strategy == "segments")
