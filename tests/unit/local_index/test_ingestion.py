import json
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
from selfrag.errors import InvalidInput, Misconfigured
from selfrag.passages import Bounds
from tests.support.fakes import FakeEmbedder
from tests.support.files import docx, paragraph, pdf

pytestmark = pytest.mark.slow

LEAVE = "# Leave\n\nLeave is 25 days a year.\n"


def report(warnings=(), **counts):
    zero = dict.fromkeys(("added", "changed", "removed", "unchanged", "skipped"), 0)
    return Report(**{**zero, **counts}, warnings=list(warnings))


def ingest(directory, **more):
    return sync(directory, **{"embedder": FakeEmbedder(), **more})


def indexed(directory):
    """What the index holds of a directory: (document, text, id) of each passage."""
    return held_by(collection_of(directory))


def held_by(collection):
    with closing(connect(SCHEMA)) as connection:
        found = EmbeddedIndex(connection).search("", FakeEmbedder().query(""), 10_000, Bounds([collection]))
    return sorted((passage.document, passage.text, passage.passage_id) for passage, _ in found.by_vector)


INGEST = [
    sys.executable,
    "-c",
    """
import sys
from pathlib import Path
from cli.ingest import sync
from tests.support.fakes import FakeEmbedder
for directory in sys.argv[1:]:
    sync(Path(directory), embedder=FakeEmbedder())
""",
]


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def index_ids():
    """The index's own ids of all that it holds."""
    with closing(connect(SCHEMA)) as connection:
        return sorted(own_id for (own_id,) in connection.execute("SELECT id FROM entries"))


def manifest_ids():
    """The index's own ids of all that the manifest knows."""
    with closing(connect()) as connection:
        items = [json.loads(item) for (item,) in connection.execute("SELECT item FROM kept_documents")]
    return sorted(known["S"] for item in items if "ids" in item for known in item["ids"]["M"].values())


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
    directory = write({f"{n:02}.md": LEAVE for n in range(20)})
    told = ingest(directory, progress=lambda *_: (directory / "19.md").unlink(missing_ok=True))
    assert told == report(added=19, warnings=["19.md cannot be read: No such file or directory."])


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
    directory = write({"a.md": LEAVE, "b.md": "x " * 14000, "c.md": LEAVE, "d.md": ""})
    ingest(directory, progress=lambda *what: told.append(what))
    done = [count for count, _, _ in told]
    assert done == sorted(done)
    assert told[0][0] == 0
    assert told[-1][0] == 4
    assert {total for _, total, _ in told} == {4}
    assert {name for _, _, name in told} == {"a.md", "b.md", "b.md, passage 26", "c.md", "d.md"}
    told.clear()
    ingest(directory, progress=lambda *what: told.append(what))
    assert told == []
    write({"c.md": "New."})
    ingest(directory, progress=lambda *what: told.append(what))
    assert {(total, name) for _, total, name in told} == {(1, "c.md")}


def test_what_an_interrupted_ingestion_has_done_is_not_done_again(write):
    embedder = FakeEmbedder()
    directory = write({"a.md": LEAVE, "b.md": " ".join(map(str, range(40000)))})

    def interrupt(done, total, name):
        if name == "b.md, passage 51":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync(directory, interrupt, embedder)
    before = len(embedder.embedded)
    completed = sync(directory, embedder=embedder)
    assert (completed.added + completed.unchanged, completed.warnings) == (2, [])
    assert 0 < before <= len(embedder.embedded) == len(set(embedder.embedded)) == len(indexed(directory))
    assert manifest_ids() == index_ids()


def test_an_ingestion_that_is_killed_in_the_middle_is_completed(write, home):
    """The process dies between what it writes to the index and what it writes to the manifest, again and again."""
    program = """
import os, sys
from pathlib import Path
from cli.aws.manifest import KeptManifest
from cli.ingest import sync
from tests.support.fakes import FakeEmbedder
left, put = int(sys.argv[2]), KeptManifest.put
def dying(self, item):
    global left
    left -= 1
    if left < 0:
        os._exit(9)
    put(self, item)
KeptManifest.put = dying
sync(Path(sys.argv[1]), embedder=FakeEmbedder())
"""
    texts = {f"{n}.md": f"# Document {n}\n\n" + f"It says {n}. " * 40 for n in range(4)}
    directory = write({**texts, "long.txt": " ".join(map(str, range(3000)))})
    for writes in (3, 8):
        command = [sys.executable, "-c", program, str(directory), str(writes)]
        assert subprocess.run(command, env=environment(), check=False, timeout=60).returncode == 9
        write({"0.md": f"# Another\n\nVersion {writes}."})
    ingest(directory)
    held = indexed(directory)
    assert len(held) == len(set(held)) == len({passage_id for _, _, passage_id in held})
    assert [text for document, text, _ in held if document == "0.md"] == ["# Another\n\nVersion 8."]
    assert {document for document, _, _ in held} == {*texts, "long.txt"}
    assert manifest_ids() == index_ids()
    assert ingest(directory) == report(unchanged=5)


