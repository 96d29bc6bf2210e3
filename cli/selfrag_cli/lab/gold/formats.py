"""The formats of question sets, row by row: selfrag's own, SQuAD's, and the datasets of Ragas and DeepEval."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import AliasChoices, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from selfrag.domain.errors import InvalidInput
from selfrag.domain.fields import Question
from selfrag.domain.validation import Request, explain
from selfrag_cli.lab.bench.squad import SquadData


class Row(Request):
    """A question of selfrag's own format; `documents` are names, and `passages` texts, that hold the answer.

    `facts` are what a right answer says, all of them. A question with `after` is asked after the one with this `id`,
    as its follow-up. `kind` is what sort of question it is, in the words of who made the set.
    """

    EXAMPLE: ClassVar[str] = '{"question": "How many days of leave do I have?", "answer": "30 days"}'

    question: Question
    answer: str = ""
    answers: list[str] = []
    documents: list[str] = []
    passages: list[str] = []
    answerable: bool | None = None
    facts: list[str] = []
    kind: str = ""
    id: str = ""
    after: str = ""

    @field_validator("answerable")
    @classmethod
    def _agrees(cls, answerable: bool | None, info: ValidationInfo) -> bool | None:
        if answerable is False and (info.data.get("answer") or info.data.get("answers")):
            raise ValueError("it is false, but there is an answer")
        return answerable


class _Foreign(Request):
    """A row of another tool: what else it has is not looked at."""

    model_config = ConfigDict(extra="ignore")

    def row(self) -> Row:
        """Return the row in selfrag's format."""
        raise NotImplementedError


class _Ragas(_Foreign):
    """A SingleTurnSample or a row of a test set (Ragas 0.2 and later, src/ragas/dataset_schema.py)."""

    EXAMPLE: ClassVar[str] = '{"user_input": "How many days of leave do I have?", "reference": "30 days"}'

    user_input: Question
    reference: str | None = None
    reference_contexts: list[str] | None = None

    def row(self) -> Row:
        """Take the reference as the answer, and its contexts as the passages."""
        return Row(question=self.user_input, answer=self.reference or "", passages=self.reference_contexts or [])


class _FormerRagas(_Foreign):
    """A row of Ragas 0.1, in which `answer` and `contexts` are what a system said and found, and not known as right."""

    EXAMPLE: ClassVar[str] = '{"question": "How many days of leave do I have?", "ground_truth": "30 days"}'

    question: Question
    ground_truth: str | None = None
    ground_truths: list[str] | None = None

    def row(self) -> Row:
        """Take the ground truth as the answer."""
        return Row(question=self.question, answer=self.ground_truth or "", answers=self.ground_truths or [])


class _DeepEval(_Foreign):
    """A Golden as DeepEval stores it: in the names of its fields or of their aliases (deepeval/dataset/golden.py)."""

    EXAMPLE: ClassVar[str] = '{"input": "How many days of leave do I have?", "expected_output": "30 days"}'

    input: Question
    expected_output: str | None = Field(None, validation_alias=AliasChoices("expected_output", "expectedOutput"))
    context: list[str] | None = None
    source_file: str | None = Field(None, validation_alias=AliasChoices("source_file", "sourceFile"))

    def row(self) -> Row:
        """Take the context as the passages, and the source file as the document."""
        documents = [self.source_file] if self.source_file else []
        answer, passages = self.expected_output or "", self.context or []
        return Row(question=self.input, answer=answer, passages=passages, documents=documents)


# By the field that only this format has, in the order in which they are looked for.
_FOREIGN: dict[str, type[_Foreign]] = {
    "user_input": _Ragas,
    "ground_truth": _FormerRagas,
    "ground_truths": _FormerRagas,
    "input": _DeepEval,
}


def read_row(value: Any) -> Row:
    """Read a row of any of the formats but SQuAD's; raises InvalidInput with one sentence."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"it is no JSON object such as {Row.EXAMPLE}.")
    if isinstance(value.get("user_input"), list):
        raise InvalidInput("it is a conversation; only single questions are asked.")
    known = next((kind for field, kind in _FOREIGN.items() if field in value), None)
    try:
        return known.model_validate(value).row() if known else Row.model_validate(value)
    except ValidationError as error:
        raise InvalidInput(explain(error, known or Row)) from error


def squad_rows(squad: SquadData) -> Iterator[dict[str, Any]]:
    """Return the questions of a file in SQuAD's format, each with its paragraph, as rows of selfrag's format."""
    for article in squad.data:
        for paragraph in article.paragraphs:
            for asked in paragraph.qas:
                # In 2.0 an impossible question may have answers that only seem right, under another name.
                answers = [] if asked.is_impossible else [answer.text for answer in asked.answers]
                yield {
                    "question": asked.question,
                    "answers": answers,
                    "passages": [] if asked.is_impossible else [paragraph.context],
                    "answerable": not asked.is_impossible,
                }
