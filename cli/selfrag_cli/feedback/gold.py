"""Gold answers from feedback: the right answer, the documents that have it, or that they do not (pure)."""

from collections.abc import Iterable
from typing import TypedDict

from selfrag.domain.answers import UNCITED
from selfrag.domain.feedback import Feedback


class QuestionRow(TypedDict, total=False):
    """A line of a question set, as `selfrag eval` reads it."""

    question: str
    answer: str
    answerable: bool
    documents: list[str]


def question_set(items: Iterable[Feedback], corrected: bool = False) -> list[QuestionRow]:
    """A line for each question, by its words: `question` and, where known, `answer`, `documents` and `answerable`.

    What people wrote themselves goes before what they only called useful, and of each what was said last holds. The
    same words asked under other collections are another question. Follow-ups are left out: alone they ask something
    else. With `corrected` so is what was only called useful, or of no use.
    """
    lines: dict[tuple[str, ...], QuestionRow] = {}
    for feedback in sorted(items, key=lambda each: (_is_corrected(each), each.given_at)):
        says_something = feedback.useful is not None or _is_corrected(feedback)
        if says_something and not feedback.previous and (_is_corrected(feedback) or not corrected):
            key = (feedback.question, *feedback.collections)
            lines[key] = {"question": feedback.question, **gold(feedback)}
    return [lines[key] for key in sorted(lines)]


def gold(feedback: Feedback) -> QuestionRow:
    """Return the fields of a row that say what people know of the answer; {} if they know nothing."""
    if "unanswerable" in feedback.wrong:
        return {"answerable": False}
    if feedback.answer:
        return _answered(feedback.answer, feedback.documents)
    if "answerable" in feedback.wrong:
        return _answered("", feedback.documents)
    if feedback.useful and not feedback.wrong and feedback.status == "abstained":
        return {"answerable": False}
    if feedback.useful and not feedback.wrong and feedback.status in ("answered", "partial"):
        return _answered(feedback.answered.replace(f" {UNCITED}", ""), feedback.documents or feedback.cited)
    return {"documents": feedback.documents} if feedback.documents else {}


def _answered(answer: str, documents: list[str]) -> QuestionRow:
    row: QuestionRow = {"answer": answer} if answer else {}
    if documents:
        row["documents"] = documents
    row["answerable"] = True
    return row


def _is_corrected(feedback: Feedback) -> bool:
    return bool(feedback.answer or feedback.documents or {"answerable", "unanswerable"} & set(feedback.wrong))
