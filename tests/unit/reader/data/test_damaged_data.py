from selfrag.domain.errors import BadDocument
from selfrag.reader.readers import parse
from tests.support.documents.damaged_data import damaged_data

# What is wrong with these is not the text; or a part of it is whole.
READ = {"cut.jsonl", "far.xlsx", "merged.xlsx", "nan.json", "no-style.xlsx"}


def test_a_damaged_spreadsheet_or_table_is_read_where_it_is_whole_or_refused_with_a_reason():
    told = {name: outcome(name, content) for name, content in damaged_data().items()}
    assert {name for name, outcome in told.items() if outcome == "read"} == READ
    wrong = {name: told[name] for name in told.keys() - READ if not told[name].startswith(f"{name} ")}
    assert wrong == {}
    assert [name for name in told.keys() - READ if not told[name].endswith(".")] == []


def outcome(name, content):
    try:
        return "read" if parse(name, content).text else "empty"
    except BadDocument as refused:
        return str(refused)
