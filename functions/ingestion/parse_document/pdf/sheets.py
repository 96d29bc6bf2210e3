"""A page of a PDF as stretches of lines and drawn lines, set upright."""

from collections import Counter

from ingestion.parse_document.pdf.pdfium import Page
from ingestion.parse_document.pdf.shapes import Rule, Sheet
from ingestion.parse_document.pdf.tables.frames import frames_of
from ingestion.parse_document.pdf.text.segments import segments_of
from ingestion.parse_document.pdf.text.words import words_of


def sheet_of(page: Page) -> Sheet:
    """Return what a page shows; text that runs across the rest, such as a stamp in the margin, is apart."""
    words, (rules, pictures) = words_of(page), page.rules_and_pictures()
    letters = Counter[int]()
    for word in words:
        letters[word.quarters] += len(word.text)
    main = max(letters, key=lambda quarters: letters[quarters], default=0)
    turned = [Rule(rule.box.turned(main), rule.flat == (main % 2 == 0)) for rule in rules]
    segments = segments_of([word for word in words if word.quarters == main], turned, page.look)
    across = segments_of([word for word in words if word.quarters != main], (), page.look)
    return Sheet(segments, across, turned, frames_of(turned), pictures)
