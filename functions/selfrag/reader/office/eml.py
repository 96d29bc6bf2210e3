"""E-mail messages as saved by mail programs, with their attachments."""

import re
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import EmailPolicy
from email.utils import parseaddr, parsedate_to_datetime
from functools import partial
from time import monotonic
from typing import cast

from selfrag.domain.documents import Document, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import is_supported_kind
from selfrag.domain.writing import Read, Writer, list_names
from selfrag.reader.archive import LimitExceeded, bad_document
from selfrag.reader.data.encodings import codec_of, decoded_as
from selfrag.reader.kinds import MESSAGE, refuse_other_kinds
from selfrag.reader.labels import labels
from selfrag.reader.office.calendars import events
from selfrag.reader.office.replies import label_quotes, mark_quotations

MAX_ATTACHMENTS = 200
MAX_WITHIN = 3  # maximum nesting of messages
MAX_SECONDS = 60  # seconds after which no further attachment is read
_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
# Cryptographic Message Syntax: the object identifiers of signed data and of its content.
_SIGNED, _CONTENT = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02", b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"
_OCTETS, _PARTS, _IN_PARTS, _LONG_FORM = 0x04, 0x24, 0xA0, 0x80
# File extensions for text types with a reader; other text is read verbatim.
_ENDINGS = {"html": ".html", "markdown": ".md", "csv": ".csv", "tab-separated-values": ".tsv"}
MAX_HEADER = 2_000  # characters; header parsing is quadratic in their length
MAX_HEADERS = 10_000
MAX_BOUNDARIES = 200  # each line is compared with all open boundaries
_MAX_NAME = 100
# The encoding of an encoded word or of a file's name.
_LABEL = re.compile(r"(?:(?<==\?)|(?<=\*=))[\w.:-]{1,40}+(?=\?[bq]\?|')", re.IGNORECASE)
_CALENDARS = frozenset({"text/calendar", "application/ics"})
# Text types with special handling, or unreadable as text.
_OF_OTHER_USE = frozenset({"plain", "html", "calendar", "rtf"})


def read_eml(key: str, content: bytes, read: Read) -> Document:
    """Read a message: sender, recipients, subject, text and supported attachments; raises BadDocument.

    `read` parses attachments and HTML bodies.
    """
    refuse_other_kinds(key, content, MESSAGE)
    # Damaged input raises many kinds of errors in the standard library.
    with bad_document(key, "is a damaged message and cannot be read; save it as .eml again"):
        message = parse_message(content)
        if not any(header(message, name) for name in ("From", "Subject", "Date")):
            raise BadDocument(f"{key} is no message: it has no sender, subject or date; save it as .eml again.")
        reader = _Reader(key, read)
        reader.write(message)
    if reader.unread:
        reader.writer.warnings.append(f"{key} has attachments that were not read: {list_names(reader.unread)}.")
    day = sent_at(message)
    return reader.writer.document(header(message, "Subject"), labels([header(message, "Keywords")], day[:10]))


