"""The response to a question, as returned, stored and documented by the API."""

from typing import Any, Literal

from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from selfrag.domain.base import Model
from selfrag.domain.scores.shown import Scores
from selfrag.domain.verdicts import Critique, Reflection

# Marks each uncited sentence of a grounded answer.
UNCITED = "[uncited]"
# The notice on answers of the laptop's stand-in.
BY_RULE = (
    "No model is connected: sentences are quoted by rule, not written by a model. "
    "To connect one, set ANTHROPIC_API_KEY."
)
# The notice if a decision model judges the stand-in's quotes.
QUOTED_BY_RULE = (
    "No model that writes is connected: sentences are quoted by rule, and a decision model judged them. "
    "To connect one, set ANTHROPIC_API_KEY."
)
# The retention period of answers.
KEPT_SECONDS = 30 * 86_400
# Number of passages that an abstention shows.
NEAREST = 3
Status = Literal["answered", "partial", "abstained", "failed"]


class Exchange(Model):
    """A question and its answer, both empty without one."""

    question: str = ""
    answer: str = ""


class Turn(Exchange):
    """The turn before a question, and the one `before` it."""

    before: Exchange | None = None

    @model_serializer(mode="wrap")
    def _omit_empty(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in dump(self).items() if value is not None}


class Citation(Model):
    """The source of a part of the answer: a verbatim `quote`; `answer_span` counts Unicode code points.

    `document_id` and `collection` are those of `GET /v1/documents`; the id is null for web pages and knowledge bases,
    and both are null in older responses. `heading` is the nearest one above the passage; `page` is the page, from 1, at
    which to open a PDF; `locator` describes the place of the quote: `page iv`, `slide 3`, `sheet Prices, row 14`.
    `before` and `after` are up to 200 characters of the passage around the quote. `copies` are up to 20 documents with
    near-duplicates of the passage, and `copy_count` is the number of near-duplicates.
    """

    passage_id: str
    document: str
    document_id: str | None = None
    collection: str | None = None
    quote: str
    answer_span: tuple[int, int]
    heading: str = ""
    page: int | None = None
    locator: str = ""
    before: str = ""
    after: str = ""
    copies: list[str] = []
    copy_count: int = 0


class AnswerCitation(Citation):
    """A citation of a response; `answer_span_utf16` is its span in UTF-16 code units, as in JavaScript, Java and C#.

    It is null in older responses.
    """

    answer_span_utf16: tuple[int, int] | None = None


class Draft(Critique):
    """An answer with its verdicts; a `direct` one was written without a search.

    An answer that is not `relevant` rests on an irrelevant passage: it won under soft constraints. `not_said` are its
    sentences about gaps in the documents, `missing` the writer's phrases to search for them. `repaired` is the number
    of citations replaced because IsSup named another passage.
    """

    # Stored drafts have further fields, such as a score.
    model_config = ConfigDict(extra="ignore")

    answer: str = ""
    citations: list[Citation] = []
    direct: bool = False
    cut: bool = False
    relevant: bool = True
    not_said: list[str] = []
    missing: list[str] = []
    repaired: int = 0


class Pass(Model):
    """Steps that ran in parallel, and why."""

    why: str
    steps: list[str] = []


class NearPassage(Model):
    """A passage near an answer or around a citation: its text and its place in the document."""

    model_config = ConfigDict(extra="ignore")

    passage_id: str
    document: str
    document_id: str | None = None
    collection: str | None = None
    heading: str = ""
    page: int | None = None
    locator: str = ""
    text: str


class StepUsage(Model):
    """The usage of a step over all its models; `seconds` is from the first call's start to the last one's end.

    `started` is that start, in seconds from the question's first call; null in older responses.
    """

    model: str
    calls: int
    started: float | None = None
    seconds: float
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class Waste(Model):
    """Unneeded speculative work (`policy.speculate`); the sums of `Usage` include it."""

    model_calls: int = 0
    cost_usd: float | None = 0.0


class Usage(Model):
    """The usage of a question; `cost_usd` is null if a model's price is unknown.

    `model_calls` are requests to language models, `decisions` replies of a decision model. `replies_by_rule` counts
    replies without a model and tokens. `repaired_citations` is the number of citations replaced because IsSup named
    another passage.
    """

    model_calls: int
    decisions: int = 0
    replies_by_rule: int = 0
    rounds: int
    cached_verdicts: int
    repaired_citations: int = 0
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int
    cost_usd: float | None
    waste: Waste = Waste()
    by_step: dict[str, StepUsage]
    warnings: list[str]


class Selection(Model):
    """The passages behind an answer over documents, out of all full-text hits.

    `text_hits` is null if the store does not count them; `note` explains it in the language of the question.
    """

    passages: int
    text_hits: int | None = None
    note: str = ""


class ExecutionLink(Model):
    """A link to the trace; `console_url` is null without a console."""

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
    citations: list[AnswerCitation]
    not_said: list[str] = Field(
        default=[], description="The sentences of the answer that say what the documents do not hold."
    )
    complete: bool = Field(
        default=True, description="False for a count, a total or a list over documents: its passages are a selection."
    )
    selection: Selection | None = Field(
        default=None, description="The passages of an answer that is not complete; null for any other."
    )
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
