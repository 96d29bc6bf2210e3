"""The response to a question: returned to the caller, stored, and documented by the API."""

from collections.abc import Sequence
from typing import Literal

from pydantic import ConfigDict, Field

from selfrag.domain.base import Model
from selfrag.domain.scores.shown import Scores
from selfrag.domain.verdicts import Critique, Reflection

# The mark after each sentence of a grounded answer that cites nothing.
UNCITED = "[uncited]"
# The notice on an answer of the laptop's stand-in.
BY_RULE = (
    "No model is connected: sentences are quoted by rule, not written by a model. "
    "To connect one, set ANTHROPIC_API_KEY."
)
# As long as the workflow keeps an answer.
KEPT_SECONDS = 30 * 86_400
# How many passages an abstention shows.
NEAREST = 3
Status = Literal["answered", "partial", "abstained", "failed"]


def no_result(step: str, error: str) -> str:
    """Return the warning of a step without a result, with the class name of its error."""
    return f"{step} gave no result ({error})."


def failed_by(warnings: Sequence[str], error: str) -> bool:
    """Return whether a response's warnings say that a step had no result because of this error."""
    return any(warning.endswith(no_result("", error)) for warning in warnings)


class Turn(Model):
    """An earlier question and its answer; both empty when there is none."""

    question: str = ""
    answer: str = ""


class Citation(Model):
    """The source of a part of the answer: `quote` is verbatim in the passage, `answer_span` counts characters.

    `heading` is the nearest one above the passage; `page` is the page, from 1, to open a PDF at; `locator` says in
    words where the quote stands: `page iv`, `slide 3`, `sheet Prices, row 14`. `before` and `after` are the passage's
    text around the quote, of up to 200 characters each. `copies` are documents of near-duplicates of the passage, at
    most 20, and `copy_count` is the number of all near-duplicates.
    """

    passage_id: str
    document: str
    quote: str
    answer_span: tuple[int, int]
    heading: str = ""
    page: int | None = None
    locator: str = ""
    before: str = ""
    after: str = ""
    copies: list[str] = []
    copy_count: int = 0


class Draft(Critique):
    """An answer and its verdicts; `direct` means that it was written without a search.

    One that is not `relevant` rests on an irrelevant passage: it won under soft constraints. `not_said` is what the
    writer found missing in the documents, in its words.
    """

    # The workflow keeps more with a draft, such as its score.
    model_config = ConfigDict(extra="ignore")

    answer: str = ""
    citations: list[Citation] = []
    direct: bool = False
    cut: bool = False
    relevant: bool = True
    not_said: list[str] = []


class Pass(Model):
    """The steps that ran in parallel, and why: what was known, and what follows from it."""

    why: str
    steps: list[str] = []


class NearPassage(Model):
    """A passage that came near an answer: the beginning of its text, and its place in the document."""

    model_config = ConfigDict(extra="ignore")

    passage_id: str
    document: str
    heading: str = ""
    page: int | None = None
    locator: str = ""
    text: str


class StepUsage(Model):
    """The usage of one step: `seconds` from its first call's start to its last one's end, over all its models.

    `started` is that start, in seconds from the question's first call; null in responses from before this field.
    """

    model: str
    calls: int
    started: float | None = None
    seconds: float
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class Waste(Model):
    """Speculative work (`policy.speculate`) that was not needed; the sums of `Usage` include it."""

    model_calls: int = 0
    cost_usd: float | None = 0.0


class Usage(Model):
    """The usage of a question; `cost_usd` is null if a model's price is not known.

    `sequences` is the number of texts that the generator `selfrag` wrote or decided on; a request to it holds several.
    """

    model_calls: int
    rounds: int
    sequences: int = 0
    cached_verdicts: int
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int
    cost_usd: float | None
    waste: Waste = Waste()
    by_step: dict[str, StepUsage]
    warnings: list[str]


class ExecutionLink(Model):
    """A link to the trace; `console_url` is null where there is no console."""

    arn: str
    console_url: str | None


class AnswerResponse(Model):
    """The response of a finished question."""

    id: str = Field(description="The question's id, and the name of its execution.")
    status: Status
    question: str = Field(default="", description="The question as it was asked.")
    notice: str | None = Field(
        default=None, description="What a reader must know of how the answer was made; null if a model wrote it."
    )
    answer: str
    citations: list[Citation]
    nearest: list[NearPassage] = Field(
        default=[], description="The passages that came nearest, best first, of an answer that was abstained from."
    )
    reflection: Reflection
    path: list[str] = Field(description="The steps that ran, in order.")
    passes: list[Pass] = Field(
        default=[], description="The reason of each pass, in order; the last one says why it ended."
    )
    queries: list[str] = Field(description="The queries that were searched.")
    usage: Usage
    execution: ExecutionLink
    scores: Scores | None = Field(
        default=None, description="The answers that were compared; null where one was written."
    )