class _Reader:
    """Writes a message and nested ones; `unread` names the skipped attachments."""

    def __init__(self, key: str, read: Read) -> None:
        self.writer = Writer(key)
        self.unread: list[str] = []
        self._key, self._read = key, read
        self._until = monotonic() + MAX_SECONDS
        self._met = 0
        self._events = dict[str, None]()

    def write(self, message: EmailMessage, called: str = "", within: int = 0) -> None:
        """Write a message; `called` is its name in citations if it is attached."""
        head, kind = message, message.get_content_type()
        if kind in _SEALED and (message.get_param("smime-type") == "signed-data" or _SIGNED in payload(message)[:40]):
            message = parse_message(_extract_signed(payload(message)))
        elif (kind in _SEALED or kind == "multipart/encrypted") and not within:
            raise BadDocument(f"{self._key} is encrypted; save it as .eml without encryption.")
        attached = attachments(message)
        if attached or called:
            self.writer.part(called or "message")
        if subject := header(head, "Subject"):
            self.writer.heading(1, subject)
        addresses = [(name, header(head, name)) for name in ("From", "To", "Cc")]
        fields = [f"{name}: {value}" for name, value in [*addresses, ("Date", sent_at(head))] if value]
        if fields:
            self.writer.line("; ".join(fields))
        author = parseaddr(header(head, "From"))[0]
        text = next(filter(partial(self._wrote_text, author), bodies(message)), None)  # the part that holds it
        if not self._write_events(map(payload, filter(is_calendar, _not_attached(message)))) and text is None:
            self.writer.warnings.append(f"{self._key} holds a message without text; its head and attachments are read.")
        for name, part in attached:
            if part is not text:
                where = f"{called}, attachment {name}" if called else f"attachment {name}"
                self._write_attached(part, name, where, within)

    def _write_attached(self, part: EmailMessage, name: str, where: str, within: int) -> None:
        self._met += 1
        if self._met > MAX_ATTACHMENTS or monotonic() > self._until:
            self.unread.append(name)
        elif (is_message := part.get_content_type() == "message/rfc822") or name.lower().endswith(".eml"):
            message = part.get_content() if is_message else parse_message(payload(part))
            if within < MAX_WITHIN:
                self.write(message, where, within + 1)
            else:
                self.unread.append(name)
        elif is_calendar(part) or name.lower().endswith(".ics"):
            self.unread += [] if self._write_events((payload(part),)) else [name]
        elif is_supported_kind(name):
            if within_it := self.writer.read_within(self._read, f"{self._key} attachment {name}", payload(part)):
                self.writer.document_within(within_it, where)
        else:
            self.unread.append(name)

    def _wrote_text(self, author: str, part: EmailMessage) -> bool:
        text = text_of(part)
        if not (has_words(text) if text is not None else payload(part)):
            return False
        ending = _ENDINGS.get(part.get_content_subtype(), ".txt")
        if ending == ".txt" and text is not None:
            within: Document | None = Document(self._key, "", text.strip("\n"))
        else:
            # A byte order mark overrides the declared encoding of a page.
            text = mark_quotations(text) if text is not None and ending == ".html" else text
            content = payload(part) if text is None else text.encode("utf-8-sig", "replace")
            within = self.writer.read_within(self._read, f"{self._key} text{ending}", content)
        if within:
            self.writer.document_within(label_quotes(within, author))
        return within is not None

    def _write_events(self, invitations: Iterable[bytes]) -> bool:
        """Write each event once, since invitations often come twice; return whether there was any."""
        any_read = False
        for lines, warnings in map(partial(events, self._key), invitations):
            any_read |= bool(lines)
            self.writer.warnings += warnings
            for event in lines:
                if event not in self._events:
                    self._events[event] = None
                    self.writer.line(event)
        return any_read


def parse_message(content: bytes) -> EmailMessage:
    """Parse a message within limits; raises LimitExceeded, or errors of the standard library."""
    if content.lower().count(b"boundary=") > MAX_BOUNDARIES:
        raise LimitExceeded(
            f"has more than {MAX_BOUNDARIES} parts that hold others; save its attachments by themselves"
        )
    counted = 0

    class BoundedHeaders(EmailPolicy):
        """Counts and truncates headers."""

        def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
            nonlocal counted
            counted += 1
            if counted > MAX_HEADERS:
                raise LimitExceeded(f"has more than {MAX_HEADERS} lines of headers; save it as .eml again")
            name, value = super().header_source_parse(sourcelines)
            return name, _LABEL.sub(lambda label: codec_of(label[0]) or label[0], value[:MAX_HEADER])

    return cast(EmailMessage, message_from_bytes(content, policy=BoundedHeaders()))


