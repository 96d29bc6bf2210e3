"""The text of a PDF, page by page; `contained` runs it."""

import re
from io import BytesIO
from itertools import accumulate
from pathlib import PurePosixPath

from pypdf import Configuration, PdfReader, apply_configuration
from pypdf.errors import DependencyError

from ingestion.parse_document.labels import Labels, labels
from selfrag.domain.documents import Document, Part, has_words
from selfrag.domain.errors import BadDocument

MAX_PAGES = 2000
MAX_CHARACTERS = 20_000_000
MAX_TITLE = 200
# What one page may ask for: a page beyond is left out with a warning.
_LIMITS = Configuration(
    zlib_maximum_output_length=16_000_000,
    lzw_maximum_output_length=16_000_000,
    run_length_maximum_output_length=16_000_000,
    array_based_stream_maximum_output_length=32_000_000,
    stream_parsing_work_maximum_count=1_000_000,
    xform_maximum_invocations_per_extraction=500,
)
_END_WITHIN = 2048  # bytes, in which a PDF's mark of its end stands
_BETWEEN_PAGES = "\n\n"
# Lines of a page end where the paper does: a word or a sentence that goes on in small letters is put together.
_WORD_GOES_ON = re.compile(r"(?<=[^\W\d_])-\n(?=([^\W\d_]))")
_SENTENCE_GOES_ON = re.compile(r"(?<=[^\s.!?:;])[ \t]*+\n[ \t]*+(?=([^\W\d_]))")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def read_pdf(key: str, content: bytes) -> Document:
    """What the pages say; raises BadDocument, or MemoryError if there is not enough of it."""
    try:
        with apply_configuration(_LIMITS):
            return _read(key, content)
    except (BadDocument, MemoryError):
        raise
    except Exception as error:  # pypdf raises what the damage leads to: its own errors, KeyError, RecursionError...
        state = "is cut off at its end" if _is_cut_off(content) else "is a damaged PDF"
        raise BadDocument(f"{key} {state} and cannot be read; save it as PDF again.") from error


def _read(key: str, content: bytes) -> Document:
    reader = _opened(key, content)
    number = len(reader.pages)
    if number > MAX_PAGES:
        raise BadDocument(f"{key} has {number} pages, and at most {MAX_PAGES} are read; split it into several files.")
    texts, lost, scanned, length = list[str](), list[int](), list[int](), 0
    for page in range(number):
        text = _page_text(reader, page)
        if text is None:
            lost.append(page + 1)
        elif not has_words(text) and _shows_images(reader, page):
            scanned.append(page + 1)
        texts.append(text or "")
        length += len(texts[-1])
        if length > MAX_CHARACTERS:
            millions = MAX_CHARACTERS // 1_000_000
            raise BadDocument(f"{key} has more than {millions} million characters; split it into several files.")
    if not any(map(has_words, texts)):
        raise BadDocument(_without_text(key, number, len(lost)))
    starts = [0, *accumulate(len(text) + len(_BETWEEN_PAGES) for text in texts)][:number]
    warnings = _warnings(key, content, number, lost, scanned)
    found, text = _labels(reader), _BETWEEN_PAGES.join(texts)
    parts = tuple(Part(start, f"page {page}", page) for page, start in enumerate(starts, 1))
    return Document(key, _title(key, reader), text, (), parts, warnings=warnings, **vars(found))


def _opened(key: str, content: bytes) -> PdfReader:
    try:
        reader = PdfReader(BytesIO(content))
        encrypted = reader.is_encrypted
    except DependencyError:  # how pypdf says that a file is encrypted with AES, where nothing can decrypt it
        encrypted = True
    if encrypted:
        raise BadDocument(f"{key} is encrypted; save it without a password and without restrictions.")
    return reader


def _page_text(reader: PdfReader, page: int) -> str | None:
    try:
        return _cleaned(reader.pages[page].extract_text())
    except MemoryError:
        raise
    except Exception:  # as above; the other pages are still worth reading
        return None


def _without_text(key: str, pages: int, lost: int) -> str:
    if pages == 0 or lost:
        return f"{key} has no page that can be read: it is damaged or too complex; print it to a new PDF."
    return f"{key} holds no text on any of its {pages} pages, so it is probably scanned; run text recognition on it."


def _warnings(key: str, content: bytes, number: int, lost: list[int], scanned: list[int]) -> tuple[str, ...]:
    found = []
    if _is_cut_off(content):
        found.append(f"{key} is cut off at its end: only what its first {number} pages still hold was read.")
    if lost:
        found.append(f"{key} has pages that are damaged or too complex, which were left out: {_listed(lost)}.")
    if scanned:
        found.append(f"{key} has pages that show images but hold no text, perhaps scanned: {_listed(scanned)}.")
    return tuple(found)


def _is_cut_off(content: bytes) -> bool:
    return b"%%EOF" not in content[-_END_WITHIN:]


def _listed(pages: list[int]) -> str:
    more = f" and {len(pages) - 10} more" if len(pages) > 10 else ""
    return ", ".join(map(str, pages[:10])) + more


def _shows_images(reader: PdfReader, page: int) -> bool:
    try:
        resources = reader.pages[page].get("/Resources")
        return resources is not None and "/XObject" in resources.get_object()
    except Exception:  # as above; it is for a warning only
        return False


def _title(key: str, reader: PdfReader) -> str:
    try:
        title = " ".join(_cleaned(str(reader.metadata.title if reader.metadata else "")).split())[:MAX_TITLE]
    except MemoryError:
        raise
    except Exception:  # as above; a title is not worth losing the text
        title = ""
    return title if has_words(title) else PurePosixPath(key).name


def _labels(reader: PdfReader) -> Labels:
    try:
        said = reader.metadata
        made = said.creation_date if said else None
        keywords = _cleaned(said.keywords or "") if said else ""
        return labels([keywords], made.date().isoformat() if made else "")
    except MemoryError:
        raise
    except Exception:  # as above; tags and a date are not worth losing the text
        return Labels()


def _cleaned(text: str) -> str:
    """Valid Unicode, without control characters, in lines that end where a thought does."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _CONTROLS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _WORD_GOES_ON.sub(lambda end: "" if end[1].islower() else end[0], text)
    return _SENTENCE_GOES_ON.sub(lambda end: " " if end[1].islower() else end[0], text).strip()
