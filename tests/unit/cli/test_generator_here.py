"""The fine-tuned model on the laptop: any vLLM server by its URL, asked by the steps as they are deployed."""

import pytest

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.backends import check_services


@pytest.fixture(autouse=True)
def a_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")


def test_a_url_that_is_none_is_named_before_a_question_is_asked(monkeypatch) -> None:
    monkeypatch.setenv("SELFRAG_GENERATOR_URL", "a server")
    with pytest.raises(Misconfigured, match="SELFRAG_GENERATOR_URL is not a URL"):
        check_services()
