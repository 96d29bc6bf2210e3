"""Citations of the model over HTTP: wrong ones are repaired, and malformed text is generated again."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.aws.stack import LocalStack
from tests.support.doubles.model_server import ModelServer, cite_everything
from tests.support.local import QUESTION, forget_verdicts, local_stack


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[ModelServer, LocalStack]]:
    with ModelServer() as server, local_stack(server) as stack:
        yield server, stack


@pytest.fixture
def model(running: tuple[ModelServer, LocalStack]) -> ModelServer:
    forget_verdicts()
    running[0].begin_anew(lambda step, number: None)
    running[0].answers["grade_support"] = claims
    return running[0]


def claims(body: Any) -> dict[str, Any]:
    """Support each sentence by the passages that state it."""
    fields = json.loads(body["messages"][0]["content"][-1]["text"])
    said = [one.strip() for one in fields["answer"].replace(" [uncited]", "").split(". ") if one.strip()]
    return {
        "claims": [
            {
                "claim": claim,
                "support": "full",
                "passages": [p["number"] for p in fields["passages"] if claim.rstrip(".") in p["text"]],
                "missing": "",
            }
            for claim in said
        ]
    }


def shifted(by: int) -> Any:
    """Return a writer whose citations point so many results away from the right one."""

    def write(body: Any) -> list[dict[str, Any]]:
        blocks = cite_everything(body)
        for block in blocks:
            block["citations"][0]["search_result_index"] += by
        return blocks[:2]

    return write


def asked(running: tuple[ModelServer, LocalStack]) -> dict[str, Any]:
    output = running[1].execute(QUESTION).output
    assert output is not None
    return output


@pytest.mark.parametrize(("by", "repaired"), [(0, 0), (1, 2), (40, 2), (-9, 2)])
def test_wrong_or_missing_citation_is_repaired_to_supporting_passage(
    running: tuple[ModelServer, LocalStack], model: ModelServer, by: int, repaired: int
) -> None:
    model.answers["generate"] = shifted(by)
    response = asked(running)
    assert (response["status"], response["usage"]["repaired_citations"]) == ("answered", repaired)
    assert "[uncited]" not in response["answer"]
    assert [(one["passage_id"], one["quote"]) for one in response["citations"]] == [
        ("p0", "Fact number 0 is 0 days."),
        ("p1", "Fact number 1 is 10 days."),
    ]


def test_answer_in_format_dictated_by_document_is_rewritten_as_prose(
    running: tuple[ModelServer, LocalStack], model: ModelServer
) -> None:
    def write(body: Any) -> Any:
        fields = json.loads(body["messages"][0]["content"][-1]["text"])
        return cite_everything(body)[:1] if fields.get("wrong_form") else '{"thoughts": "t", "answer": "0 days"}'

    model.answers["generate"] = write
    response = asked(running)
    assert (response["status"], response["answer"].strip()) == ("answered", "Fact number 0 is 0 days.")
    assert len(model.asked("generate")) == 2
    assert response["usage"]["model_calls"] == len(model.requests)


def test_option_with_a_number_that_no_passage_has_stays_an_option(running: Any, model: ModelServer) -> None:
    model.answers["choice"] = lambda body: {"option": 2}
    model.answers["grade_support"] = lambda body: {
        "claims": [{"claim": "It is 99 days.", "support": "full", "passages": [1], "missing": ""}]
    }
    policy = {**QUESTION["policy"], "strategy": "candidates", "choices": ["7 days", "99 days"]}
    response = running[1].execute({**QUESTION, "policy": policy}).output
    assert (response["status"], response["answer"]) == ("partial", "99 days")
    assert response["usage"]["warnings"] == ["Not found in the passages: 99."]
