from pathlib import Path

import pytest

from cli.lab.bench.synthetic_files import MOST_LETTERS, write_files
from ingestion.parse_document.readers import parse
from ingestion.split_document.pieces import split


@pytest.mark.parametrize("letters", [100, 240, MOST_LETTERS])
def test_made_up_files_have_as_many_passages_as_are_asked_for_and_no_two_are_the_same(
    tmp_path: Path, letters: int
) -> None:
    write_files(tmp_path, 12, 10, letters)
    files = sorted(tmp_path.rglob("*.md"))
    pieces = [piece for file in files for piece in split(parse(f"c/{file.name}", file.read_bytes()))]
    assert (len(files), len(pieces), len({piece.text for piece in pieces})) == (12, 120, 120)
    assert all(letters <= len(piece.text) <= 900 for piece in pieces)


def test_made_up_files_are_the_same_for_the_same_seed_and_others_for_another(tmp_path: Path) -> None:
    for place, seed in (("a", 0), ("b", 0), ("c", 1)):
        write_files(tmp_path / place, 1, 2, 300, seed)
    first, same, other = ((tmp_path / place / "000" / "00000.md").read_text() for place in "abc")
    assert first == same != other
