"""Quoted e-mails: a heading with author and date separates each from the new message."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TypeVar

from selfrag.domain.documents import QUOTED, Document, Heading, Row, Table
from selfrag.reader.web.furniture import names

Stretch = TypeVar("Stretch", Heading, Row, Table)
_LEVEL = 2  # one level below the subject
_MAX_LINE, _MAX_DEPTH, _MAX_FIELDS = 300, 9, 12
# Private-use characters that mark the start and end of a quotation in HTML mail.
_BEGINS, _ENDS = "\ue010", "\ue011"
_QUOTATION = re.compile(r"<(/?)blockquote\b([^<>]*+)>", re.IGNORECASE)
_CITED = re.compile(r"cite|quote|border-left", re.IGNORECASE)
_MARKS = re.compile(r"(?:> ?){0,9}")
_FIELD = re.compile(r"[*\s]{0,9}([^\W\d][\w .]{0,20}?)\s?\*{0,2}[:：]\*{0,2}\s{0,9}(.*)")
_FROM = names("from von de da van od från fra 差出人 보낸사람 发件人 寄件者")
_SUBJECT = names("subject betreff objet asunto assunto oggetto onderwerp temat ämne emne 件名 제목 主题 主旨")
_ORIGINAL = re.compile(
    r"-{2,}[^-]{0,20}?(?:original|ursprüngliche|d['’]origine|forwarded|weitergeleitete|transféré|reenviado|inoltrato"
    r"|元のメッセージ|転送|원본|전달|原始邮件|转发)[^-]{0,30}-{2,}\s*",
    re.IGNORECASE,
)
_WROTE = (
    "wrote|schrieb|schreef|skrev|napisał|a écrit|escribió|ha scritto|escreveu|님이 작성|のメール|書きました|写道|寫道"
)
_ATTRIBUTION = re.compile(rf"(?:(?:{_WROTE}).{{0,100}}|@[^<>@]{{1,100}}>\s*)[:：]\s*$")
_DAY = re.compile(
    r"\d{4}[-/.年년]\s?\d{1,2}[-/.月월]\s?\d{1,2}[日일]?|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    r"|\d{1,2}\.?\s(?:de\s)?[^\W\d]{3,12}\.?\s(?:de\s)?\d{4}|[^\W\d]{3,12}\.?\s\d{1,2},?\s\d{4}"
)
_ADDRESS = re.compile(r"[\s(]{0,2}(?:<[^<>]{0,200}>|\[[^\[\]]{0,200}\])\)?")
_AUTHOR = (
    re.compile(r"(?:schrieb|schreef|skrev|napisał)\s+([^:<>(]{1,80})"),
    re.compile(rf"([^\d,:、<>()]{{1,80}}?)\s*(?:\(?<|\s(?:{_WROTE})|$)"),
)


def mark_quotations(html: str) -> str:
    """Insert marks for `label_quotes` around quotations in an HTML message."""
    cited = list[bool]()

    def mark(tag: re.Match[str]) -> str:
        if not tag[1]:
            cited.append(bool(_CITED.search(tag[2])))
            return f"{tag[0]}<p>{_BEGINS}</p>" if cited[-1] else tag[0]
        return f"<p>{_ENDS}</p>{tag[0]}" if cited and cited.pop() else tag[0]

    return _QUOTATION.sub(mark, html)


def label_quotes(document: Document, author: str) -> Document:
    """Insert a heading above each quoted message, and where `author` continues."""
    lines, depths, starts, at, inside = list[str](), list[int](), list[int](), 0, 0
    for line in document.text.split("\n"):
        marks = _MARKS.match(line)
        end = marks.end() if marks else 0
        inside = min(max(inside + line.count(_BEGINS) - line.count(_ENDS), 0), _MAX_DEPTH)
        if line not in (_BEGINS, _ENDS):
            lines.append(line[end:].replace(_BEGINS, "").replace(_ENDS, ""))
            depths.append(min(inside + line[:end].count(">"), _MAX_DEPTH))
            starts.append(at + end)
        at += len(line) + 1
    own = f"Message of {author}" if author else "Message"
    return _add_headings(document, lines, starts, _labels(lines, depths, own))


def _labels(lines: Sequence[str], depths: Sequence[int], own: str) -> dict[int, str]:
    """Return headings by the line they precede."""
    headings, labels, current, read = dict[int, str](), {0: ""}, "", 0
    for at, (line, depth) in enumerate(zip(lines, depths, strict=True)):
        if at < read or not line.strip():
            continue
        label, count = _separator(lines, at)
        if label:
            read = at + count
            below = next((depths[after] for after in range(read, len(lines)) if lines[after].strip()), depth)
            labels = {deep: name for deep, name in labels.items() if deep <= depth}
            labels[max(below, depth)] = current = headings[at] = label
        elif labels.setdefault(depth, QUOTED) != current:
            current = labels[depth]
            headings[at] = current or own
    return headings


def _separator(lines: Sequence[str], at: int) -> tuple[str, int]:
    """Return the heading for a quoted message and its number of attribution lines; "" for other lines."""
    if len(lines[at]) > _MAX_LINE:
        return "", 0
    if (first := _FIELD.match(lines[at])) and first[1].replace(" ", "").lower() in _FROM:
        fields = takewhile(_FIELD.match, (line[:_MAX_LINE] for line in lines[at + 1 : at + _MAX_FIELDS]))
        block = [first, *filter(None, map(_FIELD.match, fields))]
        is_below_line = at > 0 and bool(_ORIGINAL.fullmatch(lines[at - 1][:_MAX_LINE]))
        is_head = is_below_line or "@" in first[2] or any(field[1].lower() in _SUBJECT for field in block)
        if len(block) > 1 and is_head:
            days = (_DAY.search(field[2]) for field in block[1:])
            return _label(_ADDRESS.sub("", first[2]), next(filter(None, days), None)), len(block)
    if _ORIGINAL.fullmatch(lines[at]) and not _FIELD.match("".join(lines[at + 1 : at + 2])[:_MAX_LINE]):
        return QUOTED, 1
    for count in (1, 2):
        line_text = " ".join(line.strip() for line in lines[at : at + count])
        day = _DAY.search(lines[at])
        if day and len(line_text) <= _MAX_LINE and _ATTRIBUTION.search(line_text):
            name = _ADDRESS.sub("<", line_text)
            authors = (pattern.search(name) for pattern in _AUTHOR)
            return _label(next((match[1] for match in authors if match), ""), day), count
    return "", 0


def _label(author: str, day: re.Match[str] | None) -> str:
    name = " ".join(author.replace("*", "").split()).strip("\"' ,;").removeprefix("AM ").removeprefix("PM ")
    return f"{QUOTED}{f' of {name}' if name else ''}{f', {day[0]}' if day else ''}"


def _add_headings(
    document: Document, lines: Sequence[str], starts: Sequence[int], headings: dict[int, str]
) -> Document:
    """Build a document from these lines, which began at `starts`, with headings between them."""
    text, places, added, length = list[str](), list[int](), list[Heading](), 0
    for at, line in enumerate(lines):
        if at in headings:
            text.append(headings[at])
            added.append(Heading(length, length + len(headings[at]), _LEVEL, headings[at]))
            length += len(headings[at]) + 1
        places.append(length)
        text.append(line)
        length += len(line) + 1

    def move(stretch: Stretch) -> Stretch:
        return replace(stretch, start=place(stretch.start), end=place(stretch.end))

    def place(old: int) -> int:
        at = max(bisect_right(starts, old) - 1, 0)
        return min(places[at] + max(old - starts[at], 0), places[at] + len(lines[at]))

    return replace(
        document,
        text="\n".join(text),
        headings=tuple(sorted([*map(move, document.headings), *added], key=lambda heading: heading.start)),
        rows=tuple(map(move, document.rows)),
        tables=tuple(map(move, document.tables)),
    )
