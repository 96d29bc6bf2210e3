"""Files of tokens that parsers find hard, read by the contained readers and split, with their seconds and memory."""

import base64
import json
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from selfrag.domain.errors import BadDocument
from selfrag.ingestion.split_document.logic import SplitDocumentTask, split_into_batches
from selfrag.reader.files import read_guarded
from selfrag.reader.processes import pool
from selfrag.reader.processes.pool import POOL
from selfrag_cli.local.stores.objects import LocalObjects
from tests.support.documents.files import docx, paragraph, pdf
from tests.support.documents.office import epub, odf, pptx, shape
from tests.support.documents.workbooks import cell, ods, ods_table, xlsx

TOKENS = (
    *("a", "A", "1", "9.", " ", "\t", "\n", "\r\n", "\n\n", "a ", "a\n", "- ", "* a\n", "1. ", "# "),
    *("#\n", "> ", "==\n", "...", "!?", '."', "e.g. ", "Dr. ", "1,", "1.1", "[$", "[", "]", "](", "!["),
    *("[a](", "(", ")(", "{", "}{", '{"a":', "|", "|-", "a|b\n", "`", "```\n", "**", "_a_", "~~", "<"),
    *("<a ", "<p>", "<b", "</", "<!--", "&", "&amp;", "&#", '"', '","', ";", "é", "年。"),
)  # fmt: skip
_FORMAT = (
    "<numFmts><numFmt numFmtId='164' formatCode={}/></numFmts><cellXfs><xf numFmtId='0'/><xf numFmtId='164'/></cellXfs>"
)
_PAGE = 10_000  # characters
_CELL = 32_000  # characters; Excel allows some more
_HEAD = b"Subject: Words\nFrom: a@example.com\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
ODT = "application/vnd.oasis.opendocument.text"
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


_WORDS = ("the", "museum", "lends", "books", "and", "games", "to", "each", "person", "who", "lives", "here")


@dataclass(frozen=True)
class Measured:
    """The result for a file: the reason if it is not a document, CPU seconds, and peak megabytes."""

    key: str
    reason: str
    passages: int
    seconds: float
    megabytes: float
    split_seconds: float


