"""Asks Claude whether passages answer a question that is to have no answer."""

from collections.abc import Sequence

from pydantic import BaseModel

from cli.lab.making.writing.logic import STEP
from selfrag.domain.passages import Passage
from selfrag.ports.model import Claude, Judgement
from selfrag.ports.prompts import Prompt


class Answering(BaseModel):
    """The shape of the model's verdict; the words come first, so that it looks for them before it decides."""

    quote: str
    answered: bool


def answering(question: str, passages: Sequence[Passage], claude: Claude, prompt: Prompt) -> Judgement[Answering]:
    """Ask whether passages answer a question, and with which words; a verdict that is missing is none."""
    found = [{"document": p.document, "title": p.title, "text": p.text} for p in passages]
    return claude.judge(STEP, prompt, {"question": question, "passages": found}, Answering)
