"""Tables of contents in a PDF: lines that lead with dots to the number of a page."""

import re
from collections.abc import Sequence

from ingestion.parse_document.pdf.shapes import Segment
from ingestion.parse_document.pdf.text.segments import rows_of

_LEADS = re.compile(r"(\S)(?:\s?\1){4,}\s*(?:\d+|[ivxlc]+)$")
_ENDS_IN_A_PAGE = re.compile(r"\s(?:\d+|[ivxlc]+)$")
_LEAST = 3
_SHARE = 0.3  # of the lines of a page, from which on its other entries are taken for contents as well


def without_contents(segments: Sequence[Segment]) -> list[Segment]:
    """Return the stretches of a page that are not in a table of contents; a list of three lines and more is one."""
    rows = rows_of(segments)
    texts = [" ".join(one.text for one in row) for row in rows]
    leads = [bool(_LEADS.search(text)) for text in texts]
    if sum(leads) < min(_LEAST, len(rows)):
        return list(segments)
    page_of_them = sum(leads) >= _SHARE * len(rows)
    dropped = {
        id(one)
        for row, text, lead in zip(rows, texts, leads, strict=True)
        if lead or (page_of_them and _ENDS_IN_A_PAGE.search(text))
        for one in row
    }
    return [one for one in segments if id(one) not in dropped]
