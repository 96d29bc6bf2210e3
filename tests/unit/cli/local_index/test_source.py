from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.sources.source import DocumentSource, source_to_ask, source_to_read
from selfrag_cli.sample import HANDBOOK


def test_default_source_is_sample_handbook_even_through_symlink(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(HANDBOOK)
    assert source_to_ask(None, "").directory == HANDBOOK
    assert source_to_ask(link, "").collection == source_to_read(None).collection
    assert source_to_ask(link, "").is_sample
    assert not source_to_ask(tmp_path, "").is_sample


def test_a_named_collection_is_asked_without_a_directory_and_read_from_one(tmp_path: Path) -> None:
    assert source_to_ask(None, "hr") == DocumentSource("hr")
    assert source_to_read(tmp_path, "hr") == DocumentSource("hr", tmp_path)
    with pytest.raises(InvalidInput, match="collection hr has no directory"):
        _ = source_to_ask(None, "hr").required_directory


@pytest.mark.parametrize("name", [".hidden", "a/b", "a b", "é", "x" * 64])
def test_invalid_collection_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match="is not a name"):
        source_to_read(tmp_path, name)
    with pytest.raises(InvalidInput, match="is not a name"):
        source_to_ask(None, name)
