"""The stand-in as the steps have it on the laptop, and over HTTP for the SDK."""

from collections.abc import Callable, Iterator

import anthropic
import pytest

from selfrag.domain.verdicts import RULE_MODEL
from selfrag.judging.graders import Grader
from selfrag.ports.model import Prompt
from selfrag.runtime.clock import Clock
from selfrag.runtime.settings import DEFAULT_MODELS
from selfrag_cli.local.stand_in.claude import RuleClaude
from tests.support.doubles.stand_in import MessagesServer

PROMPT = Prompt("Judge by the rubric.", "1")


@pytest.fixture(scope="session")
def server() -> Iterator[MessagesServer]:
    with MessagesServer() as running:
        yield running


@pytest.fixture(scope="session")
def sdk(server: MessagesServer) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=server.url, api_key="offline", max_retries=0)


@pytest.fixture(scope="session")
def claude() -> RuleClaude:
    return RuleClaude(dict.fromkeys(DEFAULT_MODELS, RULE_MODEL), Clock())


@pytest.fixture(scope="session")
def grader(claude: RuleClaude) -> Callable[[str], Grader]:
    return lambda step: Grader(step, PROMPT, claude)
