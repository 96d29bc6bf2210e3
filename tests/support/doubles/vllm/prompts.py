"""The requests that the double takes: what vLLM would let pass in silence, and a test must not, is Wrong."""

import re
from typing import Any

from selfrag.domain.scores.generated import LISTED
from selfrag.domain.scores.tokens import END_OF_PARAGRAPH, MARKERS, PARAGRAPH, RETRIEVE
from selfrag.domain.scores.vocabulary import IDS
from tests.support.doubles.vllm.scenario import Said, Scenario
from tests.support.doubles.vllm.writing import GRADED

MODEL, MAX_MODEL_LEN = "selfrag/selfrag_llama2_7b", 4096
_FORM = re.compile(r"### Instruction:\n(.*?)\n\n### Response:\n(.*)", re.DOTALL)
_PASSAGE = re.compile(re.escape(f"{RETRIEVE[1]}{PARAGRAPH}") + r"(.*)" + re.escape(END_OF_PARAGRAPH), re.DOTALL)
_MARKER = re.compile("|".join(map(re.escape, MARKERS)))
_KNOWN = {
    "prompt", "model", "max_tokens", "temperature", "n", "logprobs", "logprob_token_ids", "return_tokens_as_token_ids",
    "return_token_ids", "skip_special_tokens", "spaces_between_special_tokens", "stop_token_ids",
}  # fmt: skip
# The training's words around a question.
_TASKS = re.compile(r"(?:Given |Is the following statement ).*?## Input:\n\n?", re.DOTALL)


class Refused(Exception):
    """A refusal of vLLM: its status, and its sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": "BadRequestError", "param": None, "code": status}}


class Wrong(Exception):
    """A request that no server would refuse, and no client of ours may send."""


def check_fields(body: dict[str, Any]) -> None:
    """Refuse a body for its fields."""
    if body.get("model", MODEL) != MODEL:
        raise Refused(404, f"The model `{body['model']}` does not exist.")
    if unknown := body.keys() - _KNOWN:
        raise Wrong(f"no such fields: {sorted(unknown)}")
    if body.get("temperature") != 0 or body.get("n", 1) != 1:
        raise Wrong("the paper's answers are greedy, one a prompt")
    if body.get("skip_special_tokens") is not False:
        raise Wrong("the reflection tokens would vanish from the text")
    if body.get("logprobs") != LISTED or sorted(body.get("logprob_token_ids") or ()) != sorted(GRADED):
        raise Wrong("the four groups are not asked for")


def asked_in(prompt: str, scenario: Scenario) -> tuple[str, str | None, str]:
    """Return the kind of a prompt ("decide", "passage", "direct"), the passage's text, and the path before it."""
    form = _FORM.fullmatch(prompt)
    if form is None:
        raise Wrong(f"the template is another: {prompt!r}")
    question, rest = _TASKS.sub("", form[1]), form[2]
    if scenario.question not in question:
        raise Wrong(f"another question is asked: {question!r}")
    if _MARKER.search(form[1]) or "\n###" in f"\n{question}":
        raise Wrong(f"the question holds what is a token: {question!r}")
    if not rest:
        return "decide", None, ""
    if rest.count(PARAGRAPH) > 1 or rest.count(END_OF_PARAGRAPH) > 1:
        raise Wrong("more than one passage is open")
    if rest.endswith(RETRIEVE[0]):
        return "direct", None, rest.removesuffix(RETRIEVE[0])
    opened = rest.rfind(f"{RETRIEVE[1]}{PARAGRAPH}")
    shown = _PASSAGE.fullmatch(rest[opened:]) if opened >= 0 else None
    if shown is None:
        raise Wrong(f"it ends neither with a passage nor without one: {rest[-80:]!r}")
    if _MARKER.search(shown[1]):
        raise Wrong(f"the passage holds what is a token: {shown[1]!r}")
    return "passage", shown[1].partition("\n")[2], rest[:opened]


def answer_to(prompt: str, scenario: Scenario, body: dict[str, Any]) -> Said | None:
    """Return what the table says to a prompt, None for the decision; raises Wrong where the tree has no such prompt."""
    kind, text, told = asked_in(prompt, scenario)
    if kind == "decide":
        return None
    # A direct answer goes on to its end.
    is_segment = scenario.segmented and (kind == "passage" or told != "")
    stops = {IDS[token] for token in RETRIEVE} if is_segment else set()
    if set(body.get("stop_token_ids", ())) != stops:
        raise Wrong("a segment ends at any of the three tokens, and what is no segment at none")
    parent = scenario.path_to(told)
    if parent is None:
        raise Wrong(f"no path of the tree reads so, a sibling's text may be in it: {told!r}")
    shown = next((name for name, whole in scenario.passages.items() if text and whole.startswith(text)), None)
    said = scenario.answer(parent, shown) if shown or text is None else scenario.otherwise
    if said is None:
        raise Wrong(f"the table has nothing for {text!r} behind {parent or 'the root'}")
    return said
