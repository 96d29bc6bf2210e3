"""Question sets: the questions, what people know of their answers, and the measures of an answer against that."""

import hashlib
import json
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, get_args

from pydantic import ValidationError, ValidationInfo, field_validator

from selfrag.domain.answers import UNCITED, AnswerResponse, Status
from selfrag.domain.errors import InvalidInput
from selfrag.domain.feedback import Feedback
from selfrag.domain.fields import Question
from selfrag.domain.validation import Request, explain
from selfrag.text.east_asian import RUN

# The number of first passages that recall looks at; a search returns four by default.
RANK = 4
# Measures that are amounts and no shares, though all of them may be 0 or 1.
AMOUNTS = ("rounds", "model_calls", "seconds", "usd")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@dataclass(frozen=True)
class GoldQuestion:
    """A question and what people know of its answer.

    Any of the `answers` is right, and a right answer states all of the `facts`. `documents` are the names of those that
    hold an answer. `answerable` is None if the set does not say. The `id` depends on the question, and on earlier
    occurrences in the set.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    answerable: bool | None = None
    facts: tuple[str, ...] = ()


class SetRow(Request):
    """A line of a set; `kind` is for the reader alone."""

    EXAMPLE: ClassVar[str] = '{"question": "How many days of leave do I have?", "answer": "30 days"}'

    question: Question
    answer: str = ""
    answers: list[str] = []
    documents: list[str] = []
    answerable: bool | None = None
    facts: list[str] = []
    kind: str = ""

    @field_validator("answerable")
    @classmethod
    def _agrees(cls, answerable: bool | None, info: ValidationInfo) -> bool | None:
        if answerable is False and (info.data.get("answer") or info.data.get("answers")):
            raise ValueError("it is false, but there is an answer")
        return answerable


def read_questions(path: Path) -> list[GoldQuestion]:
    """Return the questions of a set in JSON Lines.

    Raises InvalidInput if the file cannot be read or has no question, and for a bad line, with its number.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidInput(f"{path} is not a text in UTF-8: {error}.") from error
    # Not `splitlines`: a JSON string may contain other line separators.
    lines = [(f"{path}, line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise InvalidInput(f"{path} holds no question.")
    return _identify([_row(where, line) for where, line in lines])


def feedback_questions(items: Iterable[Feedback], collection: str = "") -> list[GoldQuestion]:
    """Return the questions of a collection, or of all, whose answers people corrected in feedback.

    The latest correction per question and collections wins. Follow-ups are left out, because alone they ask something
    else, and so are answers that were only rated: a comparison would favour the strategy that gave them. Raises
    InvalidInput if nothing is left.
    """
    rows: dict[tuple[str, ...], SetRow] = {}
    for feedback in sorted(items, key=lambda item: item.given_at):
        stated = {"answerable", "unanswerable"} & set(feedback.wrong)
        is_useful = bool(feedback.answer or feedback.documents or stated) and not feedback.previous
        if is_useful and collection in ("", *feedback.collections):
            answerable = False if "unanswerable" in stated else True if stated or feedback.answer else None
            rows[(feedback.question, *feedback.collections)] = SetRow(
                question=feedback.question,
                answer="" if answerable is False else feedback.answer,
                documents=[] if answerable is False else feedback.documents,
                answerable=answerable,
            )
    if not rows:
        raise InvalidInput("The feedback has no right answer: people write one on the page or by the API.")
    return _identify([rows[key] for key in sorted(rows)])


def _row(where: str, line: str) -> SetRow:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: it is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"{where}: it is no JSON object such as {SetRow.EXAMPLE}.")
    try:
        return SetRow.model_validate(value)
    except ValidationError as error:
        raise InvalidInput(f"{where}: {explain(error, SetRow)}") from error


def _identify(rows: Sequence[SetRow]) -> list[GoldQuestion]:
    seen: Counter[str] = Counter()
    questions = []
    for row in rows:
        seen[row.question] += 1
        answers = _deduplicate([row.answer, *row.answers])
        questions.append(
            GoldQuestion(
                id=hashlib.sha256(f"{row.question}\n{seen[row.question]}".encode()).hexdigest()[:16],
                question=row.question,
                answers=answers,
                documents=_deduplicate(row.documents),
                answerable=True if row.answerable is None and answers else row.answerable,
                facts=_deduplicate(row.facts),
            )
        )
    return questions


def _deduplicate(texts: Sequence[str]) -> tuple[str, ...]:
    # JSON can contain lone surrogates, and a file in UTF-8 cannot.
    return tuple(dict.fromkeys(text.encode(errors="replace").decode() for text in texts if text.strip()))


@dataclass(frozen=True)
class Share:
    """A `count` of a total, `of`; with a total of 0, the measure does not apply to the question."""

    count: float
    of: float = 1.0

    @property
    def value(self) -> float | None:
        """Return the share; None of nothing."""
        return self.count / self.of if self.of else None


NOT_FOR_IT = Share(0.0, 0.0)
Measured = dict[str, Share]


def measure(gold: GoldQuestion, response: AnswerResponse, seconds: float) -> Measured:
    """Return the measures of one response to a question, which took so many seconds."""
    usage, abstained, unanswerable = response.usage, response.status == "abstained", gold.answerable is False
    return {
        **_nearness(gold, response),
        **_retrieval(gold, response),
        **_citations(gold, response),
        "abstention_precision": Share(abstained and unanswerable, abstained and gold.answerable is not None),
        "abstention_recall": Share(abstained and unanswerable, unanswerable),
        **{status: Share(response.status == status) for status in get_args(Status)},
        "rounds": Share(usage.rounds),
        "model_calls": Share(usage.model_calls),
        "seconds": Share(seconds),
        "usd": NOT_FOR_IT if usage.cost_usd is None else Share(usage.cost_usd),
    }


def _nearness(gold: GoldQuestion, response: AnswerResponse) -> Measured:
    """Compare the answer with the nearest right one; as in SQuAD 2.0, to abstain is right if there is none."""
    if gold.answerable is False:
        return dict.fromkeys(("match", "f1"), Share(response.status == "abstained"))
    if not gold.answers:
        return dict.fromkeys(("match", "f1"), NOT_FOR_IT)
    if response.status in ("abstained", "failed"):
        return dict.fromkeys(("match", "f1"), Share(0.0))
    answer = response.answer.replace(f" {UNCITED}", "")
    matched = min(match(answer, fact) for fact in gold.facts) if gold.facts else None
    return {
        "match": Share(max(match(answer, right) for right in gold.answers) if matched is None else matched),
        "f1": Share(max(f1(answer, right) for right in gold.answers)),
    }


def _retrieval(gold: GoldQuestion, response: AnswerResponse) -> Measured:
    """Measure the recall of the gold documents among the first passages of the search, cited or not."""
    documents = [verdict.document for verdict in response.reflection.relevance if verdict.document]
    if not documents or not gold.documents or gold.answerable is False:
        return {f"recall_at_{RANK}": NOT_FOR_IT}
    return {f"recall_at_{RANK}": Share(_share_covered(gold.documents, documents[:RANK]))}


def _citations(gold: GoldQuestion, response: AnswerResponse) -> Measured:
    # To abstain is right if there is no answer, and measured apart.
    if not gold.documents or gold.answerable is False:
        return {"citation_recall": NOT_FOR_IT, "citation_precision": NOT_FOR_IT}
    cited = list(dict.fromkeys(citation.document for citation in response.citations))
    right = sum(any(is_same_document(document, expected) for expected in gold.documents) for document in cited)
    return {
        "citation_recall": Share(_share_covered(gold.documents, cited)),
        "citation_precision": Share(right / len(cited)) if cited else NOT_FOR_IT,
    }


def _share_covered(expected: Sequence[str], documents: Sequence[str]) -> float:
    return sum(any(is_same_document(document, right) for document in documents) for right in expected) / len(expected)


def is_same_document(first: str, second: str) -> bool:
    """Return whether two names can be of one document: a set may leave out first folders of a name, or have more."""
    names = [name.removeprefix("./").split("/") for name in (first, second)]
    shared = min(map(len, names))
    return names[0][-shared:] == names[1][-shared:]


def f1(answer: str, right: str) -> float:
    """Return the harmonic mean of the share of the answer's words in the right one, and the other way round."""
    words, expected = _tokenize_squad(answer, right)
    if not words or not expected:
        return float(words == expected)
    same = sum((Counter(words) & Counter(expected)).values())
    return 2 * same / (len(words) + len(expected))


def match(answer: str, right: str) -> float:
    """Return 1 if the answer contains the words of the right one in a row, else 0 (arXiv 2310.11511, section 4.1)."""
    words, expected = _tokenize_squad(answer, right)
    starts = range(len(words) - len(expected) + 1)
    return float(bool(expected) and any(words[start : start + len(expected)] == expected for start in starts))


def _tokenize_squad(*texts: str) -> list[list[str]]:
    """Return the words of texts by the rules of SQuAD's scripts (github.com/rajpurkar/SQuAD-explorer).

    These are lower case, without punctuation and English articles. If a text has Chinese, Japanese or Korean letters,
    each of these is a word, as in MLQA's script for Chinese (arXiv 1910.07475): it removes all of Unicode's
    punctuation and no article.
    """
    if not any(RUN.search(text) for text in texts):
        return [_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split() for text in texts]
    plain = ("".join(c for c in text.lower() if not unicodedata.category(c).startswith("P")) for text in texts)
    return [RUN.sub(lambda run: f" {' '.join(run[0])} ", text.translate(_PUNCTUATION)).split() for text in plain]


def aggregate(measures: Sequence[Measured]) -> dict[str, float | None]:
    """Return each measure over many questions; None if it applies to none of them."""
    names = dict.fromkeys(name for of_question in measures for name in of_question)
    shares = {name: [of_question[name] for of_question in measures] for name in names}
    return {
        name: Share(sum(share.count for share in each), sum(share.of for share in each)).value
        for name, each in shares.items()
    }
