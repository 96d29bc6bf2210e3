"""JSON for clients that read it line by line."""

import json
from typing import Any

# Python's splitlines and JavaScript before 2019 end a line at these, which JSON lets stand in a string.
_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


def dump_json(value: Any) -> str:
    """Return a value as JSON on one line, whatever a client takes for the end of a line."""
    return json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)
