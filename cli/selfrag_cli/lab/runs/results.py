"""The file of results: an answer a line, appended as it comes, so that a later run asks nothing twice."""

import fcntl
import io
import json
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

from pydantic import BaseModel, ValidationError

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.runs.variants import Variant, VariantConfig


class Head(BaseModel):
    """The first line: the run's own id, and what answers: a directory, a collection or an endpoint."""

    run: str
    source: str


class RunResult(BaseModel):
    """A line: a variant's whole response to a question, and how many seconds it took."""

    variant: str
    way: VariantConfig
    question_id: str
    question: str
    seconds: float
    response: AnswerResponse

    @property
    def usd(self) -> float | None:
        """Cost of the answer in dollars; None where a price is not known."""
        return self.response.usage.cost_usd


Line = TypeVar("Line", Head, RunResult)


class Results:
    """The results of a file that is open; `opened_results` makes it."""

    def __init__(self, file: IO[str], head: Head, stored: Sequence[RunResult]) -> None:
        self.run = head.run
        self._file = file
        self._latest = {(result.variant, result.question_id): result for result in stored}
        self._tries = Counter((result.variant, result.question_id) for result in stored)
        # An answer that failed was paid, too, although a later one replaces it.
        self.spent = sum(result.usd or 0.0 for result in stored)

    def find(self, variant: str, question_id: str) -> RunResult | None:
        """Return the last answer of a variant to a question."""
        return self._latest.get((variant, question_id))

    def key(self, variant: str, question_id: str) -> str:
        """Return the idempotency key of the next try of a question, the same until it has a result."""
        return f"{self.run}.{variant}.{question_id}.{self._tries[variant, question_id]}"

    def add(self, result: RunResult) -> None:
        """Append an answer; it is in the file when this returns."""
        _write(self._file, result)
        self._latest[result.variant, result.question_id] = result
        self._tries[result.variant, result.question_id] += 1
        self.spent += result.usd or 0.0

    def of(self, variant: str) -> list[RunResult]:
        """Return all results of a variant."""
        return [result for (name, _), result in self._latest.items() if name == variant]


def no_results(source: str) -> Results:
    """Return the results of a run that stores nothing."""
    return Results(io.StringIO(), Head(run="", source=source), [])


@contextmanager
def opened_results(path: Path, source: str, variants: Sequence[Variant]) -> Iterator[Results]:
    """Open a file of results, a new one or one to go on with; a line that was cut by a kill is dropped.

    Raises InvalidInput for a file of something else, one of another source or another variant under the same name, and
    one that another command writes to.
    """
    make_folder(path)
    try:
        file = path.open("a+", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    with file:
        _lock(path, file)
        head, stored = _read(path, file)
        if head is None:
            head = Head(run=uuid.uuid4().hex, source=source)
            _write(file, head)
        _refuse_others(path, head, source, stored, variants)
        yield Results(file, head, stored)


def make_folder(path: Path) -> None:
    """Make the folder of a file; raises InvalidInput if it cannot be made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: its folder cannot be made: {error.strerror}.") from error


def _lock(path: Path, file: IO[str]) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InvalidInput(f"Another command writes to {path}: wait for its end, or name another file.") from error


def _read(path: Path, file: IO[str]) -> tuple[Head | None, list[RunResult]]:
    whole = path.read_bytes()
    if not whole:
        return None, []
    complete = whole[: whole.rfind(b"\n") + 1]
    first, *others = complete.split(b"\n")[:-1] or [whole]
    head = _parsed(path, 1, first, Head)
    stored = [_parsed(path, number, line, RunResult) for number, line in enumerate(others, 2)]
    # Only a file that is wholly ours is changed.
    file.truncate(len(complete))
    return head, stored


def _parsed(path: Path, number: int, line: bytes, kind: type[Line]) -> Line:
    try:
        return kind.model_validate_json(line, extra="ignore")
    except ValidationError as error:
        raise InvalidInput(f"{path}, line {number}: it is no result; name another file for the results.") from error


def _refuse_others(
    path: Path, head: Head, source: str, stored: Sequence[RunResult], variants: Sequence[Variant]
) -> None:
    if head.source != source:
        raise InvalidInput(f"{path} holds answers from {head.source}, not from {source}: name another file.")
    ways = {variant.name: variant.way for variant in variants}
    for result in stored:
        if result.way != ways.get(result.variant, result.way):
            parts = result.way.model_dump(exclude_defaults=True)
            described = ", ".join(f"the {name} {json.dumps(value)}" for name, value in parts.items()) or "no policy"
            raise InvalidInput(f"{path} holds answers of {result.variant} with {described}: name another file.")


def _write(file: IO[str], line: BaseModel) -> None:
    file.write(json.dumps(line.model_dump(), ensure_ascii=False) + "\n")
    file.flush()
