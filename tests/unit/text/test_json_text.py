"""JSON for clients that read it line by line."""

import json

from selfrag.text.json_text import dump_json


def test_no_character_of_a_text_ends_the_line() -> None:
    value = {"a": "x\u2028y\u2029z\x85é\n"}
    assert len(dump_json(value).splitlines()) == 1
    assert json.loads(dump_json(value)) == value
    assert "é" in dump_json(value)