def hostile(kind: str, token: str, size: int) -> bytes:
    """Return a file that holds so many bytes of a token."""
    return {**KINDS, **MORE_KINDS}[kind](token * (size // len(token.encode())))


def measured(key: str, content: bytes) -> Measured:
    """Read a file in a worker process, and split it if it is a document."""
    reason, passages = "", 0
    with _most_resident(1 << 40):  # for the memory of a worker that the pool has ended is not known
        before, document = _worker(), None
        try:
            document = read_guarded(key, content)
        except BadDocument as error:
            reason = str(error)
        spent, megabytes = _spent(before)
    POOL.give_back(POOL.take())
    began = time.process_time()
    if document:
        objects = LocalObjects()
        objects.put_json("document.json", asdict(document))
        task = SplitDocumentTask(key=key, document_id="d", collection="c", generation="g", document_key="document.json")
        try:
            passages = split_into_batches(task, objects).passages
        except BadDocument as error:
            reason = str(error)
    return Measured(key, reason, passages, spent, megabytes, time.process_time() - began)


def summary(files: Iterable[Measured]) -> str:
    """Return in a line how many files were read and refused, the slowest one, and the most memory."""
    files = list(files)
    slowest, largest = max(files, key=lambda file: file.seconds), max(files, key=lambda file: file.megabytes)
    split = max(files, key=lambda file: file.split_seconds)
    counted = Counter(bool(file.reason) for file in files)
    return (
        f"{len(files)} files: {counted[False]} read, {counted[True]} refused; slowest {slowest.key!r} "
        f"{slowest.seconds:.2f} s, largest {largest.key!r} {largest.megabytes:.0f} MB, slowest to split "
        f"{split.key!r} {split.split_seconds:.2f} s"
    )


@contextmanager
def _most_resident(size: int) -> Iterator[None]:
    usual, pool.MAX_RESIDENT = pool.MAX_RESIDENT, size
    try:
        yield
    finally:
        pool.MAX_RESIDENT = usual


def _worker() -> tuple[int, float]:
    """Return an idle worker's process, its memory counted anew, and the seconds of it and of those that have ended."""
    worker = POOL.take()
    POOL.give_back(worker)
    process = worker._process.pid
    Path(f"/proc/{process}/clear_refs").write_text("5")
    return process, _seconds(process) + _ended_seconds()


def _spent(before: tuple[int, float]) -> tuple[float, float]:
    """Return the seconds since then, and the most megabytes; of a worker that was ended those of any that was."""
    process, seconds = before
    try:
        status = Path(f"/proc/{process}/status").read_text()
        alive = _seconds(process)
        most = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        alive, most = 0.0, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return alive + _ended_seconds() - seconds, most / 1024


def _seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _ended_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _cut(text: str, size: int) -> Iterable[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def _workbook(text: str, code: str) -> bytes:
    """Return a workbook with the text in cells as long as Excel allows, and a number of this format."""
    cells = [cell("A1", "Name"), *(cell(f"A{row}", part) for row, part in enumerate(_cut(text, _CELL), 2))]
    rows = [f'<row r="{row}">{each}</row>' for row, each in enumerate([*cells, cell(f"A{len(cells) + 1}", 5.5, 1)], 1)]
    styles = f"<styleSheet {MAIN}>{_FORMAT.format(quoteattr(code))}</styleSheet>"
    return xlsx({"S": "".join(rows)}, styles=styles)


def _markup(text: str) -> str:
    return escape(text.replace("\r", "&#13;"))


# A file by its ending, or by more of its name where a kind has its text in several places.
KINDS: dict[str, Callable[[str], bytes]] = {
    "txt": lambda text: f"words {text}".encode(),
    "md": lambda text: f"# Words\n\nwords {text}".encode(),
    "html": lambda text: f"<!DOCTYPE html><title>Words</title><p>words {text}".encode(),
    "eml": lambda text: _HEAD + f"\nwords {text}".encode(),
    "csv": lambda text: f"name,text\nwords,{text}".encode(),
    "json": lambda text: json.dumps({"name": "words", "text": text}, ensure_ascii=False).encode(),
    "xlsx": lambda text: _workbook(text[: len(text) // 2], text[len(text) // 2 :]),
    "docx": lambda text: docx(paragraph(_markup(f"words {text}"))),
}
MORE_KINDS: dict[str, Callable[[str], bytes]] = {
    "html.eml": lambda text: (
        _HEAD.replace(b"plain", b"html")
        + b"Content-Transfer-Encoding: base64\n\n"
        + base64.encodebytes(f"<p>words</p>{text}".encode())
    ),
    "ics": lambda text: f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:words {text}\nEND:VEVENT\nEND:VCALENDAR\n".encode(),
    "raw.json": str.encode,
    "tsv": lambda text: f"name\ttext\nwords\t{text}".encode(),
    "jsonl": lambda text: f"{json.dumps({'name': 'words', 'text': text})}\n{text}\n".encode(),
    "pptx": lambda text: pptx(shape("Words", kind="title") + shape(_markup(text))),
    "odt": lambda text: odf(ODT, f"<office:text><text:p>words {_markup(text)}</text:p></office:text>"),
    "ods": lambda text: ods(ods_table("S", [["Name"], *([f"words {part}"] for part in _cut(text, _CELL))])),
    "epub": lambda text: epub({"a": f"<p>words {_markup(text)}</p>"}),
    "raw.epub": lambda text: epub({"a": f"<p>words {text}</p>"}),
    "pdf": lambda text: pdf(*_cut(f"words {text}".encode("cp1252", "replace").decode("cp1252"), _PAGE)),
}


def honest(kind: str, size: int) -> bytes:
    """Return a file of a kind in ordinary words, with paragraphs, headings and rows, of about so many bytes."""
    lines = list(_sentences(size))
    made: dict[str, Callable[[], str]] = {
        "txt": lambda: "\n\n".join(lines),
        "md": lambda: "\n\n".join(f"## Part {n}\n\n{line}" if n % 9 == 0 else line for n, line in enumerate(lines)),
        "html": lambda: "<h1>Museum</h1>" + "".join(f"<p>{line}</p>" for line in lines),
        "csv": lambda: "place,fee,note\n" + "".join(f"{n},{n * 3},{line}\n" for n, line in enumerate(lines)),
        "json": lambda: "[" + ",\n".join(f'{{"place": {n}, "note": "{line}"}}' for n, line in enumerate(lines)) + "]",
    }
    return made[kind]().encode()


def _sentences(size: int) -> Iterator[str]:
    draw = random.Random(42)
    while size > 0:
        sentence = " ".join(draw.choices(_WORDS, k=25)).capitalize() + f" {draw.randint(1, 9999)}."
        size -= len(sentence)
        yield sentence
