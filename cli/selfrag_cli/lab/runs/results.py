"""The file of results: an answer a line, appended as it comes, so that a later run asks nothing twice."""

import fcntl
import io
import json
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import BaseModel, ValidationError

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.runs.variants import Variant


class Head(BaseModel):
    """The first line: the run's own id, and what is asked, a directory, a collection or an endpoint."""

    run: str
    asked: str


class Result(BaseModel):
    """A line: a variant's whole response to a question, and how many seconds it took; `prompts` are versions.

    `release` is the version of the machine that answered in an account; None where that is not known.
    """

    variant: str
    policy: dict[str, Any]
    profile: str = ""
    prompts: dict[str, str] = {}
    question_id: str
    question: str
    seconds: float
    release: str | None = None
    response: dict[str, Any]

    @property
    def failed(self) -> bool:
        """Return whether a step failed, so that the question is worth another try."""
        return bool(self.response.get("status") == "failed")

    @property
    def usd(self) -> float | None:
        """Cost of the answer in dollars; None where a price is not known."""
        cost = self.response.get("usage", {}).get("cost_usd")
        return None if cost is None else float(cost)


Line = TypeVar("Line", Head, Result)


class Results:
    """The results of a file that is open; made by `opened_results`."""

    def __init__(self, file: IO[str], head: Head, known: Sequence[Result]) -> None:
        self.run = head.run
        self._file = file
        self._known = {(result.variant, result.question_id): result for result in known}
        self._tries = Counter((result.variant, result.question_id) for result in known)
        # An answer that failed was paid, too, and is superseded by a later one.
        self.spent = sum(result.usd or 0.0 for result in known)

    def find(self, variant: str, question_id: str) -> Result | None:
        """Return the last answer of a variant to a question."""
        return self._known.get((variant, question_id))

    def key(self, variant: str, question_id: str) -> str:
        """Return a name for the next try of a question, the same until it has a result."""
        return f"{self.run}.{variant}.{question_id}.{self._tries[variant, question_id]}"

    def add(self, result: Result) -> None:
        """Append an answer; it is in the file when this returns."""
        _write(self._file, result)
        self._known[result.variant, result.question_id] = result
        self._tries[result.variant, result.question_id] += 1
        self.spent += result.usd or 0.0

    def of(self, variant: str) -> list[Result]:
        """Return all that is known of a variant."""
        return [result for (name, _), result in self._known.items() if name == variant]


def no_results(asked: str) -> Results:
    """Return the results of a run that keeps nothing."""
    return Results(io.StringIO(), Head(run="", asked=asked), [])


@contextmanager
def opened_results(path: Path, asked: str, variants: Sequence[Variant]) -> Iterator[Results]:
    """Open a file of results, a new one or one to go on with; a line that was cut by a kill is dropped.

    Raises InvalidInput for a file of something else, one of other documents or another policy under the same name, and
    one that another command writes to.
    """
    try:
        file = path.open("a+", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    with file:
        _lock(path, file)
        head, known = _read(path, file)
        if head is None:
            head = Head(run=uuid.uuid4().hex, asked=asked)
            _write(file, head)
        _refuse_others(path, head, asked, known, variants)
        yield Results(file, head, known)


def _lock(path: Path, file: IO[str]) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InvalidInput(f"Another command writes to {path}: wait for its end, or name another file.") from error


def _read(path: Path, file: IO[str]) -> tuple[Head | None, list[Result]]:
    whole = path.read_bytes()
    if not whole:
        return None, []
    complete = whole[: whole.rfind(b"\n") + 1]
    first, *others = complete.split(b"\n")[:-1] or [whole]
    head = _parsed(path, 1, first, Head)
    known = [_parsed(path, number, line, Result) for number, line in enumerate(others, 2)]
    # Not before all else was found to be ours.
    file.truncate(len(complete))
    return head, known


def _parsed(path: Path, number: int, line: bytes, kind: type[Line]) -> Line:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise InvalidInput(f"{path}, line {number}: it is no result; name another file for the results.") from error


def _refuse_others(path: Path, head: Head, asked: str, known: Sequence[Result], variants: Sequence[Variant]) -> None:
    if head.asked != asked:
        raise InvalidInput(f"{path} holds answers from {head.asked}, not from {asked}: name another file.")
    ways = {variant.name: variant.way for variant in variants}
    for result in known:
        way = result.model_dump(include={"policy", "profile", "prompts"})
        if way != ways.get(result.variant, way):
            told = ", ".join(f"the {part} {json.dumps(it)}" for part, it in way.items() if it) or "no policy"
            raise InvalidInput(f"{path} holds answers of {result.variant} with {told}: name another file.")


def _write(file: IO[str], line: BaseModel) -> None:
    file.write(json.dumps(line.model_dump(), ensure_ascii=False) + "\n")
    file.flush()
