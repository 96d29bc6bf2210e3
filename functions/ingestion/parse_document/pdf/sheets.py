"""A page of a PDF as stretches of lines and drawn lines, set upright."""

from collections import Counter

from ingestion.parse_document.pdf.pdfium import Page
from ingestion.parse_document.pdf.shapes import Rule, Sheet
from ingestion.parse_document.pdf.tables.frames import frames_of
from ingestion.parse_document.pdf.text.segments import segments_of
from ingestion.parse_document.pdf.text.words import words_of


def sheet_of(page: Page | None) -> Sheet:
    """Return what a page shows; text that runs across the rest, such as a stamp in the margin, comes last."""
    if page is None:
        return Sheet(lost=True)
    words, (rules, pictures) = words_of(page), page.rules_and_pictures()
    letters = Counter[int]()
    for word in words:
        letters[word.quarters] += len(word.text)
    main = letters.most_common(1)[0][0] if letters else 0
    turned = [Rule(rule.box.turned(main), rule.flat == (main % 2 == 0)) for rule in rules]
    upright = [word for word in words if word.quarters == main]
    across = [word for word in words if word.quarters != main]
    segments, aside = segments_of(upright, turned, page.look), segments_of(across, (), page.look)
    return Sheet(segments, aside, turned, frames_of(turned), pictures)
