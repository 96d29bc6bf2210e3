"""Prompts can be overridden, and every step asks by them."""

from selfrag import bootstrap
from selfrag.judging.prompts import prompt_of
from selfrag.runtime.models import DEFAULT_MODELS
from tests.support.doubles.model_server import ModelServer, step_of
from tests.support.local import QUESTION, local_stack


def test_each_step_uses_its_overridden_prompt() -> None:
    question = {**QUESTION, "policy": {**QUESTION["policy"], "speculate": "full"}}
    with ModelServer() as model, local_stack(model) as stack:
        with bootstrap.using(prompts={step: prompt_of(f"Do {step} so.") for step in DEFAULT_MODELS}):
            stack.execute(question)
        asked = {step_of(body): body["system"][0]["text"] for body in model.requests}
        assert asked == {step: f"Do {step} so." for step in DEFAULT_MODELS}
        again = len(model.requests)
        stack.execute(question)
        assert not [body for body in model.requests[again:] if body["system"][0]["text"].startswith("Do ")]
