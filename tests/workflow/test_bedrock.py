"""A whole question by Bedrock's models, each with its own refusals, through the deployed steps."""

import json
from collections import Counter

import pytest

from selfrag.runtime.models import DEFAULT_MODELS
from tests.support.doubles.bedrock_double import (
    FORCEABLE,
    OFFERED,
    STRUCTURED,
    TALKATIVE,
    BedrockServer,
    way_of,
)
from tests.support.local import QUESTION, forget_verdicts, local_stack


@pytest.mark.parametrize(
    ("model", "ways", "refused"),
    [
        (STRUCTURED, ["json_schema"], 0),
        (FORCEABLE, ["forced_tool"], 0),
        (OFFERED, ["json_schema", "offered_tool"], 1),
        (TALKATIVE, ["json_schema", "offered_tool", "words"], 1),
    ],
    ids=["structured", "forced", "offered", "words"],
)
def test_question_is_answered_and_checked_by_each_bedrock_model_kind(model: str, ways: list[str], refused: int) -> None:
    models = json.dumps(dict.fromkeys(DEFAULT_MODELS, model))
    environment = {"SELFRAG_MODEL_PROVIDER": "bedrock", "SELFRAG_PROFILE": "strict", "SELFRAG_MODELS": models}
    asked = []
    with BedrockServer() as bedrock, local_stack(bedrock, **environment, AWS_REGION="us-east-1") as stack:
        for _ in range(2):
            before = len(bedrock.requests)
            response = stack.execute(QUESTION).output
            asked.append(bedrock.requests[before:])
            # Later questions are asked anew by the same functions.
            forget_verdicts()
            assert response is not None
            assert response["status"] == "answered", response
            assert response["reflection"]["support"]["level"] == "fully_supported"
            assert len(response["reflection"]["relevance"]) == 4
            assert response["reflection"]["utility"]["score"]
    first, second = asked
    taken = Counter(way_of(body) for _, body, _ in first)
    print(f"{model}: {len(first)} requests for the first question, {len(second)} for the second; ways {dict(taken)}")
    assert list(dict.fromkeys(way_of(body) for _, body, _ in first if way_of(body))) == ways
    assert sum(was_refused for *_, was_refused in first) >= refused
    # One answer, and seven verdicts, each in the way that the model takes.
    assert Counter(way_of(body) for _, body, _ in second) == {"": 1, ways[-1]: 7}
