"""Reads question answering data in SQuAD's format (1.1 or 2.0, any language) and selects the benchmark's questions."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from pydantic import BaseModel

from selfrag.domain.errors import InvalidInput

# So many paragraphs are searched when few questions are asked: enough that the right one is not found by chance.
PARAGRAPHS = 200


class _Answer(BaseModel):
    text: str


class _Question(BaseModel):
    question: str
    answers: list[_Answer] = []
    is_impossible: bool = False


class _Paragraph(BaseModel):
    context: str
    qas: list[_Question]


class _Article(BaseModel):
    title: str = ""
    paragraphs: list[_Paragraph]


class SquadData(BaseModel):
    """The content of a file in SQuAD's format."""

    data: list[_Article]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, the number and title of its article, and the questions that it answers."""

    article: int
    title: str
    text: str
    questions: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """The paragraphs to search, and the questions, each with the text of its paragraph."""

    paragraphs: list[Paragraph]
    questions: list[tuple[str, str]]


def read_task(path: Path, limit: int | None = None) -> Task:
    """Read the first `limit` questions of a file, in its order.

    With a limit 200 paragraphs are searched, and more if the questions come from more. Raises InvalidInput if the file
    cannot be read, is not in SQuAD's format, or holds no question with an answer.
    """
    paragraphs = list(_paragraphs(path))
    if limit is not None:
        so_far = accumulate(len(paragraph.questions) for paragraph in paragraphs)
        paragraphs = paragraphs[: max(PARAGRAPHS, 1 + sum(count < limit for count in so_far))]
    questions = [(question, paragraph.text) for paragraph in paragraphs for question in paragraph.questions]
    if not questions:
        raise InvalidInput(f"{path} holds no question that can be answered.")
    return Task(paragraphs, questions[:limit])


def _paragraphs(path: Path) -> Iterator[Paragraph]:
    for number, article in enumerate(read_squad(path).data):
        for paragraph in article.paragraphs:
            asked = tuple(clean(qa.question) for qa in paragraph.qas if not qa.is_impossible)
            yield Paragraph(number, clean(article.title), clean(paragraph.context), asked)


def read_squad(path: Path) -> SquadData:
    """Read a whole file; raises InvalidInput if it cannot be read or is not in SQuAD's format."""
    try:
        return SquadData.model_validate_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidInput(f"{path} is not in SQuAD's format: {error}.") from error


def clean(text: str) -> str:
    """Remove lone surrogates, which JSON can hold and SQLite cannot."""
    return text.encode(errors="replace").decode()
