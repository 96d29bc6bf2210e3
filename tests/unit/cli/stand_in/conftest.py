"""The stand-in as the steps have it on the laptop."""

from collections.abc import Callable

import pytest

from selfrag.domain.verdicts import RULE_MODEL
from selfrag.judging.graders import Grader
from selfrag.ports.model import Prompt
from selfrag.runtime.clock import Clock
from selfrag.runtime.settings import DEFAULT_MODELS
from selfrag_cli.local.stand_in.claude import RuleClaude

PROMPT = Prompt("Judge by the rubric.", "1")


@pytest.fixture(scope="session")
def claude() -> RuleClaude:
    return RuleClaude(dict.fromkeys(DEFAULT_MODELS, RULE_MODEL), Clock())


@pytest.fixture(scope="session")
def grader(claude: RuleClaude) -> Callable[[str], Grader]:
    return lambda step: Grader(step, PROMPT, claude)
