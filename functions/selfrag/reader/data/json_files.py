"""JSON documents: records become rows with values named by path, nested objects become headings."""

import json
import re
from collections.abc import Iterator
from typing import Any

from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument
from selfrag.domain.writing import Writer, list_names

MAX_DEPTH = 64  # of objects and arrays in each other
MAX_VALUES = 1_000_000  # objects, arrays and what divides values; each takes up to 300 bytes
MAX_NAME = 200  # characters of a path; of a longer one the end is shown
_PARAGRAPH = 600  # characters; longer texts of a record follow below it
_OPENING = re.compile(r"[\[{,]")
# Control characters and lone surrogates, which text stores reject.
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_HIGHEST, _LOWEST = 1, 6  # levels of headings


def read_json(key: str, text: str) -> Document:
    """Read an array of objects as a table, other values by key; raises BadDocument."""
    _refuse_too_many(key, text)
    writer = Writer(key)
    try:
        _write(writer, _load(text), _HIGHEST)
    except ValueError as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise BadDocument(f"{key} is not valid JSON{where}; correct it.") from error
    except RecursionError as error:
        raise BadDocument(_too_deep(key)) from error
    return writer.document()


def read_json_lines(key: str, text: str) -> Document:
    """Read a record per line and warn about lines that are not JSON.

    Raises BadDocument if no line is JSON.
    """
    _refuse_too_many(key, text)
    writer, bad, good = Writer(key), list[int](), 0
    with writer.table():
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    _write_record(writer, _load(line), f"line {number}")
                    good += 1
                except ValueError:
                    bad.append(number)
                except RecursionError as error:
                    raise BadDocument(_too_deep(key)) from error
    if bad and not good:
        raise BadDocument(f"{key} holds no line that is valid JSON; write one value a line.")
    if bad:
        writer.warnings.append(f"{key} has lines that are not valid JSON, which were left out: {list_names(bad)}.")
    return writer.document()


def _refuse_too_many(key: str, text: str) -> None:
    if sum(1 for _ in _OPENING.finditer(text)) > MAX_VALUES:
        raise BadDocument(f"{key} has more than {MAX_VALUES:,} values; split it into several files.")


def _too_deep(key: str) -> str:
    return f"{key} has values nested more than {MAX_DEPTH} deep; flatten it."


def _load(text: str) -> Any:
    """Parse JSON; numbers keep their spelling, length and precision."""
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Keep all values of a repeated key."""
    values: dict[str, list[object]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    return {key: each if len(each) > 1 else each[0] for key, each in values.items()}


def _write(writer: Writer, value: Any, level: int, depth: int = 0) -> None:
    """Write a value; nested objects get a heading from their key."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        simple = {name: each for name, each in value.items() if not _is_nested(each)}
        for name, each in simple.items():
            writer.definition(_clean(name)[-MAX_NAME:], _clean(text)) if (text := _format(each)) else None
        for name, each in value.items():
            if name not in simple:
                writer.heading(min(level, _LOWEST), _clean(name))
                _write(writer, each, level + 1, depth + 1)
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        with writer.table():
            for number, each in enumerate(value, 1):
                _write_record(writer, each, f"row {number}")
    else:
        _write_record(writer, value, "")


def _write_record(writer: Writer, value: Any, name: str) -> None:
    """Write a record as a row, and long texts of it below."""
    pairs = [(path, _clean(text)) for path, text in _flatten("", value, 0) if text.strip()]
    short = [(path, text) for path, text in pairs if len(text) <= _PARAGRAPH]
    writer.row([path for path, _ in short], [text for _, text in short], name)
    for path, text in pairs:
        if len(text) > _PARAGRAPH:
            writer.line(f"{path}: {text}" if path else text)


def _flatten(path: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the simple values in a value, with their paths; those of an array that holds no other are one."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _flatten(_join(path, _clean(name)), each, depth + 1)
    elif _is_nested(value):
        for number, each in enumerate(value, 1):
            yield from _flatten(_join(path, str(number)), each, depth + 1)
    else:
        yield path, _format(value)


def _join(path: str, name: str) -> str:
    return (f"{path}.{name}" if path else name)[-MAX_NAME:]


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict | list) for each in value))


def _format(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_format, value)))
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _clean(text: str) -> str:
    return _UNSEEN.sub(" ", text)
