"""Suggested questions lead to the document that they were made of."""

from pathlib import Path

from selfrag_cli.local.index import open_index
from selfrag_cli.local.sources.source import source_to_read
from selfrag_cli.local.stores.manifest import opened_manifest
from tests.unit.cli.local_index.conftest import Write
from tests.unit.cli.local_index.reading import ingest

LENDING = "# Lending of tools\n\nThe lending period lasts two weeks, and tools go back to the shed.\n"


def suggestions(directory: Path) -> dict[str, str | None]:
    with opened_manifest() as manifest:
        source = source_to_read(directory)
        records = manifest.records(source.collection)
    return {source.path_of(key): record.suggestion for key, record in records.items()}


def test_a_document_has_a_question_that_its_words_find_first(write: Write) -> None:
    directory = write({"lending.md": LENDING, "other.md": "# Opening hours\n\nVisits must be announced before noon.\n"})
    ingest(directory)
    assert all(suggestions(directory).values())
    assert open_index().pending_requests == {}, "a trial is no question, whose passages are embedded first"


def test_suggestion_is_withdrawn_when_another_document_answers_better(write: Write) -> None:
    directory = write({"lending.md": LENDING})
    ingest(directory)
    question = suggestions(directory)["lending.md"]
    assert question
    write({"a.md": f"# Lending of tools\n\n{question} Lending of tools, tools, and lending.\n"})
    ingest(directory)
    assert suggestions(directory)["lending.md"] is None
