"""The events of an invitation (iCalendar, RFC 5545), a line each: summary, time and place."""

from collections.abc import Iterator
from datetime import date, datetime

from icalendar import Calendar, Component

MAX_BYTES = 500_000  # the library takes a second for 1.2 MB
MAX_EVENTS = 50


def events(content: bytes) -> list[str]:
    """Return a line for each event; none if it is no calendar, or larger than MAX_BYTES."""
    try:
        calendars = Calendar.from_ical(content, multiple=True) if len(content) <= MAX_BYTES else []
        found = [(calendar, event) for calendar in calendars for event in calendar.walk("VEVENT")]
        return ["; ".join(_told(calendar, event)) for calendar, event in found[:MAX_EVENTS]]
    except Exception:  # the library raises ValueError and whatever damage leads to
        return []


def _told(calendar: Component, event: Component) -> Iterator[str]:
    cancelled = "CANCEL" in (str(calendar.get("METHOD")), str(event.get("STATUS"))[:6])
    yield f"{'Cancelled event' if cancelled else 'Event'}: {_line(event, 'SUMMARY') or 'without a summary'}"
    begins, ends = (getattr(event.get(name), "dt", None) for name in ("DTSTART", "DTEND"))
    if isinstance(begins, date):
        yield f"When: {_time(begins, ends)}"
    if place := _line(event, "LOCATION"):
        yield f"Where: {place}"
    if repeats := (event.get("RRULE") or {}).get("FREQ"):
        yield f"Repeats: {str(repeats[0]).lower()}"


def _line(event: Component, name: str) -> str:
    return " ".join(str(event.get(name) or "").split())


def _time(begins: date, ends: object) -> str:
    """Return the days, or the times with their time zone as the calendar names it."""
    if not isinstance(begins, datetime):
        return f"{begins}"
    until = ""
    if isinstance(ends, datetime):
        until = f" to {ends:%H:%M}" if ends.date() == begins.date() else f" to {ends:%Y-%m-%d %H:%M}"
    return f"{begins:%Y-%m-%d %H:%M}{until}{f' ({begins.tzinfo})' if begins.tzinfo else ''}"
