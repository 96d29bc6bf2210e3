"""The report lists every file of a directory exactly once."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfrag_cli.local.sources.report import NothingUsable
from selfrag_cli.local.sources.source import documents_below, source_to_read
from tests.support.fakes import FakeEmbedder
from tests.support.reading import sync
from tests.unit.cli.local_index.conftest import Write
from tests.unit.cli.local_index.reading import LEAVE, indexed, ingest, report

pytestmark = pytest.mark.long

KINDS: dict[str, bytes] = {".md": b"Good.", ".txt": b"", ".png": b"x", ".TAR": b"x", "": b"x", ".link": b""}


def test_the_report_says_what_became_of_every_kind_of_file(write: Write) -> None:
    directory = write({"a.md": LEAVE, "b.xlsy": "x", "c.xlsy": "x", "d.zipy": "x", "README": "x", "bad.txt": b""})
    os.mkfifo(directory / "pipe.md")
    (directory / "linked.md").symlink_to(directory / "a.md")
    assert ingest(directory).summary() == (
        "1 added, 0 changed, 0 removed, 0 unchanged, 1 failed, 1 unreadable, "
        "4 of other kinds (.xlsy 2, without an ending 1, .zipy 1), 1 link not followed"
    )


def test_known_unsupported_kind_gets_advice(write: Write) -> None:
    directory = write({"a.md": LEAVE, "b.doc": "x", "c.DOC": "x", "d.zip": "x", "e.png": "x"})
    told = ingest(directory)
    assert told.others == {".doc": 2, ".zip": 1, ".png": 1}
    assert told.warnings == [
        "2 files ending in .doc are not read: a Word document of the old kind; save it as .docx.",
        "1 file ending in .zip is not read: an archive; unpack it, and add the files that it holds.",
    ]
    # They are no documents that could not be read.
    assert told.not_read == 0


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.sets(st.sampled_from(list(KINDS))), second=st.sets(st.sampled_from(list(KINDS))))
def test_every_file_is_in_one_count_and_no_other(write: Write, first: set[str], second: set[str]) -> None:
    for endings in (first, second):
        directory = write({"always.md": LEAVE})
        for found in set(directory.iterdir()) - {directory / "always.md"}:
            found.unlink()
        for ending in endings:
            if ending == ".link":
                (directory / "f.link").symlink_to("/etc/hosts")
            else:
                write({f"f{ending}": KINDS[ending]})
        told = ingest(directory)
        counted = told.added + told.changed + told.unchanged + told.failed + told.unreadable + told.links
        assert counted + sum(told.others.values()) == 1 + len(endings)


def test_an_emptied_directory_says_how_many_were_removed(write: Write) -> None:
    directory = write({"a.md": LEAVE, "b.md": "Pay."})
    ingest(directory)
    for name in ("a.md", "b.md"):
        (directory / name).unlink()
    with pytest.raises(NothingUsable, match=r"holds no document that can be used any more: it is empty\.$") as emptied:
        ingest(directory)
    assert emptied.value.report == report(removed=2)
    assert indexed(directory) == []


def test_a_plan_says_what_would_be_done_and_does_nothing(write: Write, home: Path) -> None:
    directory = write({"a.md": LEAVE, "b.md": "Pay.", "c.md": "Tea.", "bad.md": b""})
    ingest(directory)
    write({"a.md": "Other.", "new.md": "New.", "x.png": "x"})
    (directory / "b.md").unlink()
    before = (home / "selfrag.sqlite3").read_bytes()
    embedder = FakeEmbedder()
    planned = sync(source_to_read(directory), embedder=embedder, is_trial=True)
    assert planned.plan == ["change a.md", "add new.md", "remove b.md"]
    assert (home / "selfrag.sqlite3").read_bytes() == before
    assert embedder.embedded == []
    done = ingest(directory)
    assert replace(planned, plan=[]) == done == report(
        added=1, changed=1, removed=1, unchanged=1, failed=1, others={".png": 1},
        warnings=["bad.md holds no words."],
    )  # fmt: skip


def test_a_plan_of_what_was_never_read_remembers_no_directory(write: Write) -> None:
    one, two = write({"a.md": LEAVE}, "one"), write({"b.md": "Pay."}, "two")
    sync(source_to_read(one, "hr"), embedder=FakeEmbedder(), is_trial=True)
    assert ingest(two, collection="hr") == report(added=1)


@pytest.mark.parametrize("inside", [True, False], ids=["within the directory", "out of the directory"])
@pytest.mark.parametrize("of", ["a file", "a directory"])
def test_no_link_is_followed_of_either_kind(write: Write, tmp_path: Path, of: str, inside: bool) -> None:
    directory = write({"a.md": LEAVE, "sub/b.md": "Pay."})
    elsewhere = directory / "sub" if inside else write({"b.md": "Secret."}, "elsewhere")
    target = elsewhere / "b.md" if of == "a file" else elsewhere
    (directory / "link.md").symlink_to(target)
    assert documents_below(directory, "hr").paths == ["a.md", "sub/b.md"]
    assert documents_below(directory, "hr").links == 1


def test_links_in_a_circle_end(write: Write) -> None:
    directory = write({"a.md": LEAVE})
    (directory / "loop").symlink_to(directory)
    (directory / "x.md").symlink_to(directory / "y.md")
    (directory / "y.md").symlink_to(directory / "x.md")
    assert ingest(directory) == report(added=1, links=3)


def test_one_line_warns_that_documents_could_not_be_read(write: Write) -> None:
    directory = write({"a.md": LEAVE, "b d.md": b"", "c.md": b""})
    place = source_to_read(directory)
    told = ingest(directory)
    assert told.brief_lines(place) == [f"2 documents could not be read; see `selfrag documents --docs {directory}`"]
    for name in ("b d.md", "c.md"):
        (directory / name).unlink()
    assert ingest(directory).brief_lines(place) == []
