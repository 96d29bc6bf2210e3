"""ZIP archives of XML parts, read as streams within limits."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from pathlib import PurePosixPath
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from selfrag.domain.errors import BadDocument
from selfrag.reader.kinds import FileKind, refuse_other_kinds

MAX_ENTRIES = 10_000
MAX_PART = 64 * 1024 * 1024
MAX_UNPACKED = 256 * 1024 * 1024  # of all parts that are read
MAX_DEPTH = 200  # elements within elements; office programs use a few dozen
_CHUNK = 1024 * 1024
_QUALIFIED = {"/relationships id": "r:id", "svg-compatible:1.0 title": "svg:title"}


class LimitExceeded(Exception):
    """A document exceeds a limit of the reader.

    The message completes "NAME ..." and says what to do.
    """


class PartReader:
    """Base class for streaming readers of an XML part; ignores everything by default.

    Names come without their namespace, except `r:id` and `svg:title`.
    """

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""

    def end(self, name: str) -> None:
        """Handle the end of an element."""

    def text(self, text: str) -> None:
        """Handle text inside an element."""

    def equation_text(self, text: str) -> None:
        """Handle an equation, which an EquationFilter gives as text."""


class _Elements(list[tuple[str, dict[str, str]]], PartReader):
    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.append((name, attributes))


class XmlArchive:
    """An open archive; parts are unpacked on demand and external references are never followed."""

    def __init__(self, archive: ZipFile) -> None:
        entries = archive.namelist()
        if len(entries) > MAX_ENTRIES:
            raise LimitExceeded(f"holds {len(entries)} files, and at most {MAX_ENTRIES} are read; save it again")
        self.names = frozenset(entries)
        self._archive = archive
        self._unpacked = 0

    def read_part(self, name: str) -> bytes:
        """Return the bytes of a part; raises KeyError if it is missing."""
        return b"".join(self._chunks(name))

    def parse(self, name: str, reader: PartReader) -> None:
        """Stream a part to a reader; raises KeyError if there is none, LimitExceeded or what expat and zlib raise."""
        for _ in self._parse_chunks(name, reader):
            pass

    def parse_optional(self, name: str, reader: PartReader) -> bool:
        """Stream an optional part to a reader; return False if it exists but cannot be read."""
        try:
            if name in self.names:
                self.parse(name, reader)
        except Exception:  # what expat and zlib raise, and limits
            return False
        return True

    def elements(self, name: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the name and the attributes of each element of a part, none if it is missing; raises as `parse`."""
        reader = _Elements()
        for _ in self._parse_chunks(name, reader) if name in self.names else ():
            yield from reader
            reader.clear()

    def _parse_chunks(self, name: str, reader: PartReader) -> Iterator[None]:
        parser, depth = expat.ParserCreate(namespace_separator=" "), 0

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > MAX_DEPTH:
                raise LimitExceeded(f"has elements nested more than {MAX_DEPTH} deep; save it again")
            # The first of two attributes with the same name wins.
            reader.start(_short(tag), {_short(key): value for key, value in reversed(attributes.items())})

        def end(tag: str) -> None:
            nonlocal depth
            depth -= 1
            reader.end(_short(tag))

        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.CharacterDataHandler = reader.text
        for chunk in self._chunks(name):
            parser.Parse(chunk)
            yield
        parser.Parse(b"", True)
        yield

    def _chunks(self, name: str) -> Iterator[bytes]:
        """Yield a part in chunks, counting real sizes: the declared size may be a lie."""
        part = self._archive.getinfo(name)
        if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ValueError("Office documents are deflated; other methods can need any amount of memory.")
        self._allow(part, part.file_size, part.file_size)
        size = 0
        with self._archive.open(part) as opened:
            while chunk := opened.read(_CHUNK):
                size += len(chunk)
                self._unpacked += len(chunk)
                self._allow(part, size)
                yield chunk

    def _allow(self, part: ZipInfo, size: int, more: int = 0) -> None:
        if size > MAX_PART:
            raise LimitExceeded(
                f"unpacks {part.filename} to more than {MAX_PART >> 20} MB; split it into several files"
            )
        if self._unpacked + more > MAX_UNPACKED:
            raise LimitExceeded(f"unpacks to more than {MAX_UNPACKED >> 20} MB; split it into several files")


@contextmanager
def open_archive(key: str, content: bytes, kind: FileKind) -> Iterator[XmlArchive]:
    """Open a file of a kind; any error while it is open becomes BadDocument."""
    refuse_other_kinds(key, content, kind)
    name, ending = kind.name.partition(" ")[2], PurePosixPath(key).suffix.lower()
    damaged = f"is a damaged {name} and cannot be read; save it as {ending} again"
    # zipfile and zlib raise half a dozen kinds of errors, and expat one more.
    with bad_document(key, damaged), ZipFile(BytesIO(content)) as archive:
        yield XmlArchive(archive)


@contextmanager
def bad_document(key: str, reason: str, kind: type[BaseException] = Exception) -> Iterator[None]:
    """Turn all errors of a kind into BadDocument: LimitExceeded with its message, others with this reason."""
    try:
        yield
    except (BadDocument, MemoryError):
        raise
    except LimitExceeded as error:
        raise BadDocument(f"{key} {error}.") from error
    except kind as error:
        raise BadDocument(f"{key} {reason}.") from error


@lru_cache(maxsize=1_000)  # a part has many elements, and few names
def _short(name: str) -> str:
    """Return a name without its namespace, except for one that would be another's."""
    return next((short for end, short in _QUALIFIED.items() if name.endswith(end)), name.rpartition(" ")[2])


def switched_on(attributes: Mapping[str, str]) -> bool:
    """Return whether a boolean element of Office is on, the default unless its value says no."""
    return attributes.get("val") not in ("0", "false", "off")


def _refuse_doctype(*_: object) -> None:
    # A DTD could define entities that expand without end.
    raise LimitExceeded("declares a document type (DTD), which no such file needs; save it again")


class SkippingReader(PartReader):
    """A reader that skips some elements with their content; `depth` is that of the innermost open one."""

    depth = 0
    skipped = 0  # the depth of the element that is being skipped; 0 if none is

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if not self.skipped:
            self.begin(name, attributes)

    def end(self, name: str) -> None:
        self.depth -= 1
        if not self.skipped:
            self.finish(name)
        elif self.depth < self.skipped:
            self.skipped = 0

    def skip(self) -> None:
        """Skip the open element."""
        self.skipped = self.depth

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element that is not skipped."""

    def finish(self, name: str) -> None:
        """Handle the end of an element that was not skipped."""
