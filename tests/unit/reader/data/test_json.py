import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.errors import BadDocument
from selfrag.reader.readers import parse


def rows_of(name, content):
    document = parse(name, content.encode())
    return [(row.name, document.text[row.start : row.end]) for row in document.rows]


def test_array_of_records_is_table_with_values_named_by_path():
    content = (
        '[{"name":"A","address":{"city":"Kobe","tags":["x","y"]},"paid":true,"note":null},{"name":"B","limit":1.10}]'
    )
    assert rows_of("a.json", content) == [
        ("row 1", "name: A; address.city: Kobe; address.tags: x, y; paid: true"),
        ("row 2", "name: B; limit: 1.10"),
    ]


@pytest.mark.parametrize("ending", ["jsonl", "ndjson"])
def test_a_record_of_json_lines_is_found_by_its_line(ending):
    document = parse(f"a.{ending}", b'{"city":"Oslo","limit":140}\n\nno json\n{"city":"Rome","at":[{"floor":1}]}\n')
    assert document.text == "city: Oslo; limit: 140\ncity: Rome; at.1.floor: 1"
    assert [row.name for row in document.rows] == ["line 1", "line 4"]
    assert document.warnings == (f"a.{ending} has lines that are not valid JSON, which were left out: 3.",)


def test_nested_values_are_below_headings_of_their_keys():
    content = (
        '{"title":"Leave","days":25,"rules":{"carry over":{"most":9}},"offices":[{"city":"Oslo"},{"city":"Rome"}]}'
    )
    document = parse("a.json", content.encode())
    assert document.text == "title: Leave\ndays: 25\nrules\ncarry over\nmost: 9\noffices\ncity: Oslo\ncity: Rome"
    assert [(heading.level, heading.text) for heading in document.headings] == [
        (1, "rules"),
        (2, "carry over"),
        (1, "offices"),
    ]


def test_long_text_of_record_is_text_outside_its_row():
    content = '[{"title":"Leave","body":"' + "Leave is paid. " * 100 + '"}]'
    document = parse("a.json", content.encode())
    assert rows_of("a.json", content) == [("row 1", "title: Leave")]
    assert "\nbody: Leave is paid. Leave" in document.text


def test_odd_numbers_and_keys_that_are_written_twice_lose_nothing():
    nines = "9" * 5000
    assert rows_of("a.json", '{"a":1,"a":2,"b":NaN,"c":-Infinity,"d":1e999}') == [
        ("", "a: 1, 2"),
        ("", "b: NaN"),
        ("", "c: -Infinity"),
        ("", "d: 1e999"),
    ]
    assert parse("a.json", f"[{nines}]".encode()).text == nines


def test_halves_of_characters_and_control_characters_are_left_out():
    parse("a.json", b'["\\ud83d lone \\u0000 word"]').text.encode()
    assert parse("a.json", b'["\\ud83d\\ude00 smiles"]').text == "\N{GRINNING FACE} smiles"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.json", "", "a.json is not valid JSON (line 1); correct it."),
        ("a.json", '{"a":\n1', "a.json is not valid JSON (line 2); correct it."),
        ("a.json", "[" * 100_000, "a.json has values nested more than 64 deep; flatten it."),
        ("a.json", "[" * 70 + "1" + "]" * 70, "a.json has values nested more than 64 deep; flatten it."),
        ("a.json", '{"a":' * 70 + "1" + "}" * 70, "a.json has values nested more than 64 deep; flatten it."),
        (
            "a.json",
            "[{}" + ",{}" * 600_000 + "]",
            "a.json has more than 1,000,000 values; split it into several files.",
        ),
        ("a.json", "[[], {}, null]", "a.json holds no words."),
        ("a.jsonl", "one\ntwo\n", "a.jsonl holds no line that is valid JSON; write one value a line."),
        ("a.jsonl", "[" * 100_000, "a.jsonl has values nested more than 64 deep; flatten it."),
    ],
)
def test_json_that_cannot_be_read_is_refused_with_what_to_do(name, content, sentence):
    with pytest.raises(BadDocument) as refused:
        parse(name, content.encode())
    assert str(refused.value) == sentence


_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.text(max_size=60), st.sampled_from(["json", "jsonl"]))
def test_any_text_is_a_document_or_refused(text, ending):
    with suppress(BadDocument):
        assert parse(f"a.{ending}", text.encode(errors="replace")).text


@given(_VALUES, st.sampled_from(["json", "jsonl"]))
def test_any_value_is_a_document_or_holds_no_words(value, ending):
    with suppress(BadDocument):
        document = parse(f"a.{ending}", json.dumps(value).encode())
        assert document.text.encode()
        assert all(0 <= row.start < row.end <= len(document.text) for row in document.rows)
