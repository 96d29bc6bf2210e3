"""The fine-tuned model on the laptop: any vLLM server by its URL, asked by the steps as they are deployed."""

import json

import pytest

from cli.local.backends import check_services, chosen_backends
from cli.local.place import Place
from selfrag.domain.errors import Misconfigured
from tests.support.doubles.vllm import CANDIDATES_EXAMPLE, vllm
from tests.support.emulated_aws.stack import deployed_handlers, running_stack

EXAMPLE = CANDIDATES_EXAMPLE
DEFINITION = {
    "QueryLanguage": "JSONata",
    "StartAt": "GenerateCandidates",
    "States": {
        "GenerateCandidates": {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke",
            "Arguments": {"FunctionName": "generate", "Payload": "{% $states.input %}"},
            "Output": "{% $states.result.Payload %}",
            "End": True,
        }
    },
}


@pytest.fixture(autouse=True)
def a_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")


def test_a_server_named_by_its_url_and_its_key_writes_for_the_state_machine(monkeypatch) -> None:
    passages = [EXAMPLE.evidence(name).model_dump() for name in EXAMPLE.passages]
    task = {"generator": "selfrag", "mode": "candidates", "question": EXAMPLE.question, "passages": passages}
    with vllm(EXAMPLE, key="a-key") as double:
        monkeypatch.setenv("SELFRAG_GENERATOR_URL", f"{double.url}/v1/")
        monkeypatch.setenv("SELFRAG_GENERATOR_KEY", "a-key")
        check_services()
        with (
            chosen_backends(Place("c")) as backends,
            running_stack(
                backends.environment, backends.secrets, handlers=deployed_handlers(), definition=json.dumps(DEFINITION)
            ) as stack,
        ):
            output = stack.execute(task).output
    assert output is not None
    assert [one["passage_id"] for one in output["written"]] == ["d1", "d2", "d3"]
    assert (output["attempts"], output["sequences"], double.requests) == (1, 3, 1)


def test_an_endpoint_of_sagemaker_is_refused_with_what_to_set_instead(monkeypatch) -> None:
    monkeypatch.setenv("SELFRAG_GENERATOR_ENDPOINT", "selfrag")
    with pytest.raises(Misconfigured, match="SELFRAG_GENERATOR_URL names a server"):
        check_services()


def test_a_url_that_is_none_is_named_before_a_question_is_asked(monkeypatch) -> None:
    monkeypatch.setenv("SELFRAG_GENERATOR_URL", "a server")
    with pytest.raises(Misconfigured, match="SELFRAG_GENERATOR_URL is not a URL"):
        check_services()
