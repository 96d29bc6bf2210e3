"""Copyright and licence notices, which stand in every file of a work, and the one page that has them for all of it."""

import re

from selfrag.reader.web.furniture import Attributes, names

# DocBook's page of the title says once for a work who made it and what is allowed.
_TITLE_PAGES = names("titlepage legalnotice")
_NOTICE = re.compile(
    r"""\s*(?:
        (?:Copyright\s*)? (?:©|\(C\)) \s* (?:Copyright\s*)? \d{4}
      | Copyright \s+ \d{4}
      | Permission\s+is\s+(?:hereby\s+)?granted (?:,\s+free\s+of\s+charge|\s+to\s+(?:copy|make\s+and|use,))
      | Redistribution\s+and\s+use\s+in\s+source\s+and\s+binary\s+forms
      | This\s[\w\s]{1,40}\sis\s+free\s+(?:software|documentation)
      | This\s[\w\s]{1,40}\sis\s+distributed\s+in\s+the\s+hope\s+that
      | You\s+should\s+have\s+received\s+a\s+copy\s+of\s+the\s+GNU
      | Licensed\s+under\s+the\s+(?:Apache|MIT|BSD|GNU)
      | THE\s+SOFTWARE\s+IS\s+PROVIDED\s+.?AS\s+IS
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def is_title_page(attributes: Attributes) -> bool:
    """Return whether an element is the page that says the title of a work, or what there is said of rights."""
    return not _TITLE_PAGES.isdisjoint((attributes.get("class") or "").split())


def is_notice(text: str) -> bool:
    """Return whether a paragraph is the copyright or licence notice that stands in every file of a work."""
    return bool(_NOTICE.match(text))
