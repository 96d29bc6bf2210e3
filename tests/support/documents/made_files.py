"""A small file of each supported kind, each with the hotel limit of a different city."""

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.support.documents.files import docx, paragraph, pdf
from tests.support.documents.office import ODP_TYPE, ODT_TYPE, eml, epub, odf, pptx, shape
from tests.support.documents.workbooks import grid, ods, ods_table, xls, xlsb, xlsx

# A city and its limit in euros; the number is in no other file.
Maker = Callable[[str, int], bytes]
_CITIES = (
    "Oslo", "Lyon", "Kobe", "Lima", "Cairo", "Perth", "Quito", "Dakar", "Seoul", "Turin", "Graz", "Bergen", "Porto",
    "Leeds", "Basel", "Gdansk", "Izmir", "Haifa", "Osaka", "Busan", "Davao", "Natal", "Tampa", "Boise", "Malmo",
    "Tartu", "Varna", "Split", "Patras", "Jena", "Metz", "Genoa", "Vigo", "Galway", "Aarhus", "Turku",
)  # fmt: skip


def _sentence(city: str, euros: int) -> str:
    return f"The hotel limit per night in {city} is {euros} EUR."


def _text(city: str, euros: int) -> bytes:
    return f"Travel to {city}\n\n{_sentence(city, euros)}\n".encode()


def _markdown(city: str, euros: int) -> bytes:
    return f"# Travel to {city}\n\n{_sentence(city, euros)}\n".encode()


def _html(city: str, euros: int) -> bytes:
    return f"<title>Travel to {city}</title><h1>Hotels</h1><p>{_sentence(city, euros)}</p>".encode()


def _csv(city: str, euros: int) -> bytes:
    return f"city,hotel limit per night in EUR\n{city},{euros}\nElsewhere,90\n".encode()


def _pdf(city: str, euros: int) -> bytes:
    return pdf(f"Travel to {city}", _sentence(city, euros))


def _docx(city: str, euros: int) -> bytes:
    return docx(paragraph(f"Travel to {city}", "Titel"), paragraph(_sentence(city, euros)))


_COLUMNS = ("city", "hotel limit per night in EUR")


def _tsv(city: str, euros: int) -> bytes:
    return _csv(city, euros).replace(b",", b"\t")


def _json(city: str, euros: int) -> bytes:
    return json.dumps([{_COLUMNS[0]: city, _COLUMNS[1]: euros}]).encode()


def _json_lines(city: str, euros: int) -> bytes:
    return json.dumps({_COLUMNS[0]: city, _COLUMNS[1]: euros}).encode() + b"\n"


def _xlsx(city: str, euros: int) -> bytes:
    return xlsx({"Limits": grid([_COLUMNS, (city, euros)])})


def _xls(city: str, euros: int) -> bytes:
    return xls({"Limits": [_COLUMNS, (city, euros)]})


def _xlsb(city: str, euros: int) -> bytes:
    return xlsb([_COLUMNS, (city, float(euros))])


def _ods(city: str, euros: int) -> bytes:
    return ods(ods_table("Limits", [_COLUMNS, (city, str(euros))]))


def _pptx(city: str, euros: int) -> bytes:
    return pptx(shape(f"Travel to {city}", kind="title") + shape(_sentence(city, euros)))


def _odt(city: str, euros: int) -> bytes:
    body = f"<text:h>Travel to {city}</text:h><text:p>{_sentence(city, euros)}</text:p>"
    return odf(ODT_TYPE, f"<office:text>{body}</office:text>")


def _odp(city: str, euros: int) -> bytes:
    box = f"<draw:frame><draw:text-box><text:p>{_sentence(city, euros)}</text:p></draw:text-box></draw:frame>"
    return odf(ODP_TYPE, f"<office:presentation><draw:page>{box}</draw:page></office:presentation>")


def _epub(city: str, euros: int) -> bytes:
    return epub({"travel": f"<h1>Travel to {city}</h1><p>{_sentence(city, euros)}</p>"})


def _eml(city: str, euros: int) -> bytes:
    return eml(_sentence(city, euros), subject=f"Travel to {city}")


def _ics(city: str, euros: int) -> bytes:
    event = (
        "BEGIN:VEVENT",
        f"SUMMARY:Travel to {city}",
        "DTSTART:20260305T090000",
        f"DESCRIPTION:{euros} EUR",
        "END:VEVENT",
    )
    return "\r\n".join(("BEGIN:VCALENDAR", *event, "END:VCALENDAR", "")).encode()


# One for each ending of selfrag.domain.kinds.EXTENSIONS; a test compares.
MAKERS: dict[str, Maker] = {
    ".csv": _csv,
    ".eml": _eml,
    ".epub": _epub,
    ".ics": _ics,
    ".odp": _odp,
    ".odt": _odt,
    ".pptx": _pptx,
    ".ods": _ods,
    ".xls": _xls,
    ".xlsb": _xlsb,
    ".xlsm": _xlsx,
    ".xlsx": _xlsx,
    ".ndjson": _json_lines,
    ".jsonl": _json_lines,
    ".json": _json,
    ".tsv": _tsv,
    ".docx": _docx,
    ".htm": _html,
    ".html": _html,
    ".markdown": _markdown,
    ".md": _markdown,
    ".pdf": _pdf,
    ".text": _text,
    ".txt": _text,
}


class Scanned(NamedTuple):
    """A document that is a picture, and its fact."""

    key: str
    city: str
    euros: int

    @property
    def text(self) -> str:
        """Return the text in the picture."""
        return _sentence(self.city, self.euros)


SCANNED = Scanned("documents/scanned.pdf", "Reykjavik", 99)


def facts() -> dict[str, tuple[str, int]]:
    """By ending: the city that the file of this kind is about, and its limit."""
    return {
        ending: (city, 101 + place) for place, (ending, city) in enumerate(zip(sorted(MAKERS), _CITIES, strict=False))
    }


def made_files() -> Mapping[str, bytes]:
    """By ending: a file of this kind."""
    return {ending: MAKERS[ending](city, euros) for ending, (city, euros) in facts().items()}


def question_about(city: str) -> str:
    """Return what only the file about this city answers."""
    return f"What is the hotel limit per night in {city}?"
