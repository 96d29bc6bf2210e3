"""Traces of executions: the graders' inputs and verdicts, and the end, so that a question can be judged again."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter, ValidationError

from selfrag.domain.calls import JudgedVerdict
from selfrag.domain.errors import InvalidInput
from selfrag.domain.history import Step
from selfrag.domain.passages import Evidence, Passage
from selfrag.question.generate.citations import source_of
from selfrag_cli.local.stores.histories import ExecutionHistory, histories

# The graders' states, each with its folder.
GRADERS = {"GradeRelevance": "grade_relevance", "GradeSupport": "grade_support", "GradeUtility": "grade_utility"}
END = "ComposeAnswer"


class RecordedStep(BaseModel):
    """A state as it ran; `result` is None where it failed."""

    name: str
    task: dict[str, object]
    result: dict[str, object] | None

    @property
    def judged(self) -> list[JudgedVerdict]:
        """Return the verdicts of the model that it rests on."""
        judged = (self.result or {}).get("judged", [])
        return TypeAdapter(list[JudgedVerdict]).validate_python(judged)


class Trace(BaseModel):
    """The question of this id, and the states that judged it, in their order; the last one put the answer together.

    `written_from` are the passages that the writer saw; None without an answer.
    """

    id: str
    question: str
    steps: list[RecordedStep]
    written_from: list[Passage] | None = None


def trace_of(history: ExecutionHistory) -> Trace:
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
        written_from=written_from(history.steps, end.result) if end.result else None,
    )


class _Text(NamedTuple):
    """A text and the passages from which it was written."""

    text: str
    passages: list[Passage]

    @property
    def ids(self) -> set[str]:
        return {passage.passage_id for passage in self.passages}


def written_from(steps: Sequence[Step], response: Mapping[str, Any]) -> list[Passage]:
    """Return the passages as the writer of this answer saw them, each once; none for a direct answer.

    An answer that grew by sentences, or for which several passages voted, has those of all its parts. Where the
    response has no writer's text, as in an abstention, they are those of the last attempt to write one.
    """
    texts = [_text_of(step) for step in steps if step.name == "Generate"]
    answer, cited = response["answer"], {citation["passage_id"] for citation in response["citations"]}
    whole = [text for text in texts if text.text == answer and cited <= text.ids]
    parts = [text for text in texts if text.text and text.text in answer and (cited & text.ids or not text.passages)]
    sources = whole[-1:] or parts or texts[-1:]
    return list({passage.passage_id: passage for text in sources for passage in text.passages}.values())


def _text_of(step: Step) -> _Text:
    task, result = step.task or {}, step.result if isinstance(step.result, dict) else {}
    sources, strips = [] if task.get("mode") == "direct" else task.get("passages", []), task.get("strips") or {}
    return _Text(str(result.get("answer", "")), [_shown(source, strips) for source in sources])


def _shown(passage: Mapping[str, object], selected: Mapping[object, object]) -> Passage:
    """Return a passage with the text that the writer sees of it: its selected strips, or all."""
    strips = selected.get(passage["passage_id"]) or passage.get("strips") or []
    shown = Passage.model_validate(passage, extra="ignore")
    if not strips:
        return shown
    whole = Evidence.model_validate({**passage, "strips": strips}, extra="ignore")
    return shown.model_copy(update={"text": "".join(source_of(whole).blocks), "rows": []})


def last_traces() -> list[Trace]:
    """Return those of the last questions of `selfrag ask`, the latest first."""
    return [trace_of(history) for history in histories()]


def read_traces(path: Path) -> list[Trace]:
    """Read what `selfrag eval` stored, or a history as `selfrag trace --json` or the AWS CLI prints it.

    Raises InvalidInput for a file that cannot be read or holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.") from error
    try:
        whole = json.loads(text)
    except ValueError:
        return [_line(path, number, line) for number, line in enumerate(text.split("\n")[:-1], 1)]
    events = whole.get("events") if isinstance(whole, dict) else whole
    if events is None:
        return [_line(path, 1, text)]
    try:
        return [trace_of(ExecutionHistory("", events))]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path} is no history of an execution.") from error


def _line(path: Path, number: int, line: str) -> Trace:
    try:
        return Trace.model_validate_json(line)
    except ValidationError as error:
        raise InvalidInput(f"{path}, line {number}: it is no trace.") from error


def traces_beside(results: Path) -> Path:
    """Return the path of the traces whose answers are in this file."""
    return results.with_name(results.name.removesuffix(".jsonl").removesuffix(".results") + ".traces.jsonl")


def written_from_beside(results: Path) -> dict[str, list[Passage]]:
    """Return the passages from which each answer in this file was written, by its id, of those that have a trace."""
    path = traces_beside(results)
    traces = read_traces(path) if path.exists() else []
    return {trace.id: trace.written_from for trace in traces if trace.written_from is not None}


@contextmanager
def opened_traces(path: Path) -> Iterator[Callable[[ExecutionHistory], None]]:
    """Yield a function that appends the trace of a history, in any thread; a trace that a kill has cut is dropped.

    Raises InvalidInput if the file cannot be written.
    """
    try:
        file = path.open("ab+")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    with file:
        file.truncate(path.read_bytes().rfind(b"\n") + 1)

        def append(history: ExecutionHistory) -> None:
            # One write: the lines of two threads do not mix in a file that is appended to without a buffer's edge.
            file.write(trace_of(history).model_dump_json().encode() + b"\n")
            file.flush()

        yield append