def test_what_other_processes_do_meanwhile_is_waited_for(write, tmp_path):
    directory = write({"a.md": "Old."})

    def another_process(done, total, name):
        if not (directory / "b.md").exists():
            write({"b.md": "New too."})
            # Whole, as editors do it: this ingestion reads the file just now, and could find it empty.
            (tmp_path / "new").write_text("New.")
            (tmp_path / "new").replace(directory / "a.md")
            processes.append(subprocess.Popen([*INGEST, str(directory)], env=environment()))

    processes: list[subprocess.Popen[bytes]] = []
    ingest(directory, progress=another_process)
    assert [process.wait(60) for process in processes] == [0]
    assert [(document, text) for document, text, _ in indexed(directory)] == [("a.md", "New."), ("b.md", "New too.")]


def test_processes_that_ingest_at_once_end_with_the_right_index(write):
    contents = {f"{n}.md": f"# Document {n}\n\nIt says {n}." for n in range(5)}
    one, two = write(contents, "one"), write(contents, "two")
    orders = [(one, two), (two, one), (one,)]
    processes = [subprocess.Popen([*INGEST, *map(str, order)], env=environment()) for order in orders]
    assert [process.wait(120) for process in processes] == [0] * 3
    for directory in (one, two):
        assert [(document, text) for document, text, _ in indexed(directory)] == sorted(contents.items())
        assert ingest(directory) == report(unchanged=5)


def test_a_step_that_is_misconfigured_ends_the_command_with_its_sentence(write):
    class Unusable(FakeEmbedder):
        def passages(self, texts):
            raise Misconfigured("The model is not there.")

    directory = write({f"{n}.md": LEAVE for n in range(5)})
    with pytest.raises(Misconfigured, match="The model is not there"):
        sync(directory, embedder=Unusable())
    assert ingest(directory) == report(added=5)


def test_a_step_that_fails_for_one_document_is_a_warning_and_is_tried_again(write):
    class Moody(FakeEmbedder):
        def passages(self, texts):
            if any("Pay" in text for text in texts):
                raise ZeroDivisionError
            return super().passages(texts)

    directory = write({"a.md": LEAVE, "b.md": "Pay day."})
    warning = "b.md: EmbedPassages gave no result (ZeroDivisionError)."
    assert sync(directory, embedder=Moody()) == report(added=1, warnings=[warning])
    assert ingest(directory) == report(added=1, unchanged=1)


def test_a_file_that_cannot_be_read_is_parsed_once_and_warned_of_every_time(write, monkeypatch):
    directory = write({"a.md": LEAVE, "bad.md": b"\xff"})
    first = ingest(directory)
    monkeypatch.setattr("cli.aws.ingestion.ingest_objects", None)
    assert ingest(directory) == report(unchanged=1, warnings=first.warnings)


def test_a_directory_may_be_ingested_into_a_collection_with_a_name(write):
    one, two = write({"a.md": LEAVE}, "one"), write({"b.md": "Pay."}, "two")
    assert ingest(one, collection="hr") == report(added=1)
    assert ingest(one) == report(added=1)
    assert [document for document, _, _ in held_by("hr")] == ["a.md"]
    assert ingest(two, collection="hr") == report(added=1, removed=1)
    assert [document for document, _, _ in held_by("hr")] == ["b.md"]
    for name in ("a/b", "", "..", "x" * 64, "\n"):
        if name:
            with pytest.raises(InvalidInput, match="is not a name"):
                ingest(one, collection=name)


def test_names_that_mean_something_elsewhere_are_only_names(write):
    names = ["a b+c%41?.md", "#x.md", "日本語.md", "new\nline.md", "back\\slash.md", "a&b=<c>'\".md", "~/%2e%2e.md"]
    directory = write({name: f"# {n}\n\nText {n}." for n, name in enumerate(names)})
    assert ingest(directory) == report(added=len(names))
    assert {document for document, _, _ in indexed(directory)} == set(names)
    assert ingest(directory) == report(unchanged=len(names))
    (directory / names[0]).unlink()
    assert ingest(directory) == report(removed=1, unchanged=len(names) - 1)


def test_a_path_that_is_longer_than_a_key_may_be_is_a_warning(write, tmp_path, monkeypatch):
    directory = write({"a.md": LEAVE})
    monkeypatch.chdir(directory)
    for _ in range(5):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    with open("b.md", "w") as file:
        file.write("Deep.")
    told = ingest(directory)
    assert (told.added, len(told.warnings)) == (1, 1)
    assert told.warnings[0].endswith("lies too deep: its path may have no more than 990 bytes.")


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    states=st.lists(
        st.dictionaries(st.sampled_from(["a.md", "b.txt", "c.html"]), st.sampled_from(["One.", "Two.", "", "\0"])),
        min_size=1,
        max_size=3,
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
