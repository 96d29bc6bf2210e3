"""Questions of NoMIRACL with ten passages each: people found all of them irrelevant, or at least one relevant."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from selfrag.domain.errors import InvalidInput
from selfrag.domain.passages import Passage

REPOSITORY, COMMIT = "project-miracl/nomiracl", "9c787daa077ffff9c22395442b91de944256b2f1"
LANGUAGES = ("en", "de", "ja", "ko", "fr", "es")
_FILE = "results/baselines/{}/{}.test.vanilla_prompt.jsonl"
_PROMPT = re.compile(r"QUESTION:\n(.*?)\n\nCONTEXTS:\n(.*?)\s*OUTPUT:\s*$", re.DOTALL)
_NUMBER = re.compile(r"(?:^|\n\n)\[\d+\] ")


@dataclass(frozen=True)
class Row:
    """A question, its passages, whether people found one of them relevant, and the models that declined to answer."""

    id: str
    language: str
    question: str
    passages: tuple[Passage, ...]
    is_answerable: bool
    declined: dict[str, bool]

    @property
    def hash(self) -> str:
        """Return a hash of the id, which orders the rows and parts them into halves."""
        return hashlib.sha256(self.id.encode()).hexdigest()

    @property
    def is_held_out(self) -> bool:
        """Return whether the row is of the half that no threshold is chosen on."""
        return int(self.hash[-1], 16) % 2 == 1


def read_rows(clone: Path, language: str, limit: int | None) -> list[Row]:
    """Read the rows of a language, the first `limit` of each kind by their hash; rows without texts are left out."""
    rows = []
    for kind, is_answerable in (("relevant", True), ("non_relevant", False)):
        path = clone / _FILE.format(kind, language)
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            url = f"https://github.com/{REPOSITORY}"
            raise InvalidInput(f"{path} is not there: `git clone {url}`, at {COMMIT}.") from error
        rows += sorted(_rows(lines, language, is_answerable), key=lambda row: row.hash)[:limit]
    return sorted(rows, key=lambda row: row.hash)


def _rows(lines: Sequence[str], language: str, is_answerable: bool) -> Iterator[Row]:
    for row in map(json.loads, lines):
        if match := _PROMPT.search(row["prompt"] or ""):
            texts = [text.strip() for text in _NUMBER.split(match[2])[1:]]
            passages = tuple(_passage(f"{row['query_id']} {at}", text) for at, text in enumerate(texts))
            declined = {model: "I don't know" in reply for model, reply in row["results"].items()}
            yield Row(row["query_id"], language, match[1].strip(), passages, is_answerable, declined)


def _passage(name: str, text: str) -> Passage:
    title, colon, rest = text.partition(": ")
    return Passage(passage_id=name, document="", title=title if colon else "", text=rest if colon else text)


def shuffle_passages(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with the passages of the next question of the same half, which answer none of them."""
    halves = groupby(sorted(rows, key=lambda row: row.is_held_out), key=lambda row: row.is_held_out)
    shuffled = []
    for _, members in halves:
        half = list(members)
        others = [*half[1:], half[0]]
        shuffled += [replace(row, passages=other.passages) for row, other in zip(half, others, strict=True)]
    return sorted(shuffled, key=lambda row: row.hash)
