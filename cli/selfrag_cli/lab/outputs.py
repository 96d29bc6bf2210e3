"""The files of a run's findings: a page, a line of CSV for each answer, or the columns of Ragas as JSON Lines."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from selfrag.domain.errors import InvalidInput
from selfrag.domain.passages import Passage
from selfrag_cli.lab.findings import Findings, values
from selfrag_cli.lab.measures import Measured
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.responses import Response
from selfrag_cli.lab.runs.results import RunResult
from selfrag_cli.lab.tables import differs, ends, figure, judge_line, verdict_line, words

# The passages from which each answer was written, by its id.
WrittenFrom = Mapping[str, Sequence[Passage]]
# The right answer to a question that the documents do not answer, for tools that compare texts.
NO_ANSWER = "The documents do not hold the answer."


def check_outputs(paths: Sequence[Path]) -> None:
    """Refuse, before anything is asked and paid, what could not be written; raises InvalidInput."""
    for path in paths:
        if path.suffix not in _WRITERS:
            raise InvalidInput(f"--output {path}: name a file that ends in {', '.join(_WRITERS)}.")
        if not path.parent.is_dir():
            raise InvalidInput(f"{path} cannot be written: there is no folder {path.parent}.")


def write_outputs(findings: Findings, paths: Sequence[Path], written_from: WrittenFrom) -> None:
    """Write the findings to each file, by its ending; raises InvalidInput if one cannot be written."""
    for path in paths:
        try:
            _WRITERS[path.suffix](findings, path, written_from)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def _write_page(findings: Findings, path: Path, written_from: WrittenFrom) -> None:
    # It takes a while to load.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("selfrag_cli.lab", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(words=words, figure=figure, verdict=verdict_line, judge=judge_line, ends=ends)
    environment.tests["differing"] = differs
    page = environment.get_template("report.html.j2").render(report=findings.report())
    path.write_text(page, encoding="utf-8")


def _write_csv(findings: Findings, path: Path, written_from: WrittenFrom) -> None:
    """Write a line for each answer, with all measures; empty where a measure is not for a question."""
    names = list(dict.fromkeys(name for of in findings.measures.values() for first in of[:1] for name in first))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "question", "variant", "id", "status", "answer", *names])
        for _, result, measures in _answers(findings):
            response = result.response
            about = [result.question_id, result.question, result.variant, response.id, response.status, response.answer]
            numbers = values(measures)
            writer.writerow([*about, *(numbers.get(name, "") for name in names)])


def _write_ragas(findings: Findings, path: Path, written_from: WrittenFrom) -> None:
    """Write a SingleTurnSample for each answer, and what Ragas has no column for as `metadata`."""
    rows = (_ragas_row(*answer, written_from) for answer in _answers(findings))
    lines = (json.dumps({name: value for name, value in row.items() if value is not None}) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _ragas_row(
    gold: GoldQuestion, result: RunResult, measures: Measured, written_from: WrittenFrom
) -> dict[str, object]:
    response = result.response
    right = NO_ANSWER if gold.answerable is False else next(iter(gold.answers), None)
    return {
        "user_input": gold.question,
        "retrieved_contexts": _contexts(response, written_from),
        "reference_contexts": list(gold.passages) or None,
        "response": response.answer,
        "reference": right,
        "metadata": {
            "variant": result.variant,
            "question_id": gold.id,
            "answer_id": response.id,
            "status": response.status,
            "kind": gold.kind,
            "documents": list(gold.documents),
            "cited_documents": response.documents,
            "measures": values(measures),
        },
    }


def _contexts(response: Response, written_from: WrittenFrom) -> list[str]:
    """Return the texts that the writer saw; of a deployment's answer, which has no trace here, what it quotes."""
    if response.id in written_from:
        return [passage.text for passage in written_from[response.id]]
    return list(dict.fromkeys(citation.quote for citation in response.citations))


def _answers(findings: Findings) -> Iterator[tuple[GoldQuestion, RunResult, Measured]]:
    for variant, results in findings.results.items():
        yield from zip(findings.questions, results, findings.measures[variant], strict=True)


_WRITERS: dict[str, Callable[[Findings, Path, WrittenFrom], None]] = {
    ".html": _write_page,
    ".csv": _write_csv,
    ".jsonl": _write_ragas,
}
