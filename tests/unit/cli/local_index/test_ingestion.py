"""Ingestion of a directory, and updates of the index."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfrag.domain.errors import InvalidInput
from selfrag_cli.terminal import Progress
from tests.support.documents.files import docx, paragraph, pdf
from tests.support.fakes import FakeEmbedder
from tests.unit.cli.local_index.conftest import Write
from tests.unit.cli.local_index.reading import LEAVE, held_by, indexed, ingest, report

pytestmark = pytest.mark.long


def test_only_what_has_changed_is_read_into_the_index(write: Write) -> None:
    directory = write({"a.md": LEAVE, "b/c.txt": "Pay day is the 25th.", "d.html": "<p>Hello</p>", "e.png": "x"})
    assert ingest(directory) == report(added=3, others={".png": 1})
    assert ingest(directory) == report(unchanged=3, others={".png": 1})
    write({"a.md": LEAVE + "It is paid.", "f.text": "New."})
    (directory / "d.html").unlink()
    assert ingest(directory) == report(added=1, changed=1, removed=1, unchanged=1, others={".png": 1})
    assert [document for document, _, _ in indexed(directory)] == ["a.md", "b/c.txt", "f.text"]


def test_pdf_word_and_csv_files_are_read_into_the_index(write: Write) -> None:
    directory = write({"a.pdf": pdf("Paid leave."), "b.docx": docx(paragraph("Sick leave.")), "c.CSV": "City\nOslo\n"})
    assert ingest(directory) == report(added=3)
    assert [text for _, text, _ in indexed(directory)] == ["Paid leave.", "Sick leave.", "City\nCity: Oslo"]


def test_the_report_is_one_line() -> None:
    assert report(added=2, unchanged=1).summary() == "2 added, 0 changed, 0 removed, 1 unchanged, 0 failed"


def test_equal_passages_are_embedded_once(write: Write) -> None:
    embedder = FakeEmbedder()
    section = "# Leave\n\n" + "Leave is 25 days a year. " * 15
    directory, copy = write({"a.md": section, "b.md": section}), write({"other.md": section}, "copy")
    ingest(directory, embedder=embedder)
    ingest(copy, embedder=embedder)
    write({"a.md": section + "\n# Pay\n\n" + "Pay day is the 25th. " * 15})
    ingest(directory, embedder=embedder)
    assert len(embedder.embedded) == len(set(embedder.embedded)) == 2


def test_the_same_content_at_the_same_place_keeps_its_ids(write: Write) -> None:
    directory = write({"a.md": LEAVE, "b.md": LEAVE})
    ingest(directory)
    before = indexed(directory)
    write({"a.md": "Other."})
    ingest(directory)
    write({"a.md": LEAVE})
    ingest(directory)
    assert indexed(directory) == before
    assert len({passage_id for _, _, passage_id in before}) == 2


def test_another_embedder_reads_everything_again(write: Write) -> None:
    directory = write({"a.md": LEAVE})
    ingest(directory)
    assert ingest(directory, embedder=FakeEmbedder("another")) == report(changed=1)


def test_progress_is_reported_only_while_there_is_something_to_do(write: Write) -> None:
    moments: list[Progress] = []
    directory = write({"a.md": LEAVE, "b.md": "x " * 14000, "c.md": LEAVE, "d.md": "", "gone.md": LEAVE})
    ingest(directory, on_document=moments.append)
    reading, embedding = ([moment for moment in moments if moment.phase == phase] for phase in ("Reading", "Embedding"))
    assert moments == reading + embedding
    counts = [moment.done for moment in reading]
    assert (counts, counts[0], counts[-1]) == (sorted(counts), 0, 5)
    assert {moment.total for moment in reading} == {5}
    assert {moment.name for moment in reading} == {"a.md", "b.md", "c.md", "d.md", "gone.md"}
    assert (embedding[-1].done, embedding[-1].share) == (embedding[-1].total, 1)
    moments.clear()
    ingest(directory, on_document=moments.append)
    assert moments == []
    write({"c.md": "New."})
    (directory / "gone.md").unlink()
    ingest(directory, on_document=moments.append)
    # A document that is removed is in no count.
    assert {(moment.phase, moment.total) for moment in moments} == {("Reading", 1), ("Embedding", 1)}


def test_a_directory_may_be_ingested_into_a_collection_with_a_name(write: Write) -> None:
    one, two = write({"a.md": LEAVE}, "one"), write({"b.md": "Pay."}, "two")
    assert ingest(one, collection="hr") == report(added=1)
    assert ingest(one) == report(added=1)
    assert [document for document, _, _ in held_by("hr")] == ["a.md"]
    assert ingest(two, collection="hr", may_replace=lambda another: True) == report(added=1, removed=1)
    assert [document for document, _, _ in held_by("hr")] == ["b.md"]
    for name in ("a/b", "", "..", "x" * 64, "\n"):
        if name:
            with pytest.raises(InvalidInput, match="is not a name"):
                ingest(one, collection=name)


def test_names_that_mean_something_elsewhere_are_only_names(write: Write) -> None:
    names = ["a b+c%41?.md", "#x.md", "日本語.md", "new\nline.md", "back\\slash.md", "a&b=<c>'\".md", "~/%2e%2e.md"]
    directory = write({name: f"# {n}\n\nText {n}." for n, name in enumerate(names)})
    assert ingest(directory) == report(added=len(names))
    assert {document for document, _, _ in indexed(directory)} == set(names)
    assert ingest(directory) == report(unchanged=len(names))
    (directory / names[0]).unlink()
    assert ingest(directory) == report(removed=1, unchanged=len(names) - 1)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    states=st.lists(
        st.dictionaries(st.sampled_from(["a.md", "b.txt", "c.html"]), st.sampled_from(["One.", "Two.", "", "\0"])),
        min_size=1,
        max_size=3,
    )
)
def test_after_any_changes_the_index_holds_what_the_directory_holds(write: Write, states: list[dict[str, str]]) -> None:
    for state in states:
        directory = write({"always.md": "Here."})
        for name in ["a.md", "b.txt", "c.html"]:
            (directory / name).unlink(missing_ok=True)
        write(state)
        ingest(directory)
        good = [("always.md", "Here."), *((name, text) for name, text in state.items() if "." in text)]
        assert [(document, text) for document, text, _ in indexed(directory)] == sorted(good)
