"""The prompts of the fine-tuned model, exactly as it was trained (its card, and the code beside arXiv 2310.11511)."""

import re
from collections.abc import Sequence

from selfrag.domain.answers import Turn
from selfrag.domain.scores.tokens import END_OF_PARAGRAPH, MARKERS, PARAGRAPH, RETRIEVE

# What the 7B model was trained on: a longer prompt it has never seen. It can read twice as much.
TRAINED_TOKENS = 2048
NO_RETRIEVAL, RETRIEVAL, _ = RETRIEVE
_FACT = "Is the following statement correct or not? Say true if it's correct; otherwise say false."
_CHAT = "Given a chat history separated by new lines, generates an informative, knowledgeable and engaging response. "
_LETTERS = "ABCDEFGHIJ"
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# A tokenizer may write a space as U+2581, and so may a text that poses as one.
_FORGED = re.compile("|".join(re.escape(marker).replace(r"\ ", r"[\s\u2581]+") for marker in MARKERS))
_HEADING = re.compile(r"((?:^|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])[^\S\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*+#)(?=##)")
_PIECES = re.compile(r"[A-Za-z]+|\n| {2,}|[^ A-Za-z\n]")


def unmarked(text: str) -> str:
    """Return a text without tokens and headings of the prompt: a space follows each one's first sign."""
    clean = text.encode("utf-8", "replace").decode()
    return _HEADING.sub(r"\1 ", _FORGED.sub(lambda token: f"{token[0][0]} {token[0][1:]}", clean))


def asking(question: str, previous: Turn | None = None, choices: Sequence[str] = ()) -> str:
    """Return a prompt up to the model's part; a closed set and an earlier turn have the words of the training.

    Without options or an earlier turn there is no task text (table 5 of the paper).
    """
    request = unmarked(question)
    if _is_fact(choices):
        request = f"{_FACT}\n\n## Input:\n\n{request}"
    elif choices:
        request = f"{_which(len(choices))}\n\n### Input:\n{request}{_options(choices)}"
    elif previous and previous.answer:
        request = f"{_CHAT}## Input:\n\n{unmarked(previous.question)}\n{unmarked(previous.answer)}\n{request}"
    return f"### Instruction:\n{request}\n\n### Response:\n"


def with_passage(begun: str, title: str, text: str) -> str:
    """Return a prompt that has begun, with one passage behind it, and nothing behind that."""
    return f"{begun}{RETRIEVAL}{PARAGRAPH}{unmarked(title)}\n{unmarked(text)}{END_OF_PARAGRAPH}"


def without_passage(begun: str) -> str:
    """Return a prompt that has begun, to go on without a passage."""
    return f"{begun}{NO_RETRIEVAL}"


def room_in(prompt: str, max_tokens: int) -> int:
    """Return the tokens that a prompt has room for before so many are written; none or less is too long."""
    return TRAINED_TOKENS - max_tokens - tokens_in(prompt)


def tokens_in(text: str) -> int:
    """Estimate the tokens of a text (ours: no tokenizer is at hand), never below half of their number.

    English takes a token for four letters, and this counts one for two; what is not ASCII counts by its bytes.
    """
    return sum(_weight(piece) for piece in _PIECES.findall(text)) + 1


def option_named(answer: str, choices: Sequence[str]) -> str:
    """Return the option that an answer means by the letter which it had in the prompt; else the answer as it is."""
    letter = answer.strip().strip("().:").upper()
    lettered = not _is_fact(choices) and bool(_options(choices))
    return choices[_LETTERS.index(letter)] if lettered and letter in tuple(_LETTERS[: len(choices)]) else answer


def _is_fact(choices: Sequence[str]) -> bool:
    return {option.casefold() for option in choices} == {"true", "false"}


def _which(count: int) -> str:
    letters = ", ".join(_LETTERS[: count - 1])
    last = _LETTERS[count - 1]
    return f"Given {_NUMBERS[count - 2]} answer candidates, {letters} and {last}, choose the best answer choice."


def _options(choices: Sequence[str]) -> str:
    """Return the options under letters; none where they are letters themselves, which the question explains."""
    if all(len(option) == 1 for option in choices):
        return ""
    return "".join(f"\n{letter}: {unmarked(option)}" for letter, option in zip(_LETTERS, choices, strict=False))


def _weight(piece: str) -> int:
    if piece.isascii():
        return (len(piece) + 1) // 2 if piece.isalpha() else len(piece)
    return len(piece.encode("utf-8", "replace"))
