"""The text of a message as mail programs save it, with what is attached to it."""

from collections.abc import Callable, Iterable
from email.message import EmailMessage
from pathlib import PurePosixPath
from time import monotonic

from selfrag.domain.documents import Document, has_words
from selfrag.domain.errors import BadDocument
from selfrag.domain.kinds import of_a_kind_that_is_read
from selfrag.domain.writing import Writer
from selfrag.reader.kinds import MESSAGE, refuse_other_kinds
from selfrag.reader.labels import labels
from selfrag.reader.office.mail.invitations import events
from selfrag.reader.office.mail.mime import (
    attachments,
    bodies,
    calendars,
    header,
    is_calendar,
    parsed,
    payload,
    sent,
    text_of,
)
from selfrag.reader.zipped import TooMuch

MAX_ATTACHMENTS = 200
MAX_WITHIN = 3  # messages in each other
MAX_SECONDS = 60  # after which no further attachment is begun
_ENCRYPTED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime", "multipart/encrypted"})
# The endings of the kinds of text that have a reader; any other text is read as it is.
_ENDINGS = {"html": ".html", "markdown": ".md", "csv": ".csv", "tab-separated-values": ".tsv"}
Read = Callable[[str, bytes], Document]


def read_eml(key: str, content: bytes, read: Read) -> Document:
    """Return who wrote whom about what, the text, and each attachment of a kind that is read; raises BadDocument.

    `read` reads an attachment, or the text if it is a web page.
    """
    refuse_other_kinds(key, content, MESSAGE)
    try:
        message = parsed(content)
        if not any(header(message, name) for name in ("From", "Subject", "Date")):
            raise BadDocument(f"{key} is no message: it has no sender, subject or date; save it as .eml again.")
        reader = _Reader(key, read)
        reader.write(message)
    except (BadDocument, MemoryError):
        raise
    except TooMuch as error:
        raise BadDocument(f"{key} {error}.") from error
    except Exception as error:  # the standard library raises what the damage leads to
        raise BadDocument(f"{key} is a damaged message and cannot be read; save it as .eml again.") from error
    if reader.unread:
        more = f" and {len(reader.unread) - 10} more" if len(reader.unread) > 10 else ""
        reader.writer.warnings.append(
            f"{key} has attachments that were not read: {', '.join(reader.unread[:10])}{more}."
        )
    day = sent(message)
    title = header(message, "Subject") or PurePosixPath(key).name
    return reader.writer.document(title, labels([header(message, "Keywords")], day[:10]))


class _Reader:
    """Writes a message and those that are attached to it; `unread` are the names of what is not read."""

    def __init__(self, key: str, read: Read) -> None:
        self.writer = Writer(key)
        self.unread: list[str] = []
        self._key, self._read = key, read
        self._until = monotonic() + MAX_SECONDS
        self._met = 0
        self._events: list[str] = []

    def write(self, message: EmailMessage, called: str = "", within: int = 0) -> None:
        """Write a message; `called` is what a citation calls it if it is attached to another one."""
        if message.get_content_type() in _ENCRYPTED and not within:
            raise BadDocument(f"{self._key} is encrypted; save it as .eml without encryption.")
        attached = attachments(message)
        if attached or called:
            self.writer.part(called or "message")
        self._write_head(message)
        text = self._write_body(message)
        if not self._write_events(map(payload, calendars(message))) and text is None:
            self.writer.warnings.append(f"{self._key} holds a message without text; its head and attachments are read.")
        for name, part in attached:
            if part is not text:
                where = f"{called}, attachment {name}" if called else f"attachment {name}"
                self._write_attached(part, name, where, within)

    def _write_attached(self, part: EmailMessage, name: str, where: str, within: int) -> None:
        self._met += 1
        if self._met > MAX_ATTACHMENTS or monotonic() > self._until:
            self.unread.append(name)
        elif part.get_content_type() == "message/rfc822":
            self._write_message(part.get_content(), name, where, within + 1)
        elif name.lower().endswith(".eml"):
            self._write_message(parsed(payload(part)), name, where, within + 1)
        elif of_a_kind_that_is_read(name):
            self._write_attachment(payload(part), name, where)
        elif not ((is_calendar(part) or name.lower().endswith(".ics")) and self._write_events((payload(part),))):
            self.unread.append(name)

    def _write_message(self, message: EmailMessage, name: str, where: str, within: int) -> None:
        if within > MAX_WITHIN:
            self.unread.append(name)
        else:
            self.write(message, where, within)

    def _write_head(self, message: EmailMessage) -> None:
        if subject := header(message, "Subject"):
            self.writer.heading(1, subject)
        said = [(name, header(message, name)) for name in ("From", "To", "Cc")]
        told = [f"{name}: {value}" for name, value in [*said, ("Date", sent(message))] if value]
        if told:
            self.writer.line("; ".join(told))

    def _write_body(self, message: EmailMessage) -> EmailMessage | None:
        """Write the text, and return the part that holds it."""
        return next(filter(self._wrote_text, bodies(message)), None)

    def _wrote_text(self, part: EmailMessage) -> bool:
        text = text_of(part)
        if not (has_words(text) if text is not None else payload(part)):
            return False
        ending = _ENDINGS.get(part.get_content_subtype(), ".txt")
        if ending == ".txt" and text is not None:
            self.writer.line(text.strip())
            return True
        # A byte order mark goes before what a page says of its encoding.
        content = payload(part) if text is None else text.encode("utf-8-sig", "replace")
        within = self._readable(f"{self._key} text{ending}", content)
        if within:
            self.writer.document_within(within)
        return within is not None

    def _write_events(self, invitations: Iterable[bytes]) -> bool:
        """Write the events of invitations, each once: it often comes beside the text and attached; tell of any."""
        told = [event for invitation in invitations for event in events(invitation)]
        for event in told:
            if event not in self._events:
                self._events.append(event)
                self.writer.line(event)
        return bool(told)

    def _write_attachment(self, content: bytes, name: str, where: str) -> None:
        within = self._readable(f"{self._key} attachment {name}", content)
        if within:
            self.writer.document_within(within, where)

    def _readable(self, key: str, content: bytes) -> Document | None:
        try:
            found = self._read(key, content)
        except BadDocument as error:
            self.writer.warnings.append(str(error))
            return None
        self.writer.warnings += found.warnings
        return found
