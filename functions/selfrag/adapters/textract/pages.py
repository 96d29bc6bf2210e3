"""Textract's blocks of a page, gathered from the parts of a result, and the text of the page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from selfrag.adapters.textract.tables import Block, Tables, named_by
from selfrag.ports.recognizer import Element, RecognizedPage

_KEPT = ("BlockType", "Id", "Text", "Confidence", "RowIndex", "ColumnIndex", "EntityTypes", "SelectionStatus")
_LEVELS = {"LAYOUT_TITLE": 1, "LAYOUT_SECTION_HEADER": 2}
_FURNITURE = {"LAYOUT_HEADER", "LAYOUT_FOOTER", "LAYOUT_PAGE_NUMBER"}
# Furniture is left out at this confidence. In the 31 replies with a layout that AWS publishes with its textractor, what
# Textract was less sure of was as often an address or a note.
SURE = 50.0


class Pages:
    """The pages of a result that are not whole yet: blocks may come in any order and in any part.

    A page is whole when its PAGE block is there and each block that another one names. So only the blocks of a page or
    two are held, whatever the length of the document.
    """

    def __init__(self, held: Mapping[str, Sequence[Block]] | None = None) -> None:
        self._open = {int(number): {block["Id"]: block for block in blocks} for number, blocks in (held or {}).items()}

    def held(self) -> dict[int, list[Block]]:
        """Return what the next run goes on with, as JSON holds it."""
        return {number: list(blocks.values()) for number, blocks in self._open.items()}

    def add(self, blocks: Iterable[Any]) -> list[RecognizedPage]:
        """Take a part of a result, and return the pages that it makes whole."""
        for block in blocks:
            kept = {name: block[name] for name in _KEPT if name in block}
            named = {each["Type"]: each["Ids"] for each in block.get("Relationships") or []}
            # A picture of one page has no numbers.
            self._open.setdefault(int(block.get("Page", 1)), {})[block["Id"]] = {**kept, "named": named}
        return self._closed([number for number, held in self._open.items() if _is_whole(held)])

    def rest(self) -> list[RecognizedPage]:
        """Return the other pages at the end of a result, from what there is of them."""
        return self._closed(list(self._open))

    def _closed(self, numbers: Iterable[int]) -> list[RecognizedPage]:
        found = [recognized(number, self._open.pop(number)) for number in numbers]
        return [page for page in found if page.text or page.elements]


def _is_whole(blocks: Mapping[str, Block]) -> bool:
    named = (each for block in blocks.values() for ids in block["named"].values() for each in ids)
    return any(block["BlockType"] == "PAGE" for block in blocks.values()) and all(each in blocks for each in named)


def recognized(number: int, blocks: Mapping[str, Block]) -> RecognizedPage:
    """Return the text of a page: its lines, or its elements where Textract tells of its layout."""
    lines = [block for block in blocks.values() if block["BlockType"] == "LINE"]
    if any(block["BlockType"].startswith("LAYOUT_") for block in blocks.values()):
        return RecognizedPage(number, "", _weighed(lines), tuple(_elements(blocks, lines)))
    return RecognizedPage(number, "\n".join(line["Text"] for line in lines), _weighed(lines))


def _elements(blocks: Mapping[str, Block], lines: Sequence[Block]) -> Iterator[Element]:
    """Yield headings, paragraphs and tables; a table stands where the first line of its cells does.

    Textract gives layouts in the order of reading. Those of a list's items come by themselves, beside the list.
    """
    tables, seen = Tables(blocks), set[str]()
    layouts = [block for block in blocks.values() if block["BlockType"].startswith("LAYOUT_")]
    of_none = {"BlockType": "", "named": {"CHILD": [line["Id"] for line in lines]}}
    for layout in [*layouts, of_none]:
        level, text = _LEVELS.get(layout["BlockType"], 0), list[str]()
        left_out = layout["BlockType"] in _FURNITURE and layout["Confidence"] >= SURE
        for line in named_by(layout, blocks):
            if line["BlockType"] != "LINE" or line["Id"] in seen:
                continue
            seen.add(line["Id"])
            if tables.holds(line):
                if text:
                    yield Element("\n".join(text), level)
                    text = []
                yield from tables.taken(line)
            elif not left_out and (level or not tables.is_title(line)):
                text.append(line["Text"])
        if text:
            yield Element("\n".join(text), level)


def _weighed(lines: Sequence[Block]) -> float:
    """Return the confidence of a page: a long line weighs more."""
    letters = sum(len(line["Text"]) for line in lines)
    return round(sum(len(line["Text"]) * line["Confidence"] for line in lines) / letters, 1) if letters else 0.0
