from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.sources.place import Place, place_to_ask, place_to_read
from selfrag_cli.sample import HANDBOOK


def test_nothing_named_is_the_sample_handbook_under_whichever_path(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(HANDBOOK)
    assert place_to_ask(None, "").directory == HANDBOOK
    assert place_to_ask(link, "").collection == place_to_read(None).collection
    assert place_to_ask(link, "").is_sample
    assert not place_to_ask(tmp_path, "").is_sample


def test_a_named_collection_is_asked_without_a_directory_and_read_from_one(tmp_path: Path) -> None:
    assert place_to_ask(None, "hr") == Place("hr")
    assert place_to_read(tmp_path, "hr") == Place("hr", tmp_path)
    with pytest.raises(InvalidInput, match="collection hr has no directory"):
        _ = place_to_ask(None, "hr").source


@pytest.mark.parametrize("name", [".hidden", "a/b", "a b", "é", "x" * 64])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match="is not a name"):
        place_to_read(tmp_path, name)
    with pytest.raises(InvalidInput, match="is not a name"):
        place_to_ask(None, name)
