import os
import subprocess
import sys
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.home import connect
from cli.index import SCHEMA, EmbeddedIndex, collection_of
from cli.ingest import Report, sync
from selfrag.errors import InvalidInput
from tests.support.files import docx, paragraph, pdf
from tests.unit.local_index.fakes import FakeEmbedder

LEAVE = "# Leave\n\nLeave is 25 days a year.\n"


def report(warnings=(), **counts):
    zero = dict.fromkeys(("added", "changed", "removed", "unchanged", "skipped"), 0)
    return Report(**{**zero, **counts}, warnings=list(warnings))


def ingest(directory, **more):
    return sync(directory, embedder=FakeEmbedder(), **more)


def indexed(directory):
    """What the index holds of a directory: (document, text, id) of each passage."""
    with closing(connect(SCHEMA)) as connection:
        found = EmbeddedIndex(connection).search("", FakeEmbedder().query(""), 10_000, [collection_of(directory)])
    return sorted((passage.document, passage.text, passage.passage_id) for passage, _ in found.by_vector)


def test_only_what_has_changed_is_read_into_the_index(write):
    directory = write({"a.md": LEAVE, "b/c.txt": "Pay day is the 25th.", "d.html": "<p>Hello</p>", "e.doc": "x"})
    assert ingest(directory) == report(added=3, skipped=1)
    assert ingest(directory) == report(unchanged=3, skipped=1)
    write({"a.md": LEAVE + "It is paid.", "f.text": "New."})
    (directory / "d.html").unlink()
    assert ingest(directory) == report(added=1, changed=1, removed=1, unchanged=1, skipped=1)
    assert [document for document, _, _ in indexed(directory)] == ["a.md", "b/c.txt", "f.text"]


def test_pdf_word_and_csv_files_are_read_into_the_index(write):
    directory = write({"a.pdf": pdf("Paid leave."), "b.docx": docx(paragraph("Sick leave.")), "c.CSV": "City\nOslo\n"})
    assert ingest(directory) == report(added=3)
    assert [text for _, text, _ in indexed(directory)] == ["Paid leave.", "Sick leave.", "City\nCity: Oslo"]


def test_the_report_is_one_line():
    assert report(added=2, unchanged=1).summary() == "2 added, 0 changed, 0 removed, 1 unchanged, 0 skipped"


def test_nothing_is_embedded_twice_across_documents_directories_and_changes(write):
    embedder = FakeEmbedder()
    section = "# Leave\n\n" + "Leave is 25 days a year. " * 15
    directory, copy = write({"a.md": section, "b.md": section}), write({"other.md": section}, "copy")
    sync(directory, embedder=embedder)
    sync(copy, embedder=embedder)
    write({"a.md": section + "\n# Pay\n\n" + "Pay day is the 25th. " * 15})
    sync(directory, embedder=embedder)
    assert len(embedder.embedded) == len(set(embedder.embedded)) == 2


def test_the_same_content_at_the_same_place_keeps_its_ids(write):
    directory = write({"a.md": LEAVE, "b.md": LEAVE})
    ingest(directory)
    before = indexed(directory)
    write({"a.md": "Other."})
    ingest(directory)
    write({"a.md": LEAVE})
    ingest(directory)
    assert indexed(directory) == before
    assert len({passage_id for _, _, passage_id in before}) == 2


def test_another_embedder_reads_everything_again(write):
    directory = write({"a.md": LEAVE})
    ingest(directory)
    assert sync(directory, embedder=FakeEmbedder("another")) == report(changed=1)


def test_a_bad_file_is_a_warning_and_the_others_are_read(write):
    directory = write({"a.md": LEAVE, "bad.md": b"\xff", "empty.txt": "", "nul.html": b"a\0b"})
    assert ingest(directory) == report(
        added=1,
        warnings=[
            "bad.md is not valid UTF-8 (at byte 0); save it as UTF-8 text.",
            "empty.txt holds no words.",
            "nul.html holds a NUL byte, so it is not text; save it as UTF-8 text.",
        ],
    )


def test_a_file_that_is_too_large_is_a_warning(write):
    directory = write({"a.md": LEAVE, "large.txt": b"a" * (10 * 1024 * 1024 + 1)})
    warning = "large.txt is larger than 10 MB; split it into several files."
    assert ingest(directory) == report(added=1, warnings=[warning])


def test_a_file_that_is_gone_before_it_is_read_is_a_warning(write):
    directory = write({"a.md": LEAVE, "b.md": LEAVE})
    told = ingest(directory, progress=lambda *_: (directory / "b.md").unlink(missing_ok=True))
    assert told == report(added=1, warnings=["b.md cannot be read: No such file or directory."])


def test_what_could_not_be_read_of_a_file_is_a_warning_and_the_rest_is_found(write):
    directory = write({"pay.csv": "Name,Pay\nAda,10\nBob,20,30\n"})
    warning = "pay.csv has rows with more values than its first row has names (1 of 2)."
    assert ingest(directory) == report(added=1, warnings=[warning])
    (passage,) = indexed(directory)
    assert passage[1] == "Name, Pay\nName: Ada; Pay: 10\nName: Bob; Pay: 20; column 3: 30"


def test_a_file_that_went_bad_leaves_the_index(write):
    directory = write({"a.md": LEAVE, "b.md": "Good."})
    ingest(directory)
    write({"b.md": b"\xff"})
    gone = ingest(directory)
    assert (gone.removed, gone.unchanged, len(gone.warnings)) == (1, 1, 1)
    assert [document for document, _, _ in indexed(directory)] == ["a.md"]


