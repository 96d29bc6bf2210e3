"""Stored answers with their traces, and people's feedback."""

import fcntl
import json
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from selfrag.adapters.feedback import feedback_of
from selfrag.domain.answers import AnswerResponse
from selfrag.domain.calls import JudgedVerdict
from selfrag.domain.errors import InvalidInput
from selfrag.domain.feedback import Feedback
from selfrag.domain.history import Step
from selfrag.domain.passages import Evidence, Passage
from selfrag.question.generate.citations import source_of
from selfrag_cli.local.stores.histories import ExecutionHistory

# The graders' states, each with its folder, and the state that composes the response.
GRADERS = {"GradeRelevance": "grade_relevance", "GradeSupport": "grade_support", "GradeUtility": "grade_utility"}
END = "ComposeAnswer"


class RecordedStep(BaseModel):
    """A state as it ran; `result` is None if it failed."""

    name: str
    task: dict[str, object]
    result: dict[str, Any] | None

    @property
    def judged(self) -> list[JudgedVerdict]:
        """Return the model's verdicts behind the result."""
        return TypeAdapter(list[JudgedVerdict]).validate_python((self.result or {}).get("judged", []))


class Trace(BaseModel):
    """The states that judged a question, in their order; the last one composed the response.

    `written_from` are the passages that the writer saw; None without an answer.
    """

    id: str
    question: str
    steps: list[RecordedStep]
    written_from: list[Passage] | None = None


class VariantConfig(BaseModel):
    """The identity of a variant: the policy's changed fields, the profile, and the versions of its prompts."""

    policy: dict[str, JsonValue] = {}
    profile: str = ""
    prompts: dict[str, str] = {}


class Head(BaseModel):
    """The first line of results: the run's own id, and what answers: a directory, a collection or an endpoint."""

    run: str
    source: str


class RunResult(BaseModel):
    """A line of results: a variant's whole response to a question, how many seconds it took, and how it came about.

    A deployment gives no trace.
    """

    variant: str
    way: VariantConfig
    question_id: str
    question: str
    seconds: float
    response: AnswerResponse
    trace: Trace | None = None

    @property
    def usd(self) -> float | None:
        """Return the cost of the answer in dollars; None if a price is unknown."""
        return self.response.usage.cost_usd

    @property
    def written_from(self) -> list[Passage] | None:
        """Return the passages that the writer saw; None without a trace."""
        return self.trace.written_from if self.trace else None


Line = TypeVar("Line", Head, RunResult)


class Results:
    """The results of a file that is open; `open_results` creates it."""

    def __init__(self, file: IO[str], head: Head, stored: Sequence[RunResult]) -> None:
        self.run = head.run
        self._file = file
        self._latest = {(result.variant, result.question_id): result for result in stored}
        self._tries = Counter((result.variant, result.question_id) for result in stored)
        # A failed answer was paid, too, although a later one replaces it.
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

    def costs(self) -> list[float]:
        """Return the known costs of the answers."""
        return [result.usd for result in self._latest.values() if result.usd is not None]


