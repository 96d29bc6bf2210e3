"""What the double refuses, as vLLM words it, and what vLLM would let pass in silence and a test must not."""

import re
from typing import Any

from selfrag.domain.scores.generated import LISTED
from selfrag.domain.scores.tokens import CONTROL, END_OF_PARAGRAPH, MARKERS, PARAGRAPH, RETRIEVE
from selfrag.domain.scores.vocabulary import IDS
from tests.support.doubles.vllm.scenario import Said, Scenario
from tests.support.doubles.vllm.writing import GRADED

MAX_MODEL_LEN = 4096
# By which an operator learns the ids of the tokens.
PROBE = "".join(CONTROL)
_FORM = re.compile(r"### Instruction:\n(.*?)\n\n### Response:\n(.*)", re.DOTALL)
_PASSAGE = re.compile(re.escape(f"{RETRIEVE[1]}{PARAGRAPH}") + r"(.*)" + re.escape(END_OF_PARAGRAPH), re.DOTALL)
_MARKER = re.compile("|".join(map(re.escape, MARKERS)))
_KNOWN = {
    "prompt", "model", "max_tokens", "temperature", "n", "logprobs", "return_tokens_as_token_ids", "return_token_ids",
    "skip_special_tokens", "spaces_between_special_tokens", "stop_token_ids",
}  # fmt: skip
# The training's words around a question.
_TASKS = re.compile(r"(?:Given |Is the following statement ).*?## Input:\n\n?", re.DOTALL)


class Refused(Exception):
    """A reply that vLLM gives: its status, and its sentence."""

    def __init__(self, status: int, message: str, kind: str = "BadRequestError", param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": kind, "param": param, "code": status}}


class Wrong(Exception):
    """What no server would refuse, and no client of ours may send."""


def check_fields(body: dict[str, Any], version: str, model: str) -> None:
    """Refuse a body for its fields; what a version does not know it ignores, and a test does not."""
    if body.get("model", model) != model:
        raise Refused(404, f"The model `{body['model']}` does not exist.", "NotFoundError", "model")
    logprobs, ids = body.get("logprobs"), body.get("logprob_token_ids")
    if ids and logprobs is None and version != "0.15":
        raise Refused(400, "when using `logprob_token_ids`, `logprobs` must be set.", param="logprob_token_ids")
    if logprobs is not None and logprobs > LISTED:
        raise Refused(400, f"Requested sample logprobs of {logprobs}, which is greater than max allowed: {LISTED}")
    if unknown := body.keys() - _KNOWN - {"logprob_token_ids"}:
        raise Wrong(f"no such fields: {sorted(unknown)}")
    if body.get("temperature") != 0 or body.get("n", 1) != 1:
        raise Wrong("the paper's answers are greedy, one a prompt")
    if body.get("skip_special_tokens") is not False:
        raise Wrong("the reflection tokens would vanish from the text")
    if logprobs != LISTED or sorted(ids or ()) != sorted(GRADED):
        raise Wrong("the four groups are not asked for")


def check_length(tokens: int, max_tokens: int) -> None:
    """Refuse what the model cannot read."""
    if tokens + max_tokens > MAX_MODEL_LEN:
        raise Refused(
            400,
            f"This model's maximum context length is {MAX_MODEL_LEN} tokens. However, you requested {max_tokens} output"
            f" tokens and your prompt contains {tokens} input tokens. Please reduce the length of the input prompt.",
        )


def asked_in(prompt: str, scenario: Scenario) -> tuple[str, str | None, str]:
    """Of a prompt what was asked: "decide", "passage" or "direct", the passage's text, and the path it goes on from."""
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
    _title, _, text = shown[1].partition("\n")
    if _MARKER.search(shown[1]):
        raise Wrong(f"the passage holds what is a token: {shown[1]!r}")
    return "passage", text, rest[:opened]


def answer_to(prompt: str, scenario: Scenario, body: dict[str, Any]) -> Said | None:
    """What the table says to a prompt, None for the decision; raises Wrong for a prompt that the tree does not have."""
    if prompt == PROBE:
        return None
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
