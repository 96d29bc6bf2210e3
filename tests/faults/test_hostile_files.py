"""No file stops the service: each ends within its limits, as a document or with a sentence that names it."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from selfrag.reader.processes import pool
from tests.support.documents.files import docx, paragraph, table, zipped
from tests.support.documents.hostile import KINDS, MAIN, MORE_KINDS, ODT, TOKENS, Measured, hostile, measured, summary
from tests.support.documents.office import eml, epub, odf, pptx, shape
from tests.support.documents.workbooks import cell, ods, ods_table, xlsx

Record = Callable[[str, str], None]
SIZE = 100_000
# A linear reader's limit for 100 KB; quadratic ones took hours.
MAX_SECONDS = 5


def kept(file: Measured) -> Measured:
    """Return a file that was measured, which ended as each has to."""
    assert file.passages > 0 or file.reason, file
    assert not file.reason or (file.reason.startswith(f"{file.key} ") and file.reason.endswith(".")), file
    assert file.seconds < pool.MAX_SECONDS + 2, file
    assert file.megabytes < pool.MAX_MEMORY / 2**20 + 1, file
    return file


def swept(kind: str, tokens: tuple[str, ...], size: int) -> list[Measured]:
    # One file at a time, to save disk space.
    return [kept(measured(f"{number}.{kind}", hostile(kind, token, size))) for number, token in enumerate(tokens)]


def slow(files: list[Measured]) -> list[Measured]:
    return [file for file in files if file.seconds + file.split_seconds > MAX_SECONDS]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_one_token_is_read_or_refused_at_once(kind: str) -> None:
    assert not slow(swept(kind, ("...", "[$", "<a ", "```\n"), SIZE // 4))


@pytest.mark.parametrize("name", ["prices.xlsx", "dots.txt"])
def test_the_files_that_stopped_the_reading_for_hours_are_read(name: str) -> None:
    made = hostile("xlsx", "[$", 4 * 30_000) if name == "prices.xlsx" else b"words " + b"..." * 27_000
    file = kept(measured(name, made))
    assert not file.reason
    assert not slow([file])


@pytest.mark.long
@pytest.mark.parametrize("kind", [*KINDS, *MORE_KINDS])
def test_no_token_makes_a_file_slow(kind: str, record_property: Record) -> None:
    files = swept(kind, TOKENS, SIZE)
    record_property("figures", summary(files))
    assert not slow(files)


# Text that is hard to parse, and names, numbers and values in unexpected positions.
tokens = st.sampled_from([*TOKENS, "<w:p>", "</w:p>", "<![CDATA[", "<td>", "<table>", "\0", "\ufeff", "\U0010ffff"])
texts = st.lists(st.tuples(tokens, st.integers(1, 20_000)), min_size=1, max_size=6).map(
    lambda runs: "".join(token * (number // len(token) + 1) for token, number in runs)[:SIZE]
)
words = st.one_of(st.text(max_size=30), texts)
numbers = st.sampled_from(["", "0", "-1", "1e308", "nan", "99999999999999999999", "1048577", "x", "0.1", "16385"])


def markup(text: str) -> str:
    return "".join(sign for sign in text if sign in "\t\n" or " " <= sign < "\ud800" or sign > "\udfff").replace(
        "&", "&amp;"
    )


def nested(tag: str, depth: int, text: str) -> str:
    return f"<{tag}>" * depth + text + f"</{tag}>" * depth


def plain(text: str) -> str:
    return markup(text).replace("<", "&lt;")


tags = st.sampled_from(
    ["w:p", "w:tbl", "w:tc", "w:sdt", "w:fldSimple", "p", "div", "table", "ul", "a:p", "text:list", "x"]
)
depths = st.sampled_from([1, 2, 50, 199, 201, 3_000, 20_000])
trees = st.builds(nested, tags, depths, words.map(plain))
attributes = st.builds(lambda name, text: f'<{name} a="{plain(text).replace(chr(34), "")}">x</{name}>', tags, texts)
cells = words.map(plain)
parts = st.one_of(trees, attributes, cells, words.map(markup))
encoded = words.map(lambda text: text.encode("utf-8", "replace"))
odd_zips = st.dictionaries(
    st.sampled_from(
        ["[Content_Types].xml", "word/document.xml", "xl/workbook.xml", "content.xml", "mimetype", "../a", "a" * 9999]
    ),
    st.one_of(encoded, st.integers(0, 3)),
    max_size=5,
).map(zipped)


def workbook(code: str, number: str, text: str, style: str, merged: str) -> bytes:
    quoted = plain(code).replace('"', "&quot;")
    styles = (
        f'<styleSheet {MAIN}><numFmts><numFmt numFmtId="{style}" formatCode="{quoted}"/></numFmts>'
        f'<cellXfs><xf numFmtId="{style}"/></cellXfs></styleSheet>'
    )
    odd = f'<c r="A{number}" s="{style}"><v>{number}</v></c><c><v>{plain(text)}</v></c>'
    rows = f'<row r="{number}">{cell("A1", "Name")}{odd}{cell("C2", 5.5)}</row>' * 3
    return xlsx({"S": rows}, merged=[f"A1:A{merged}"], styles=styles)


def files() -> st.SearchStrategy[tuple[str, bytes]]:
    """Yield odd file names with odd contents."""
    made: dict[str, st.SearchStrategy[bytes]] = {
        "txt": encoded,
        "md": encoded,
        "html": parts.map(lambda part: f"<p>words</p>{part}".encode("utf-8", "replace")),
        "csv": st.builds(lambda one, two: f"{one}\n{two}".encode("utf-8", "replace"), words, words),
        "json": st.one_of(encoded, depths.map(lambda depth: b'{"a":[' * depth + b"1" + b"]}" * depth)),
        "ics": parts.map(lambda part: f"BEGIN:VCALENDAR\nBEGIN:VEVENT\n{part}\nEND:VEVENT".encode("utf-8", "replace")),
        "eml": st.builds(
            lambda text, inner, name: eml("words", html=f"<p>{plain(text)}", attached={name: inner}),
            words,
            st.one_of(encoded, odd_zips),
            st.sampled_from(["a.docx", "a.xlsx", "a.eml", "a.html", "a.md"]),
        ),
        "xlsx": st.one_of(st.builds(workbook, words, numbers, words, numbers, numbers), odd_zips),
        "docx": st.one_of(
            st.builds(lambda *body: docx(*body), cells.map(paragraph), parts),
            st.builds(lambda text, part: docx(paragraph("words"), table(["a", text]), styles=part), cells, parts),
            odd_zips,
        ),
        "pptx": st.one_of(parts.map(lambda part: pptx(shape("words"), part)), odd_zips),
        "odt": parts.map(lambda part: odf(ODT, f"<office:text>{part}</office:text>")),
        "ods": st.builds(lambda part, text: ods(ods_table("S", [["a", text], [f"<x>{part}</x>"]])), parts, cells),
        "epub": st.one_of(parts.map(lambda part: epub({"a": part, "b": "<p>words</p>"})), odd_zips),
    }  # fmt: skip
    return st.one_of(*(st.tuples(st.just(f"odd.{kind}"), contents) for kind, contents in made.items()))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")  # which makes the boundaries of a message
def test_odd_files_are_read_or_refused_with_a_reason(record_property: Record) -> None:
    read: list[Measured] = []

    @settings(max_examples=200, database=None, phases=[Phase.generate])
    @given(files())
    def reads(file: tuple[str, bytes]) -> Any:
        found = kept(measured(*file))
        read.append(found)
        assert not slow([found])

    reads()
    record_property("figures", summary(read))
    assert len(read) >= 200
