import pytest

from ingestion.parse_document.readers import parse
from selfrag.domain.errors import BadDocument
from tests.support.documents.damaged_data import damaged_data

FILES = damaged_data()
# What is wrong with these is not the text; or a part of it is whole.
READ = {"cut.jsonl", "far.xlsx", "merged.xlsx", "nan.json", "no-style.xlsx"}


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_damaged_spreadsheet_or_table_is_read_where_it_is_whole_or_refused_with_a_reason(name):
    if name in READ:
        assert parse(name, FILES[name]).text
        return
    with pytest.raises(BadDocument) as refused:
        parse(name, FILES[name])
    assert str(refused.value).startswith(f"{name} ")
    assert str(refused.value).endswith(".")
