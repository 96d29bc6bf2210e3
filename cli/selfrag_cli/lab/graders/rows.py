"""Rows that people labelled, one a line in JSON, and what each grader's step makes of them."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError, field_validator

from selfrag.domain.decisions import YES
from selfrag.domain.errors import InvalidInput
from selfrag.domain.passages import Passage
from selfrag.domain.verdicts import RelevanceVerdict, RetrievalVerdict, SupportVerdict, UtilityVerdict
from selfrag.text.language import language_of
from selfrag_cli.lab.graders.figures import Outcome

UNGRADED = "ungraded"
# The classes of a row's length end at so many characters.
LENGTHS = (500, 2_000)
# The lowest score of IsUse with which an answer goes out, by default.
USEFUL = 3


class LabelledRow(BaseModel):
    """A case and the label that people gave it."""

    label: str
    claim: str = ""
    passages: list[str] = []
    question: str = ""
    answer: str = ""
    right: list[str] = []
    id: str = ""
    lang: str = ""

    @property
    def identity(self) -> str:
        """Return its id, else a hash of its texts."""
        texts = self.model_dump_json(exclude={"label", "id", "lang"})
        return self.id or hashlib.sha256(texts.encode()).hexdigest()

    @property
    def language(self) -> str:
        """Return its language, as it says or as its words look."""
        return self.lang or language_of(self.claim or self.question)

    @property
    def length(self) -> str:
        """Return the length of all its texts, as one of three classes."""
        characters = sum(map(len, (self.question, self.claim, self.answer, *self.passages)))
        return next((f"up to {most:,}" for most in LENGTHS if characters <= most), f"over {LENGTHS[-1]:,}")

    @property
    def material(self) -> list[dict[str, object]]:
        """Return the passages as a task has them, with their numbers as ids."""
        numbered = [(str(at), text) for at, text in enumerate(self.passages, 1)]
        return [Passage(passage_id=at, document=at, text=text).model_dump() for at, text in numbered]

    @field_validator("label", mode="before")
    @classmethod
    def _as_text(cls, label: Any) -> Any:
        return str(label) if isinstance(label, int) else label


@dataclass(frozen=True)
class Kind:
    """A grader's labels, the best first, those that let an answer or passage go on, and the fields that it needs."""

    labels: tuple[str, ...]
    passing: tuple[str, ...]
    needs: tuple[str, ...]
    task: Callable[[LabelledRow], dict[str, object]]
    label: Callable[[Mapping[str, object]], str]

    def outcome(self, people: str, verdict: Mapping[str, Any]) -> Outcome | None:
        """Return a verdict against people's label, with its probabilities if it has some; None for an ungraded one.

        The confidence of Retrieve is the probability of its label, whichever that is.
        """
        label, confidence = self.label(verdict), verdict.get("probability")
        probability = (verdict.get("probabilities") or {}).get(YES, confidence)
        if label == UNGRADED:
            return None
        return Outcome(people in self.passing, label in self.passing, probability, confidence)


def _support_label(fields: Mapping[str, object]) -> str:
    """Return IsSup's level as a label; of no support, whether a passage denies it."""
    verdict = SupportVerdict.model_validate(fields)
    denied = any(claim.support == "contradicted" for claim in verdict.claims)
    levels = {"fully_supported": "supported", "partially_supported": "partial", "ungraded": UNGRADED}
    return levels.get(verdict.level or "ungraded", "contradicted" if denied else "unsupported")


KINDS: dict[str, Kind] = {
    "grade_support": Kind(
        ("supported", "partial", "unsupported", "contradicted"),
        ("supported",),
        ("claim", "passages"),
        lambda row: {"question": row.question, "answer": row.claim, "passages": row.material},
        _support_label,
    ),
    "grade_relevance": Kind(
        ("relevant", "irrelevant"),
        ("relevant",),
        ("question", "passages"),
        lambda row: {"question": row.question, "passage": row.material[0]},
        lambda verdict: RelevanceVerdict.model_validate(verdict).label,
    ),
    "decide_retrieval": Kind(
        ("yes", "no"),
        ("yes",),
        ("question",),
        lambda row: {"question": row.question},
        lambda verdict: RetrievalVerdict.model_validate(verdict).decision,
    ),
    "grade_utility": Kind(
        ("5", "4", "3", "2", "1"),
        tuple(str(score) for score in range(USEFUL, 6)),
        ("question", "answer"),
        lambda row: {"question": row.question, "answer": row.answer},
        lambda verdict: str(UtilityVerdict.model_validate(verdict).score or UNGRADED),
    ),
    "grade_correctness": Kind(
        ("yes", "partly", "no"),
        ("yes",),
        ("question", "right", "answer"),
        lambda row: {"question": row.question, "right": row.right, "answer": row.answer},
        lambda verdict: str(verdict["says"] or UNGRADED),
    ),
}


def read_rows(path: Path, step: str) -> list[LabelledRow]:
    """Read the rows of a file for a grader; raises InvalidInput with the number of a line that it cannot judge."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.") from error
    rows = [_row(f"{path}, line {number}", line, KINDS[step]) for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise InvalidInput(f"{path} holds no row.")
    return rows


def _row(where: str, line: str, kind: Kind) -> LabelledRow:
    try:
        row = LabelledRow.model_validate_json(line)
    except ValidationError as error:
        raise InvalidInput(f"{where}: it is no row: {error.errors()[0]['msg']}.") from error
    if row.label not in kind.labels:
        raise InvalidInput(f"{where}: the label {row.label!r} is none of {', '.join(kind.labels)}.")
    missing = [name for name in kind.needs if not getattr(row, name)]
    if missing:
        raise InvalidInput(f"{where}: {' and '.join(missing)} is missing.")
    return row
