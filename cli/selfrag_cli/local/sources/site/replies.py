"""Replies of a site: what came, of which kind it is, and what its headers say of time."""

import mimetypes
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import httpx2

from selfrag.domain.kinds import EXTENSIONS, REFUSED

# The status of an address that was not asked, because it is in a private network.
PRIVATE = -1
PAGES = ("text/html", "application/xhtml+xml")
# Types that say no more than that there are bytes, or text: then the ending of the address counts.
_VAGUE = ("", "application/octet-stream", "binary/octet-stream", "application/force-download", "text/plain")
# Of these kinds nothing is asked for: what only shows, sounds or runs.
_NO_DOCUMENTS = ("audio/", "font/", "image/", "video/", "text/css", "text/javascript", "application/javascript")
# A page that was changed no longer than this before it was sent was made for the request.
_MADE_NOW = timedelta(seconds=60)


@dataclass(frozen=True)
class Reply:
    """The reply to a request; status 0 for none, PRIVATE if the request was not sent; `why` says why in a clause.

    `unreachable` hosts cannot be connected to, and need not be tried again. `location` is where a redirect leads,
    `retry_after` how long to wait in seconds. `ending` is that of the kind, "" for one that is not read, whose ending
    is `other`; the content is empty then. `day` is when the page was changed, in ISO 8601, "" if that is not known.
    """

    status: int
    why: str = ""
    unreachable: bool = False
    location: str = ""
    retry_after: float | None = None
    etag: str = ""
    modified: str = ""
    ending: str = ""
    other: str = ""
    content: bytes = b""
    day: str = ""

    @property
    def ok(self) -> bool:
        """Return whether the address has sent something."""
        return 200 <= self.status < 300


def head_of(address: str, response: httpx2.Response) -> Reply:
    """Return what the head of a response says."""
    headers, kind = response.headers, response.headers.get("content-type", "")
    ending = ending_for(address, kind)
    return Reply(
        status=response.status_code,
        location=headers["location"] if response.has_redirect_location else "",
        retry_after=_seconds(headers.get("retry-after", ""), headers.get("date", "")),
        etag=headers.get("etag", ""),
        modified=headers.get("last-modified", ""),
        ending=ending,
        other="" if ending else (_ending(address) or mimetypes.guess_extension(_media(kind)) or ""),
        day=_day(headers.get("last-modified", ""), headers.get("date", "")),
    )


def ending_for(address: str, content_type: str) -> str:
    """Return the ending of the kind that a page is of, by its type and else by its address; "" if it is not read."""
    media, named = _media(content_type), _ending(address)
    if media in PAGES:
        return ".html"
    known = mimetypes.guess_all_extensions(media)
    if named in EXTENSIONS and (media in _VAGUE or not known or named in known):
        return named
    return next((ending for ending in known if ending in EXTENSIONS), "")


def no_document(address: str) -> str:
    """Return the ending of an address that needs not be asked for, since its kind is not read; "" for all others."""
    ending = _ending(address)
    media = mimetypes.guess_type(f"x{ending}")[0] or ""
    return ending if ending in REFUSED or media.startswith(_NO_DOCUMENTS) else ""


def _media(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _ending(address: str) -> str:
    return PurePosixPath(urlsplit(address).path.rpartition("/")[2]).suffix.lower()


def _seconds(retry_after: str, date: str) -> float | None:
    """Return the seconds that a Retry-After asks to wait: it is a number, or a moment."""
    if retry_after.strip().isdecimal():
        return float(retry_after)
    moment = _moment(retry_after)
    return max(0.0, (moment - (_moment(date) or datetime.now(UTC))).total_seconds()) if moment else None


def _day(modified: str, date: str) -> str:
    moment, now = _moment(modified), _moment(date)
    return "" if moment is None or (now and now - moment <= _MADE_NOW) else moment.date().isoformat()


def _moment(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
