"""Jobs of Amazon Textract, for PDFs in a bucket of its own region.

Only the asynchronous operations are used: they take a PDF of up to 3,000 pages, the others one page. A job starts once
for the same pages, however often the step runs: Textract returns the same job for the same token for seven days, and
the bucket keeps its text for longer.
"""

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from typing_extensions import override

from selfrag.adapters.faults import aws_faults
from selfrag.adapters.objects import S3Objects
from selfrag.domain.errors import BadDocument, RequestRejected, TemporarilyUnavailable
from selfrag.domain.tables import Shown
from selfrag.ports.recognizer import Element, RecognizedPage, Recognizer

SERVICE = "Amazon Textract"
_DONE = {"SUCCEEDED", "PARTIAL_SUCCESS"}
_CODE = re.compile(r"[A-Z_]{3,40}")
# A result is read for this long in one run of the step. A test holds it below the step's timeout.
SECONDS_OF_A_RUN = 60.0
# What an analysis is asked for, by the setting; `lines` are detected without one.
_FEATURES = {"lines": [], "layout": ["LAYOUT"], "tables": ["LAYOUT", "TABLES"]}
_FIELDS = ("BlockType", "Id", "Text", "Confidence", "RowIndex", "ColumnIndex", "EntityTypes", "SelectionStatus")
_LEVELS = {"LAYOUT_TITLE": 1, "LAYOUT_SECTION_HEADER": 2}
_FURNITURE = {"LAYOUT_HEADER", "LAYOUT_FOOTER", "LAYOUT_PAGE_NUMBER"}
# Furniture is left out at this confidence. In the 31 replies with a layout that AWS publishes with its textractor, what
# Textract was less sure of was as often an address or a note.
SURE = 50.0
# A block without its geometry; `named` has the ids of the blocks that it names, by the kind of relationship.
Block = Mapping[str, Any]


class PageAssembly:
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
            fields = {name: block[name] for name in _FIELDS if name in block}
            named = {each["Type"]: each["Ids"] for each in block.get("Relationships") or []}
            # A picture of one page has no numbers.
            self._open.setdefault(int(block.get("Page", 1)), {})[block["Id"]] = {**fields, "named": named}
        return self._closed([number for number, held in self._open.items() if _is_whole(held)])

    def rest(self) -> list[RecognizedPage]:
        """Return the other pages at the end of a result, from what there is of them."""
        return self._closed(list(self._open))

    def _closed(self, numbers: Iterable[int]) -> list[RecognizedPage]:
        pages = [recognized(number, self._open.pop(number)) for number in numbers]
        return [page for page in pages if page.text or page.elements]


