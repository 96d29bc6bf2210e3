"""The response to a question: returned to the caller, stored, and documented by the API."""

from typing import Any, Literal

from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

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
# The same, where a decision model judges the quotes.
QUOTED_BY_RULE = (
    "No model that writes is connected: sentences are quoted by rule, and a decision model judged them. "
    "To connect one, set ANTHROPIC_API_KEY."
)
# As long as the workflow keeps an answer.
KEPT_SECONDS = 30 * 86_400
# How many passages an abstention shows.
NEAREST = 3
Status = Literal["answered", "partial", "abstained", "failed"]


class Exchange(Model):
    """A question and its answer; both empty when there is none."""

    question: str = ""
    answer: str = ""


class Turn(Exchange):
    """The turn before a question, with the one `before` that, if there was one."""

    before: Exchange | None = None

    @model_serializer(mode="wrap")
    def _without_nothing(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in dump(self).items() if value is not None}


class Citation(Model):
    """The source of a part of the answer: `quote` is verbatim in the passage, `answer_span` counts Unicode code points.

    `document_id` and `collection` are those of `GET /v1/documents`; the id is null for a page of the web or of a
    knowledge base, and both are null where they were not stored yet. `heading` is the nearest one above the passage;
    `page` is the page, from 1, to open a PDF at; `locator` says in words where the quote stands: `page iv`, `slide 3`,
    `sheet Prices, row 14`. `before` and `after` are the passage's text around the quote, of up to 200 characters each.
    `copies` are documents of near-duplicates of the passage, at most 20, and `copy_count` is the number of all
    near-duplicates.
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
    """A citation of a response; `answer_span_utf16` is its span in UTF-16 code units, as JavaScript, Java and C# count.

    It is null in a response stored before it was there.
    """

    answer_span_utf16: tuple[int, int] | None = None


class Draft(Critique):
    """An answer and its verdicts; `direct` means that it was written without a search.

    One that is not `relevant` rests on an irrelevant passage: it won under soft constraints. `not_said` are its
    sentences on what the documents do not hold, `missing` the writer's phrases to search for that. `repaired` is the
    number of citations that were replaced because IsSup named another passage.
    """

    # The workflow keeps more with a draft, such as its score.
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
    """The steps that ran in parallel, and why: what was known, and what follows from it."""

    why: str
    steps: list[str] = []


class NearPassage(Model):
    """A passage that came near an answer, or is read in its document: its text, and its place in the document."""

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

    `model_calls` are requests to language models, `decisions` replies of a decision model. `replies_by_rule` is the
    number of replies that no model gave; they have no tokens. `repaired_citations` is the number of citations that
    were replaced because IsSup named another passage.
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
    """The passages that an answer over documents rests on, out of all that full text found.

    `text_hits` is null where the store does not count them; `note` says it in the language of the question.
    """

    passages: int
    text_hits: int | None = None
    note: str = ""


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
