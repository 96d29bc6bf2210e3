"""Trial requests to a model of Claude on Bedrock, made by the code of the steps that the model serves."""

from collections.abc import Iterable
from typing import Any

from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.profiles import Profile, profile_of
from selfrag.adapters.claude.sdk import SdkClaude, client_of
from selfrag.domain.passages import Evidence
from selfrag.ports.model import Judgement
from selfrag.ports.prompts import load_prompt
from selfrag.ports.recent import Recent
from selfrag.question.decide_retrieval import logic as decide_retrieval
from selfrag.question.generate import logic as generate
from selfrag.question.grade_support import logic as grade_support
from selfrag.runtime.clock import Clock
from selfrag.runtime.models import FIRST
from selfrag.runtime.pace import Pace
from selfrag_cli.doctor.account import Account

SECONDS = 20.0
WRITER, DECIDE = "generate", "decide_retrieval"
PASSAGE = Evidence(passage_id="p", document="leave.md", title="Leave", text="Everybody has 25 days of leave a year.")
ASKED = "How many days of leave do I have?"
DECISION = {"question": ASKED, "previous": {"question": "", "answer": ""}}
CHECK = {
    "question": ASKED, "answer": "You have 25 days.",
    "passages": [{"number": 1, "document": PASSAGE.document, "title": PASSAGE.title, "text": PASSAGE.text}],
}  # fmt: skip
# Seconds between calls by which a prompt is marked for an hour, and for five minutes.
_APART, _CLOSE = 20 * 60.0, 60.0


class Trial:
    """One model in the account's region, and what its requests have shown."""

    def __init__(self, account: Account, model: str) -> None:
        self.model, self._account = model, account
        self._capabilities = Capabilities()

    @property
    def profile(self) -> Profile:
        """Return the profile by which the model is asked next."""
        return self._capabilities.of(self.model)

    def judge(self, steps: Iterable[str]) -> Judgement[Any]:
        """Ask for the verdict of one of the steps, its prompt marked for the longest time that the model keeps it."""
        # The shape with a list is the harder one.
        if {grade_support.STEP, FIRST} & set(steps):
            prompt, shape = load_prompt(grade_support.__name__), grade_support.Support
            return self._claude(grade_support.STEP).judge(grade_support.STEP, prompt, CHECK, shape)
        prompt = load_prompt(decide_retrieval.__name__)
        return self._claude(DECIDE).judge(DECIDE, prompt, DECISION, decide_retrieval.Retrieval)

    def write(self) -> generate.Result:
        """Ask for an answer from a passage, with citations."""
        task = generate.Task(question=ASKED, passages=[PASSAGE])
        return generate.generate(task, self._claude(WRITER), load_prompt(generate.__name__))

    def _claude(self, step: str) -> SdkClaude:
        account = self._account
        client = client_of("bedrock", None, account.choices.model_base_url, SECONDS, account.region)
        calls = _OfOneStep(_APART if profile_of(self.model).hour else _CLOSE)
        pace = Pace(Clock(), calls, SECONDS, deadline_ms=(Clock().now() + SECONDS) * 1000)
        return SdkClaude(client, {step: self.model}, {}, pace, capabilities=self._capabilities)


class _OfOneStep:
    """A record of recent calls, so many seconds apart."""

    def __init__(self, apart: float) -> None:
        self._apart = apart

    def seen(self, step: str, model: str) -> Recent:
        return Recent((self._apart,))

    def refused(self, model: str, seconds: float) -> None:
        pass
