"""The text that docling's own tests expect of a file, with its tables."""

import json
from collections.abc import Iterator
from typing import Any

from bench.documents.known.areas import Area, Table, cells_of, next_line
from bench.documents.known.pages import Known


def known_of_document(content: bytes) -> Known:
    """Return the text of a DoclingDocument in JSON, in its order; headers and footers of pages are furniture."""
    document = json.loads(content)
    known = Known("")
    for one in _in_order(document, document["body"], set()):
        if one.get("content_layer", "body") != "body":
            continue
        if "data" in one and "table_cells" in one["data"]:
            table = _areas(one["data"]["table_cells"])
            known.tables.append(table)
            if any(area.heading for area in table):
                known.cells += cells_of(table, next_line(known.cells))
            known.text += "\n".join(area.text for area in table) + "\n"
        else:
            known.text += one.get("text", "") + "\n"
    known.furniture = "\n".join(one["text"] for one in document["texts"] if one["content_layer"] != "body")
    return known


def _in_order(document: dict[str, Any], node: dict[str, Any], seen: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the items below a node; the text of a table's cells belongs to the table."""
    for child in node.get("children", []):
        _, kind, number = child["$ref"].split("/")
        if child["$ref"] in seen:
            continue
        seen.add(child["$ref"])
        one = document[kind][int(number)]
        yield one
        if kind == "tables":
            captions = {each["$ref"] for each in one.get("captions", [])}
            one = {"children": [each for each in one["children"] if each["$ref"] in captions]}
        yield from _in_order(document, one, seen)


def _areas(cells: list[dict[str, Any]]) -> Table:
    return [
        Area(
            " ".join(cell["text"].split()),
            cell["start_row_offset_idx"],
            cell["start_col_offset_idx"],
            cell["row_span"],
            cell["col_span"],
            cell["column_header"],
        )
        for cell in cells
    ]
