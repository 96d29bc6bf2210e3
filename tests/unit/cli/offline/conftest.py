"""The stand-in of Claude on loopback, and the project's own client of it, for both families of models."""

from collections.abc import Callable, Iterator

import anthropic
import pytest

from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.ports.grading import Grader
from selfrag.ports.prompts import Prompt
from selfrag.runtime.settings import DEFAULT_MODELS
from tests.support.asking import claude_of
from tests.support.doubles.stand_in import MessagesServer

PROMPT = Prompt("Judge by the rubric.", "1")


@pytest.fixture(scope="session")
def server() -> Iterator[MessagesServer]:
    with MessagesServer() as running:
        yield running


@pytest.fixture(scope="session")
def sdk(server: MessagesServer) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=server.url, api_key="offline", max_retries=0)


@pytest.fixture(params=["claude-sonnet-5-5", "claude-haiku-4-5"])
def claude(request: pytest.FixtureRequest, sdk: anthropic.Anthropic) -> SdkClaude:
    """Return the client that the steps use, once for a model of each family."""
    return claude_of(sdk, dict.fromkeys(DEFAULT_MODELS, request.param))


@pytest.fixture
def grader(claude: SdkClaude) -> Callable[[str], Grader]:
    return lambda step: Grader(step, PROMPT, claude)
