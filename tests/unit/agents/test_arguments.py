"""Arguments of tools, as clients with strict schemas and models send them."""

from typing import Any

import pytest

from selfrag.agents.arguments import read_arguments
from selfrag.agents.tools import DocumentsArguments, SearchArguments
from selfrag.domain.questions import AskRequest
from selfrag.domain.validation import Request


@pytest.mark.parametrize(
    ("tool", "sent", "read"),
    [
        (AskRequest, {"question": "Q?", "policy": None, "previous": None, "filters": None}, {"question": "Q?"}),
        (AskRequest, {"question": "Q?", "policy": '{"top_k": 3}'}, {"question": "Q?", "policy": {"top_k": 3}}),
        (AskRequest, {"question": "Q?", "policy": {"top_k": "3"}}, {"question": "Q?", "policy": {"top_k": 3}}),
        (AskRequest, {"question": "12", "policy": {"max_cost_usd": None}}, {"question": "12", "policy": {}}),
        (SearchArguments, {"query": "Q", "filters": '{"tags": ["a"]}'}, {"query": "Q", "filters": {"tags": ["a"]}}),
        (SearchArguments, {"query": "{}", "top_k": "5"}, {"query": "{}", "top_k": 5}),
        (DocumentsArguments, {"collection": "7", "limit": "50"}, {"collection": "7", "limit": 50}),
    ],
)
def test_null_is_the_default_and_text_may_be_json(tool: type[Request], sent: dict[str, Any], read: Any) -> None:
    assert read_arguments(sent, tool.model_json_schema()) == read
    tool.model_validate(read)


@pytest.mark.parametrize(
    "sent", [{"question": None}, {"question": "Q?", "policy": "no"}, {"question": "Q?", "no": None}]
)
def test_wrong_arguments_stay_wrong(sent: dict[str, Any]) -> None:
    read = read_arguments(sent, AskRequest.model_json_schema())
    assert read == sent
    with pytest.raises(ValueError, match="validation error"):
        AskRequest.model_validate(read)