class TextractRecognizer(Recognizer):
    """A Recognizer over Textract and a bucket: `NAME.pdf` has the pages, `RESULT.json` their text.

    A result comes in parts of up to a thousand blocks, which take minutes for some hundred pages: `RESULT-read.json`
    has the pages that were read so far, the blocks of those that are not whole, and where the next run goes on.
    `mode` is lines, layout or tables: each is a result, and a job, of its own.
    """

    def __init__(
        self, client: Any, bucket: S3Objects, mode: str = "lines", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._bucket, self._mode, self._clock = client, bucket, mode, clock
        self._features = _FEATURES[mode]

    @override
    def keep(self, name: str, pages: bytes) -> None:
        self._bucket.put(f"{name}.pdf", pages)

    def begin(self, name: str) -> str:
        """Start a job, or return the one that was started with these pages; "" for known pages."""
        if self._bucket.has_json(f"{self._result(name)}.json"):
            return ""
        with aws_faults(SERVICE):
            begun = self._operation("start")(
                DocumentLocation={"S3Object": {"Bucket": self._bucket.bucket, "Name": f"{name}.pdf"}},
                ClientRequestToken=self._result(name),
                **({"FeatureTypes": self._features} if self._features else {}),
            )
        return str(begun["JobId"])

    def outcome(self, name: str, job: str) -> Sequence[RecognizedPage] | None:
        """Return the text of the pages, in their order; None while Textract works, or there is more of it to read."""
        result = self._result(name)
        if not job:
            return [_page(page) for page in self._bucket.get_json(f"{result}.json")]
        pages, parts, token = self._read_before(result, job)
        before, end = token, self._clock() + SECONDS_OF_A_RUN
        while True:
            try:
                reply = self._reply(job, token)
            except TemporarilyUnavailable:
                # What came before it is kept; without any, the state machine retries.
                if token == before:
                    raise
                break
            except RequestRejected:
                # A token that Textract no longer knows: read the result from its beginning.
                if not token:
                    raise
                pages, parts, token = [], PageAssembly(), ""
                break
            if reply["JobStatus"] == "IN_PROGRESS":
                return None
            if reply["JobStatus"] not in _DONE:
                message = reply.get("StatusMessage", "")
                raise BadDocument(f"{SERVICE} gave up on them{f' ({message})' if _CODE.fullmatch(message) else ''}")
            pages += parts.add(reply.get("Blocks", []))
            token = reply.get("NextToken", "")
            if not token:
                pages = sorted([*pages, *parts.rest()], key=lambda page: page.page)
                self._bucket.put_json(f"{result}.json", list(map(_stored, pages)))
                return pages
            if self._clock() > end:
                break
        read = {"job": job, "token": token, "pages": list(map(_stored, pages)), "open": parts.held()}
        self._bucket.put_json(f"{result}-read.json", read)
        return None

    def _result(self, name: str) -> str:
        """Return the name of what is wanted of these pages, as long as a token of Textract may be."""
        source = f"{self._mode} {name}".encode()
        return hashlib.sha256(source).hexdigest() if self._features else name

    def _read_before(self, result: str, job: str) -> tuple[list[RecognizedPage], PageAssembly, str]:
        """Return the pages and blocks that were read of this job, and the token of the next part."""
        where = f"{result}-read.json"
        progress = self._bucket.get_json(where) if self._bucket.has_json(where) else {}
        if progress.get("job") != job:
            return [], PageAssembly(), ""
        return list(map(_page, progress["pages"])), PageAssembly(progress["open"]), progress["token"]

    def _reply(self, job: str, token: str) -> Any:
        more = {"NextToken": token} if token else {}
        with aws_faults(SERVICE):
            return self._operation("get")(JobId=job, **more)

    def _operation(self, verb: str) -> Any:
        return getattr(self._client, f"{verb}_document_{'analysis' if self._features else 'text_detection'}")


def _stored(page: RecognizedPage) -> dict[str, object]:
    return asdict(page)


def _page(stored: Mapping[str, Any]) -> RecognizedPage:
    elements = tuple(Element(**each) for each in stored["elements"])
    return RecognizedPage(**{**stored, "elements": elements})


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
    tables, seen = TextractTables(blocks), set[str]()
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


def named_by(block: Block, blocks: Mapping[str, Block], kind: str = "CHILD") -> list[Block]:
    """Return the blocks that a block names, those left out that never came."""
    return [blocks[each] for each in block["named"].get(kind, ()) if each in blocks]


class TextractTables:
    """The tables of a page by the lines of their cells, for nothing else tells where a table stands."""

    def __init__(self, blocks: Mapping[str, Block]) -> None:
        self._blocks = blocks
        self._left = {key: block for key, block in blocks.items() if block["BlockType"] == "TABLE"}
        self._of_word, self._titles = dict[str, str](), set[str]()
        for key, table in self._left.items():
            for cell in named_by(table, blocks):
                self._of_word |= dict.fromkeys(cell["named"].get("CHILD", ()), key)
            for title in named_by(table, blocks, "TABLE_TITLE"):
                self._titles.update(title["named"].get("CHILD", ()))

    def holds(self, line: Block) -> bool:
        """Return whether all words of a line are in cells."""
        return bool(words := line["named"].get("CHILD")) and all(word in self._of_word for word in words)

    def is_title(self, line: Block) -> bool:
        """Return whether a line is a table's title."""
        return bool(words := line["named"].get("CHILD")) and self._titles.issuperset(words)

    def taken(self, line: Block) -> Iterator[Element]:
        """Yield the tables that hold a line, unless a line before had them."""
        for key in dict.fromkeys(self._of_word[word] for word in line["named"]["CHILD"]):
            if key in self._left:
                yield from self._read(self._left.pop(key))

    def _read(self, table: Block) -> Iterator[Element]:
        """Yield a table; one that names its columns anew between its rows is several.

        Names are the rows of which each cell is a COLUMN_HEADER. A table of names alone is rows without names.
        """
        title = " ".join(map(self._text, named_by(table, self._blocks, "TABLE_TITLE")))
        names, rows = list[Shown](), list[Shown]()
        for is_names, row in self._rows(table):
            if is_names and rows:
                yield Element(title, names=names, rows=rows)
                title, names, rows = "", [], []
            if "".join(text for text, _ in row) != title:
                (names if is_names else rows).append(row)
        if names or rows:
            yield Element(title, names=names if rows else (), rows=rows or names)

    def _rows(self, table: Block) -> Iterator[tuple[bool, Shown]]:
        """Yield each row that has a text of its own, and whether it names columns.

        A cell that was merged says the same in each of its rows.
        """
        cells = {(cell["RowIndex"], cell["ColumnIndex"]): cell for cell in named_by(table, self._blocks)}
        wholes = named_by(table, self._blocks, "MERGED_CELL")
        merged = {each: whole["Id"] for whole in wholes for each in whole["named"].get("CHILD", ())}
        columns = range(1, max((column for _, column in cells), default=0) + 1)
        for at in sorted({row for row, _ in cells}):
            row = {column: cells[at, column] for column in columns if (at, column) in cells}
            kinds = [set(cell.get("EntityTypes", ())) for cell in row.values() if self._text(cell)]
            if not kinds:
                continue
            keys = [row[column]["Id"] if column in row else "" for column in columns]
            shown = [
                (self._text(self._blocks[key]) if key else "", len(list(group)))
                for key, group in groupby(merged.get(key, key) for key in keys)
            ]
            if all("TABLE_SECTION_TITLE" in kind for kind in kinds):
                shown = [(" ".join(filter(None, (text for text, _ in shown))), len(columns))]
            yield all("COLUMN_HEADER" in kind for kind in kinds), shown

    def _text(self, block: Block) -> str:
        """Return what a block says; a ticked box is an X."""
        if block["BlockType"] == "SELECTION_ELEMENT":
            return "X" if block.get("SelectionStatus") == "SELECTED" else ""
        return str(block.get("Text") or " ".join(filter(None, map(self._text, named_by(block, self._blocks)))))
