"""The work that is left is estimated in letters, by the documents that were split already."""

from pathlib import Path

from selfrag_cli.local.sources.comparison import Comparison, documents_below
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.sources.progress import Event, Progress
from selfrag_cli.pace import Reading


def progress(directory: Path, told: list[Reading]) -> Progress:
    files = documents_below(directory, "hr")
    return Progress(Place("hr", directory), Comparison({}, files, files.paths, [], {}), told.append)


def read(progress: Progress, path: str, letters: int) -> None:
    key = f"hr/{path}"
    progress(Event(key))
    progress(Event(key, letters=letters))
    progress(Event(key, passage=1, passages=3, embedded=letters))
    progress(Event(key, ended=True))


def test_markup_is_not_taken_for_text_once_pages_of_its_kind_were_split(tmp_path: Path) -> None:
    for name in ("a.html", "b.html", "c.html", "d.txt"):
        (tmp_path / name).write_bytes(b"x" * 10_000)
    told: list[Reading] = []
    one = progress(tmp_path, told)
    read(one, "a.html", 2_000)
    # The text's letters are known by pages alone so far.
    assert (told[-1].letters, told[-1].letters_left) == (2_500, 3 * 2_500)
    read(one, "d.txt", 9_000)
    assert (told[-1].letters, told[-1].letters_left) == (12_000, 2 * 2_500)
    read(one, "b.html", 2_000)
    read(one, "c.html", 2_000)
    assert (told[-1].done, told[-1].letters, told[-1].letters_left) == (4, 17_000, 0)


def test_a_document_that_fails_leaves_no_work(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"x" * 1_000)
    told: list[Reading] = []
    one = progress(tmp_path, told)
    one(Event("hr/a.txt", letters=1_000))
    one(Event("hr/a.txt", ended=True))
    read(one, "b.txt", 1_000)
    assert (told[-1].done, told[-1].letters, told[-1].letters_left) == (2, 2_000, 0)