@contextmanager
def open_results(path: Path, source: str, ways: Mapping[str, VariantConfig]) -> Iterator[Results]:
    """Open a file of results, a new one or one to continue; a line that a kill has cut is dropped.

    Raises InvalidInput for a file of something else, one of another source or another variant of the same name, and
    one that another command writes to.
    """
    make_folder(path)
    try:
        file = path.open("a+", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InvalidInput(f"Another command writes to {path}: wait for its end, or name another file.") from error
        if whole := path.read_bytes():
            head, stored = _parse_results(path, whole)
            # Only a file that is wholly ours is changed.
            file.truncate(whole.rfind(b"\n") + 1)
        else:
            head, stored = Head(run=uuid.uuid4().hex, source=source), []
            _write(file, head)
        if head.source != source:
            raise InvalidInput(f"{path} holds answers from {head.source}, not from {source}: name another file.")
        for result in stored:
            if result.way != ways.get(result.variant, result.way):
                parts = result.way.model_dump(exclude_defaults=True)
                other = ", ".join(f"the {name} {json.dumps(value)}" for name, value in parts.items()) or "no policy"
                raise InvalidInput(f"{path} holds answers of {result.variant} with {other}: name another file.")
        yield Results(file, head, stored)


def make_folder(path: Path) -> None:
    """Create the folder of a file; raises InvalidInput if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: its folder cannot be made: {error.strerror}.") from error


def _parse_results(path: Path, whole: bytes) -> tuple[Head, list[RunResult]]:
    """Return the lines of results; a last line without an end was cut by a kill."""
    first, *others = whole.split(b"\n")[:-1] or [whole]
    head = _parse(path, 1, first, Head)
    return head, [_parse(path, number, line, RunResult) for number, line in enumerate(others, 2)]


def _parse(path: Path, number: int, line: bytes, kind: type[Line]) -> Line:
    try:
        return kind.model_validate_json(line, extra="ignore")
    except ValidationError as error:
        raise InvalidInput(f"{path}, line {number}: it is no result; name another file for the results.") from error


def _write(file: IO[str], line: BaseModel) -> None:
    file.write(json.dumps(line.model_dump(), ensure_ascii=False) + "\n")
    file.flush()


def build_trace(history: ExecutionHistory) -> Trace:
    """Return the part of an execution's history that judging it again needs."""
    steps = [
        RecordedStep(name=step.name, task=step.task, result=step.result if isinstance(step.result, dict) else None)
        for step in history.steps
        if step.name in (*GRADERS, END) and isinstance(step.task, dict)
    ]
    end = steps[-1] if steps and steps[-1].name == END else RecordedStep(name=END, task={}, result=None)
    return Trace(
        id=str(end.task.get("id", "")),
        question=str(end.task.get("question", "")),
        steps=steps,
        written_from=_find_written_from(history.steps, end.result) if end.result else None,
    )


def _find_written_from(steps: Sequence[Step], response: Mapping[str, Any]) -> list[Passage]:
    """Return the passages as the writer of this answer saw them, each once; none for a direct answer.

    An answer of several parts (sentences, or votes of passages) has the passages of all its parts. A response without
    the writer's text, such as an abstention, has those of the last attempt.
    """
    texts = []
    for step in steps:
        if step.name == "Generate":
            task, result = step.task or {}, step.result if isinstance(step.result, dict) else {}
            strips = task.get("strips") or {}
            sources = [] if task.get("mode") == "direct" else task.get("passages", [])
            passages = {source["passage_id"]: _writer_passage(source, strips) for source in sources}
            texts.append((str(result.get("answer", "")), passages))
    answer, cited = response["answer"], {citation["passage_id"] for citation in response["citations"]}
    whole = [passages for text, passages in texts if text == answer and cited <= passages.keys()]
    parts = [p for text, p in texts if text and text in answer and (cited & p.keys() or not p)]
    last = [passages for _, passages in texts[-1:]]
    selected = whole[-1:] or parts or last
    return list({name: passage for passages in selected for name, passage in passages.items()}.values())


def _writer_passage(passage: Mapping[str, object], selected: Mapping[object, object]) -> Passage:
    """Return a passage with the text that the writer sees of it: its selected strips, or all."""
    strips = selected.get(passage["passage_id"]) or passage.get("strips") or []
    visible = Passage.model_validate(passage, extra="ignore")
    if not strips:
        return visible
    whole = Evidence.model_validate({**passage, "strips": strips}, extra="ignore")
    return visible.model_copy(update={"text": "".join(source_of(whole).blocks), "rows": []})


def read_traces(path: Path) -> list[Trace]:
    """Return the traces of a file of results, or of a history as `selfrag trace --json` or the AWS CLI prints it.

    Raises InvalidInput for a file that cannot be read or contains something else.
    """
    text = _read_text(path)
    try:
        whole = json.loads(text)
    except ValueError:
        _, stored = _parse_results(path, text.encode())
        return [result.trace for result in stored if result.trace]
    try:
        return [build_trace(ExecutionHistory("", whole["events"] if isinstance(whole, dict) else whole))]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path} is no history of an execution.") from error


def read_feedback(path: Path) -> list[Feedback] | None:
    """Return people's feedback: items of its table as `aws dynamodb scan` prints them, or one item a line.

    None if the file contains something else. Raises InvalidInput for a file that cannot be read, and Unreadable for
    feedback of another version.
    """
    text = _read_text(path)
    try:
        whole = json.loads(text)
    except ValueError:
        try:
            items = [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError:
            return None
    else:
        items = whole["Items"] if isinstance(whole, dict) and "Items" in whole else [whole]
    if not items or not all(isinstance(item, dict) and isinstance(item.get("question_id"), dict) for item in items):
        return None
    feedback = [feedback_of(item) for item in items]
    # DynamoDB deletes expired items within days, not at the moment.
    return [item for item in feedback if item.expires_at > time.time()]


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.") from error
