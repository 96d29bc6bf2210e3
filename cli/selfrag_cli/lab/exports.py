"""The results of a run in the formats of other tools, a file for each variant.

Ragas: JSON Lines of SingleTurnSample (src/ragas/dataset_schema.py of 0.4); it has no field for more, so `metadata` is
for other readers. DeepEval: a JSON array in the names of LLMTestCase's and Golden's fields (deepeval/dataset of 4.3).
Langfuse: JSON Lines of items as `create_dataset_item` and `run_experiment` of its SDK (5.0) take them.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfrag.domain.errors import InvalidInput
from selfrag.domain.passages import Passage
from selfrag_cli.lab.commands.options import Tool
from selfrag_cli.lab.gold.question_sets import GoldQuestion
from selfrag_cli.lab.metrics.measures import Measured
from selfrag_cli.lab.report import Findings
from selfrag_cli.lab.runs.results import Result

Row = dict[str, Any]
# The passages that the writer of an answer was given, by the answer's id.
WrittenFrom = Mapping[str, Sequence[Passage]]

# The right answer to a question that the documents do not answer, for tools that compare texts.
NO_ANSWER = "The documents do not hold the answer."


@dataclass(frozen=True)
class _Answered:
    """An answer with all that a tool may want of it; `reference` is None where no right answer is known."""

    gold: GoldQuestion
    result: Result
    contexts: list[str]
    metadata: Row

    @property
    def reference(self) -> str | None:
        if self.gold.answerable is False:
            return NO_ANSWER
        return self.gold.answers[0] if self.gold.answers else None


def write_exports(findings: Findings, tools: Collection[Tool], results: Path, written_from: WrittenFrom) -> list[Path]:
    """Write what every variant has answered, beside the file of results; gives the files.

    The contexts of an answer that `written_from` does not know are what it quotes. Raises InvalidInput if a file cannot
    be written.
    """
    stem = results.name.removesuffix(".jsonl").removesuffix(".results")
    written = []
    for variant in findings.results:
        answered = list(_answered(findings, variant, written_from))
        for tool in dict.fromkeys(tools):
            ending, form = _FORMS[tool]
            path = results.with_name(f"{stem}.{variant}.{tool}.{ending}")
            rows = [{name: value for name, value in form(one).items() if value is not None} for one in answered]
            _write(path, rows)
            written.append(path)
    return written


def _answered(findings: Findings, variant: str, written_from: WrittenFrom) -> Iterator[_Answered]:
    rows = zip(findings.questions, findings.results[variant], findings.measures[variant], strict=True)
    for gold, result, measures in rows:
        yield _Answered(gold, result, _contexts(result.response, written_from), _metadata(gold, result, measures))


def _contexts(response: Mapping[str, Any], written_from: WrittenFrom) -> list[str]:
    """Return the texts that the writer was given; where they are not known, the quotes of each passage."""
    given = written_from.get(response["id"])
    if given is not None:
        return [passage.text for passage in given]
    quotes: dict[str, list[str]] = {}
    for cited in response.get("citations", []):
        quotes.setdefault(cited["passage_id"], []).append(cited["quote"])
    return ["\n".join(dict.fromkeys(of_it)) for of_it in quotes.values()]


def _metadata(gold: GoldQuestion, result: Result, measures: Measured) -> Row:
    return {
        "variant": result.variant,
        "question_id": gold.id,
        "answer_id": result.response.get("id"),
        "status": result.response.get("status"),
        "answerable": gold.answerable,
        "kind": gold.kind,
        "answers": list(gold.answers),
        "documents": list(gold.documents),
        "cited_documents": list(dict.fromkeys(one["document"] for one in result.response.get("citations", []))),
        "measures": {name: share.count / share.of for name, share in measures.items() if share.of},
    }


def _ragas(one: _Answered) -> Row:
    return {
        "user_input": one.gold.question,
        "retrieved_contexts": one.contexts,
        "reference_contexts": list(one.gold.passages) or None,
        "response": one.result.response["answer"],
        "reference": one.reference,
        "metadata": one.metadata,
    }


def _deepeval(one: _Answered) -> Row:
    return {
        "name": one.gold.id,
        "input": one.gold.question,
        "actual_output": one.result.response["answer"],
        "expected_output": one.reference,
        "context": list(one.gold.passages) or None,
        "retrieval_context": one.contexts,
        "additional_metadata": one.metadata,
    }


def _langfuse(one: _Answered) -> Row:
    told = {"answer": one.result.response["answer"], "retrieved_contexts": one.contexts}
    return {
        "input": one.gold.question,
        "expected_output": one.reference,
        "metadata": {**told, **one.metadata},
    }


_FORMS: dict[Tool, tuple[str, Callable[[_Answered], Row]]] = {
    Tool.RAGAS: ("jsonl", _ragas),
    Tool.DEEPEVAL: ("json", _deepeval),
    Tool.LANGFUSE: ("jsonl", _langfuse),
}


def _write(path: Path, rows: Sequence[Row]) -> None:
    if path.suffix == ".json":
        text = json.dumps(rows, ensure_ascii=False, indent=1)
    else:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
