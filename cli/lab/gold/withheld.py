"""Makes documents and a question set of a file in SQuAD's format, some of whose questions lose their documents.

    python -m cli.lab.gold.withheld xquad.en.json build/xquad --questions 200 --withheld 50
    selfrag eval build/xquad/questions.jsonl --docs build/xquad/documents

A question whose article is withheld, whole, cannot be answered from the documents, and should be abstained from. What
other articles happen to say of it is not looked for.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.lab.bench.squad import clean, read_squad
from cli.terminal import fail
from selfrag.domain.errors import InvalidInput

SEED = 12


@dataclass(frozen=True)
class Paragraph:
    """A paragraph as a document: its name, its text, and its questions as rows of a set."""

    document: str
    text: str
    rows: list[dict[str, Any]]


def make_set(data: Path, out: Path, questions: int, withheld: int, seed: int = SEED) -> None:
    """Write `documents` and `questions.jsonl` into `out`: so many questions, `withheld` of which have no document.

    The same seed gives the same set. Raises InvalidInput if the data cannot be read or hold too few questions, and if
    `out` is there already, for it may hold what is to be withheld.
    """
    if out.exists():
        raise InvalidInput(f"{out} is there already: name a new directory.")
    articles, rng = _articles(data), random.Random(seed)  # noqa: S311 (a choice of questions, no secret)
    rng.shuffle(articles)
    gone: list[dict[str, Any]] = []
    while articles and len(gone) < withheld:
        gone += [row for paragraph in articles.pop() for row in paragraph.rows]
    there = [paragraph for article in articles for paragraph in article]
    rows = [row for paragraph in there for row in paragraph.rows]
    if len(gone) < withheld or len(rows) < questions - withheld or withheld > questions:
        raise InvalidInput(f"{data} holds too few questions for {questions}, {withheld} of them without a document.")
    unanswerable = [{"question": row["question"], "answerable": False} for row in rng.sample(gone, withheld)]
    asked = [*rng.sample(rows, questions - withheld), *unanswerable]
    rng.shuffle(asked)
    _write(out, there, asked)


def _articles(data: Path) -> list[list[Paragraph]]:
    articles = []
    for at, article in enumerate(read_squad(data).data, 1):
        paragraphs = []
        for number, paragraph in enumerate(article.paragraphs, 1):
            name = f"{at:04}/{number:04}.md"
            rows = [
                {"question": asked.question, "answers": [answer.text for answer in asked.answers], "documents": [name]}
                for asked in paragraph.qas
                if not asked.is_impossible
            ]
            title = clean(article.title).replace("_", " ")
            paragraphs.append(Paragraph(name, f"# {title}\n\n{clean(paragraph.context)}\n", rows))
        articles.append(paragraphs)
    return articles


def _write(out: Path, paragraphs: Sequence[Paragraph], rows: Sequence[dict[str, Any]]) -> None:
    for paragraph in paragraphs:
        path = out / "documents" / paragraph.document
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(paragraph.text, encoding="utf-8")
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (out / "questions.jsonl").write_text("".join(lines), encoding="utf-8")


def main(
    data: Annotated[Path, typer.Argument(help="A file in SQuAD's format, in any language.")],
    out: Annotated[Path, typer.Argument(help="A directory for documents and questions.")],
    questions: Annotated[int, typer.Option(min=1, help="How many questions.")] = 200,
    withheld: Annotated[int, typer.Option(min=0, help="How many of them lose their documents.")] = 50,
) -> None:
    """Make documents and a question set of a file in SQuAD's format."""
    try:
        make_set(data, out, questions, withheld)
    except InvalidInput as error:
        fail(str(error))


if __name__ == "__main__":
    typer.run(main)
