"""A message taken apart by the standard library, within bounds."""

from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import EmailPolicy
from email.utils import parsedate_to_datetime
from typing import cast

from selfrag.reader.zipped import TooMuch

MAX_HEADER = 2_000  # characters; the parser of headers takes time with the square of their length
MAX_HEADERS = 10_000
MAX_BOUNDARIES = 200  # each line is compared with all that are open
_MAX_NAME = 100
_CALENDARS = frozenset({"text/calendar", "application/ics"})
# Texts with a reader of their own here, or that no person reads as they are.
_OF_OTHER_USE = frozenset({"plain", "html", "calendar", "rtf"})


def parsed(content: bytes) -> EmailMessage:
    """Return a message; raises TooMuch, or what the standard library does."""
    if content.lower().count(b"boundary=") > MAX_BOUNDARIES:
        raise TooMuch(f"has more than {MAX_BOUNDARIES} parts that hold others; save its attachments by themselves")
    counted = 0

    class Bounded(EmailPolicy):
        """Counts headers, and cuts them."""

        def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
            nonlocal counted
            counted += 1
            if counted > MAX_HEADERS:
                raise TooMuch(f"has more than {MAX_HEADERS} lines of headers; save it as .eml again")
            name, value = super().header_source_parse(sourcelines)
            return name, value[:MAX_HEADER]

    return cast(EmailMessage, message_from_bytes(content, policy=Bounded()))


def header(message: Message, name: str) -> str:
    """Return what a header says, on one line; "" if it says nothing that can be read."""
    try:
        value = str(message[name] or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except Exception:  # the parser of headers raises what the damage leads to
        return ""
    return " ".join(value.split())


def sent(message: Message) -> str:
    """Return the day and time at which a message was sent; "" if it does not say."""
    try:
        return f"{parsedate_to_datetime(header(message, 'Date')):%Y-%m-%d %H:%M}"
    except Exception:  # as above
        return ""


def bodies(message: EmailMessage) -> Iterator[EmailMessage]:
    """Yield the parts that may be the text: plain text, a web page, then any other text that is not attached."""
    for kind in ("plain", "html"):
        if found := message.get_body((kind,)):
            yield cast(EmailMessage, found)
    for part in _not_attached(message):
        if part.get_content_maintype() == "text" and part.get_content_subtype() not in _OF_OTHER_USE:
            yield part


def calendars(message: EmailMessage) -> list[EmailMessage]:
    """Return the invitations that stand in a message beside its text."""
    return [part for part in _not_attached(message) if is_calendar(part)]


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
    """Return the bytes of a part, decoded from what mail can carry."""
    found = part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def text_of(part: Message) -> str | None:
    """Return the text of a part in the encoding that it declares; None if it declares none, or another one."""
    charset = part.get_content_charset()
    try:
        return payload(part).decode(charset).replace("\r\n", "\n") if charset else None
    except (LookupError, ValueError):
        return None


def attachments(message: EmailMessage) -> list[tuple[str, EmailMessage]]:
    """Return what is attached, by name; pictures that stand in the text are not."""
    found = list[tuple[str, EmailMessage]]()
    if message.get_content_type() == "message/rfc822":
        return found
    for part in message.iter_attachments():
        if part.get_content_maintype() == "multipart":
            found += attachments(part)
        elif name := _name(part):
            found.append((name, part))
    return found


def _name(part: EmailMessage) -> str:
    name = " ".join((part.get_filename() or "").replace("/", " ").split())[-_MAX_NAME:]
    if part.get_content_type() == "message/rfc822":
        return name or "message.eml"
    if part.get_content_maintype() == "image" and part.get_content_disposition() != "attachment":
        return ""
    return name or {"text/plain": "text.txt", "text/html": "text.html"}.get(part.get_content_type(), "without a name")