def _extract_signed(content: bytes) -> bytes:
    """Return the message inside signed data, which may be chunked; b"" if none."""
    at, octets = content.find(_CONTENT) + len(_CONTENT), list[bytes]()
    while _CONTENT in content and at + 1 < len(content) and content[at] in (_OCTETS, _PARTS, _IN_PARTS):
        kind, length = content[at], content[at + 1]
        at += 2
        if length > _LONG_FORM:
            at, length = at + length % _LONG_FORM, int.from_bytes(content[at : at + length % _LONG_FORM])
        if kind == _OCTETS:
            octets.append(content[at : at + length])
            at += length
    return b"".join(octets)


def header(message: Message, name: str) -> str:
    """Return a header's text on one line, or "" if missing or unreadable."""
    try:
        value = str(message[name] or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except Exception:  # damaged input raises many kinds of errors in the header parser
        return ""
    return " ".join(value.split())


def sent_at(message: Message) -> str:
    """Return the date and time of sending, or ""."""
    try:
        return f"{parsedate_to_datetime(header(message, 'Date')):%Y-%m-%d %H:%M}"
    except Exception:  # as above
        return ""


def bodies(message: EmailMessage) -> Iterator[EmailMessage]:
    """Yield candidate bodies: plain text, HTML, then other inline text."""
    for kind in ("plain", "html"):
        if body := message.get_body((kind,)):
            yield cast(EmailMessage, body)
    for part in _not_attached(message):
        if part.get_content_maintype() == "text" and part.get_content_subtype() not in _OF_OTHER_USE:
            yield part


def is_calendar(part: Message) -> bool:
    """Return whether a part is an invitation."""
    return part.get_content_type() in _CALENDARS


def _not_attached(part: EmailMessage) -> Iterator[EmailMessage]:
    if part.is_attachment() or part.get_content_type() == "message/rfc822":
        return
    if part.is_multipart():
        for inner in part.iter_parts():
            yield from _not_attached(cast(EmailMessage, inner))
    else:
        yield part


def payload(part: Message) -> bytes:
    """Return the decoded bytes of a part."""
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def text_of(part: Message) -> str | None:
    """Decode a part in its declared encoding; None if none is declared or it does not fit."""
    charset = part.get_content_charset()
    text = decoded_as(payload(part), charset) if charset else None
    text = text.replace("\r\n", "\n") if text is not None else None
    is_flowed = str(part.get_param("format")).lower() == "flowed"
    return _join_flowed(text, str(part.get_param("delsp")).lower() == "yes") if text and is_flowed else text


def _join_flowed(text: str, without_space: bool) -> str:
    """Join the flowed lines of a text (RFC 3676); they end in a space, which `delsp` removes."""
    paragraphs, flows = list[tuple[str, list[str]]](), False
    for line in text.split("\n"):
        words = line.lstrip(">")
        quoted, words = line[: len(line) - len(words)], words.removeprefix(" ")
        is_signature = words == "-- "
        if not flows or is_signature or paragraphs[-1][0] != quoted:
            paragraphs.append((quoted, []))
        flows = words.endswith(" ") and not is_signature
        paragraphs[-1][1].append(words[:-1] if flows and without_space else words)
    return "\n".join(f"{quoted} " * bool(quoted) + "".join(words) for quoted, words in paragraphs)


def attachments(message: EmailMessage) -> list[tuple[str, EmailMessage]]:
    """Return attachments with their names, without inline pictures."""
    attached = list[tuple[str, EmailMessage]]()
    if message.get_content_type() == "message/rfc822":
        return attached
    for part in message.iter_attachments():
        if part.get_content_maintype() == "multipart":
            attached += attachments(part)
        elif part.get_content_type() not in _SIGNATURES and (name := _name(part)):
            attached.append((name, part))
    return attached


def _name(part: EmailMessage) -> str:
    name = " ".join((part.get_filename() or "").replace("/", " ").split())[-_MAX_NAME:]
    if part.get_content_type() == "message/rfc822":
        return name or "message.eml"
    if part.get_content_maintype() == "image" and part.get_content_disposition() != "attachment":
        return ""
    return name or {"text/plain": "text.txt", "text/html": "text.html"}.get(part.get_content_type(), "without a name")
