"""The parts of an OpenDocument file that are not shown, or are no part of its text."""

from selfrag.reader.zipped import local


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Not shown, shown elsewhere as well, or furniture: changes, remarks, tables of contents, readings of characters.
_SKIPPED = _names(
    "tracked-changes annotation table-of-content illustration-index table-index object-index user-index forms desc "
    "alphabetical-index sequence-decls note-citation ruby-text event-listeners settings date-time-decl hidden-text "
    "hidden-paragraph covered-table-cell footer-decl header-decl binary-data"
)
PAGE_NUMBERS = frozenset({"page-number", "page-count", "slide-number"})
_FURNITURE = frozenset({"header", "footer", "date-time", "page-number", "page"})
_SVG_TITLE = "svg-compatible:1.0 title"


def is_left_out(tag: str, kind: str) -> bool:
    """Return whether an element is left out, with all that it holds; `kind` is the class that it says it is of."""
    name = local(tag)
    return name in _SKIPPED or name in PAGE_NUMBERS or kind in _FURNITURE or tag.endswith(_SVG_TITLE)
