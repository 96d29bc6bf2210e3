"""The events of calendars and invitations, each on a line."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

from icalendar import Calendar, Component, Event

from selfrag.domain.documents import Document
from selfrag.domain.errors import BadDocument
from selfrag.domain.writing import Writer, list_names

MAX_BYTES = 5_000_000  # the library takes a second for 1.2 MB
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour"}
_DAYS = {"MO": "Mon", "TU": "Tue", "WE": "Wed", "TH": "Thu", "FR": "Fri", "SA": "Sat", "SU": "Sun"}
_WORDS = {"BYDAY": "on", "BYMONTHDAY": "on day", "BYMONTH": "in"}
_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd", -1: "last"}


def read_ics(key: str, content: bytes) -> Document:
    """Return a calendar as a Document in which each event is cited whole; raises BadDocument."""
    lines, warnings = events(key, content)
    if not lines:
        raise BadDocument(f"{key} holds no event that can be read, or is larger than 5 MB; export it again, in parts.")
    writer = Writer(key)
    for line in lines:
        writer.definition("", line)
    writer.warnings += warnings
    return writer.document()


def events(key: str, content: bytes) -> tuple[list[str], list[str]]:
    """Return a line per event and a warning about other entries; nothing if invalid or too large."""
    lines, unread = list[str](), 0
    try:
        calendars = Calendar.from_ical(content, multiple=True) if len(content) <= MAX_BYTES else []
    except Exception:  # the library raises ValueError and, for damaged input, others
        return [], []
    for calendar in calendars:
        for entry in calendar.walk():
            try:
                if isinstance(entry, Event):
                    lines.append("; ".join(_fields(calendar, entry)))
                unread += entry.name in ("VTODO", "VJOURNAL")
            except Exception:  # as above
                unread += 1
    warning = f"{key} has calendar entries that were not read ({unread}): tasks, and events that are damaged."
    return lines, [warning] if unread and lines else []


def _fields(calendar: Component, event: Event) -> Iterator[str]:
    cancelled = "CANCEL" in (str(calendar.get("METHOD")), str(event.get("STATUS"))[:6])
    yield f"{'Cancelled event' if cancelled else 'Event'}: {_line(event, 'SUMMARY') or 'without a summary'}"
    if start := event.get("DTSTART"):
        yield f"When: {_time(start.dt, event.end, start.params.get('TZID'))}"
    if replaced := event.get("RECURRENCE-ID"):
        yield f"in place of {_day(replaced.dt)}"
    if place := _line(event, "LOCATION"):
        yield f"Where: {place}"
    if rule := event.get("RRULE"):
        yield f"Repeats: {_repetition(rule, getattr(start and start.dt, 'tzinfo', None))}"
    for name, called in (("EXDATE", "without"), ("RDATE", "also on")):
        if days := [_day(value.dt) for dates in _all(event.get(name)) for value in dates.dts]:
            yield f"{called} {', '.join(days)}"
    for name, called in (("ORGANIZER", "Organizer"), ("ATTENDEE", "Attendees")):
        if people := [who.params.get("CN") or str(who).partition(":")[2] for who in _all(event.get(name))]:
            yield f"{called}: {list_names(people)}"
    if description := _line(event, "DESCRIPTION"):
        yield f"Description: {description}"


def _all(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _line(event: Component, name: str) -> str:
    return " ".join(str(event.get(name) or "").split())


def _day(moment: Any) -> str:
    """Return the day of a date, a time, or a period."""
    first = moment[0] if isinstance(moment, tuple) else moment
    return f"{first:%Y-%m-%d}"


def _time(begins: date, ends: date, zone: str | None) -> str:
    """Return the days, or the times with their time zone as the calendar names it."""
    if not isinstance(begins, datetime):  # the end of whole days is the day after
        last = ends - timedelta(days=1)
        return f"{begins} to {last}" if last > begins else f"{begins}"
    until = ""
    if isinstance(ends, datetime) and ends != begins:
        ends = ends.astimezone(begins.tzinfo) if begins.tzinfo and ends.tzinfo else ends
        until = f" to {ends:%H:%M}" if ends.date() == begins.date() else f" to {ends:%Y-%m-%d %H:%M}"
    named = zone or ("UTC" if begins.tzinfo else "")
    return f"{begins:%Y-%m-%d %H:%M}{until}{f' ({named})' if named else ''}"


def _repetition(rule: Any, zone: tzinfo | None) -> str:
    """Describe a recurrence rule in words; rare parts keep their iCalendar names."""
    parts = {name.upper(): values for name, values in rule.items() if name.upper() != "WKST"}
    unit, every, count = str(parts.pop("FREQ")[0]), parts.pop("INTERVAL", [1])[0], parts.pop("COUNT", None)
    words = [f"every {every} {_UNITS.get(unit, unit)}s" if every > 1 else unit.lower()]
    for name, values in parts.items():
        words.append(f"{_WORDS.get(name, name.lower())} {', '.join(_spelt(name, value, zone) for value in values)}")
    return " ".join(words) + (f", {count[0]} times" if count else "")


def _spelt(name: str, value: Any, zone: tzinfo | None) -> str:
    if name == "UNTIL":  # in UTC; a repetition ends on the local date of its event
        return _day(value.astimezone(zone) if zone and getattr(value, "tzinfo", None) else value)
    if name == "BYMONTH":
        return f"{date(2000, int(value), 1):%b}"
    if name != "BYDAY":
        return "last" if value == -1 else str(value)
    number = int(value[:-2] or 0)
    return f"{_ORDINALS.get(number, f'{number}th')} {_DAYS.get(value[-2:], value)}" if number else _DAYS[value]