def test_hidden_files_and_linked_directories_are_not_read(write, tmp_path):
    directory = write({"a.md": LEAVE, ".hidden.md": "No.", ".git/b.md": "No.", "sub/.c/d.md": "No."})
    write({"secret.md": "No."}, "elsewhere")
    (directory / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (directory / "loop").symlink_to(directory, target_is_directory=True)
    assert ingest(directory) == report(added=1)


def test_what_is_no_regular_file_is_skipped(write):
    directory = write({"a.md": LEAVE})
    os.mkfifo(directory / "pipe.md")
    (directory / "broken.md").symlink_to(directory / "nowhere.md")
    assert ingest(directory) == report(added=1, skipped=2)


def test_a_name_that_is_not_utf8_is_a_warning(write):
    directory = write({"a.md": LEAVE})
    try:
        (directory / os.fsdecode(b"caf\xe9.md")).write_text(LEAVE)
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    assert ingest(directory) == report(added=1, warnings=["caf?.md has a name that is not valid UTF-8; rename it."])


def test_a_directory_that_cannot_be_used_is_said_in_one_sentence(write, tmp_path):
    (tmp_path / "empty").mkdir()
    for directory, sentence in {
        tmp_path / "missing": "does not exist.",
        write({"file": "x"}) / "file": "is not a directory.",
        tmp_path / "empty": "holds no document that can be used: it is empty.",
        write({"a.png": "x", "b.doc": "y"}, "others"): (
            "holds no document that can be used: none of its 2 files is of a kind that is read "
            "(.csv, .docx, .htm, .html, .markdown, .md, .pdf, .text, .txt)."
        ),
        write({"b.md": "", "a.md": "\n"}, "bad"): "holds no document that can be used: a.md holds no words.",
    }.items():
        with pytest.raises(InvalidInput) as refused:
            ingest(directory)
        assert str(refused.value) == f"{directory} {sentence}"


def test_a_directory_whose_documents_are_all_gone_leaves_nothing_in_the_index(write):
    directory = write({"a.md": LEAVE})
    ingest(directory)
    (directory / "a.md").unlink()
    with pytest.raises(InvalidInput):
        ingest(directory)
    assert indexed(directory) == []


def test_progress_is_told_only_while_there_is_something_to_do(write):
    told = []
    directory = write({"a.md": LEAVE, "b.md": "x " * 9000, "c.md": LEAVE})
    ingest(directory, progress=lambda *what: told.append(what))
    assert told == [
        (0, 3, "a.md"),
        (1, 3, "b.md, passage 1 of 20"),
        (1, 3, "b.md, passage 9 of 20"),
        (1, 3, "b.md, passage 17 of 20"),
        (2, 3, "c.md"),
        (3, 3, ""),
    ]
    ingest(directory, progress=lambda *what: told.append(what))
    assert len(told) == 6


def test_what_an_interrupted_ingestion_has_embedded_is_not_embedded_again(write):
    embedder, directory = FakeEmbedder(), write({"a.md": LEAVE, "b.md": " ".join(map(str, range(4000)))})

    def interrupt(done, total, name):
        if name.startswith("b.md, passage 17"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync(directory, interrupt, embedder)
    assert [document for document, _, _ in indexed(directory)] == ["a.md"]
    assert sync(directory, embedder=embedder) == report(added=1, unchanged=1)
    assert len(embedder.embedded) == len(set(embedder.embedded)) == len(indexed(directory))


def test_a_file_added_by_another_process_meanwhile_is_not_taken_for_a_removed_one(write):
    directory = write({"a.md": LEAVE})

    def another_process(done, total, name):
        if not (directory / "b.md").exists():
            write({"b.md": "New."})
            ingest(directory)

    ingest(directory, progress=another_process)
    assert [document for document, _, _ in indexed(directory)] == ["a.md", "b.md"]


def test_an_older_reading_of_a_file_does_not_replace_a_newer_one(write):
    directory = write({"a.md": "Old."})

    def another_process(done, total, name):
        if (directory / "a.md").read_text() == "Old.":
            write({"a.md": "New."})
            ingest(directory)

    ingest(directory, progress=another_process)
    assert [text for _, text, _ in indexed(directory)] == ["New."]


def test_processes_that_ingest_at_once_end_with_the_right_index(write, tmp_path):
    program = """
import sys
from pathlib import Path
from cli.ingest import sync
from tests.unit.local_index.fakes import FakeEmbedder
for directory in sys.argv[1:]:
    sync(Path(directory), embedder=FakeEmbedder())
"""
    contents = {f"{n}.md": f"# Document {n}\n\nIt says {n}." for n in range(30)}
    one, two = write(contents, "one"), write(contents, "two")
    orders = [(one, two), (two, one), (one,), (two,)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", program]
    processes = [subprocess.Popen([*command, *map(str, order)], env=environment) for order in orders]
    assert [process.wait() for process in processes] == [0] * 4
    for directory in (one, two):
        assert [(document, text) for document, text, _ in indexed(directory)] == sorted(contents.items())
        assert ingest(directory) == report(unchanged=30)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    states=st.lists(
        st.dictionaries(st.sampled_from(["a.md", "b.txt", "c.html"]), st.sampled_from(["One.", "Two.", "", "\0"])),
        min_size=1,
        max_size=4,
    )
)
def test_after_any_changes_the_index_holds_what_the_directory_holds(write, states):
    for state in states:
        directory = write({"always.md": "Here."})
        for name in ["a.md", "b.txt", "c.html"]:
            (directory / name).unlink(missing_ok=True)
        write(state)
        ingest(directory)
        good = [("always.md", "Here."), *((name, text) for name, text in state.items() if "." in text)]
        assert [(document, text) for document, text, _ in indexed(directory)] == sorted(good)
