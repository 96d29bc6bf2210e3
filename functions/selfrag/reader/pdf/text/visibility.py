"""Visible words of a page; hidden ones may carry instructions for programs."""

from collections.abc import Sequence

from selfrag.reader.pdf.pdfium import Color, Paint, PdfPage
from selfrag.reader.pdf.shapes import Box, Word

_PALE, _GREY, _OPAQUE = 96, 40, 160  # of 255
_LIGHT, _FAINT = 208, 40  # of 255: fainter paint may not show on paper
_ALIKE = 24  # of 255: indistinguishable colors
_MIN_POINTS, _MIN_SHARE = 2.0, 0.0024  # points, and of the height of a page, which may be very small
_FAR = 2.5  # sizes between lines
_INNER = 0.2  # of a word's height above and below, where table lines or neighbours may intrude


def visible_words(
    words: Sequence[Word], page: PdfPage, pictures: Sequence[Box], fills: Sequence[tuple[Box, Color]]
) -> list[Word]:
    """Return the words visible on paper of any color, and the OCR text layer over pictures.

    Words of doubtful paint are compared with the rendered page; pages without them are not rendered.
    """
    inside = _inside(words, page)
    paints = [page.paint(word.index) for word in inside]
    alike = {
        color: [box for box, fill in fills if max(abs(a - b) for a, b in zip(color, fill, strict=True)) <= _ALIKE]
        for color in {paint.color for paint in paints}
    }
    doubtful = {
        id(word)
        for word, paint in zip(inside, paints, strict=True)
        if _is_doubtful(word, paint, pictures, alike[paint.color])
    }
    if not doubtful:
        return inside
    rendering = page.render()
    return [word for word in inside if id(word) not in doubtful or rendering.contrast(_middle_of(word)) > _ALIKE]


def _inside(words: Sequence[Word], page: PdfPage) -> list[Word]:
    """Return the words on the page that are not tiny, including text that runs over the bottom edge."""
    shown = page.bounds()
    least, over = min(_MIN_POINTS, _MIN_SHARE * shown.height), set[int]()
    turned = [shown.turn(quarters) for quarters in range(4)]
    large = [word for word in words if max(word.size, word.box.height) >= least]
    inside = {id(word) for word in large if word.box.meets(turned[word.quarters])}
    if len(inside) < len(large) and not page.is_cropped():
        lowest = min((word.box.bottom for word in large if id(word) in inside), default=shown.top)
        for word in sorted(large, key=lambda word: -word.box.top):
            below = word.box.top <= shown.bottom and word.box.right > shown.left and word.box.left < shown.right
            if below and id(word) not in inside and lowest - word.box.top < _FAR * word.size:
                over.add(id(word))
                lowest = min(lowest, word.box.bottom)
    # If all words are outside, the box is wrong: programs swap its sides when rotating pages.
    return [word for word in large if not inside or id(word) in inside or id(word) in over]


def is_pale(paint: Paint) -> bool:
    """Return whether letters are grey or translucent."""
    return (min(paint.color) >= _PALE and max(paint.color) - min(paint.color) <= _GREY) or paint.opaque < _OPAQUE


def _is_doubtful(word: Word, paint: Paint, pictures: Sequence[Box], alike: Sequence[Box]) -> bool:
    """Return whether a word may be invisible by its paint or a box of its color (`alike`)."""
    if not paint.drawn:
        return not any(picture.holds(_middle_of(word)) for picture in pictures)
    faint = paint.layered or min(paint.color) >= _LIGHT or paint.opaque <= _FAINT
    return faint or any(box.holds(_middle_of(word)) for box in alike)


def _middle_of(word: Word) -> Box:
    """Return a word's box on the page without its upper and lower edges."""
    edge = _INNER * word.box.height
    box = word.box._replace(bottom=word.box.bottom + edge, top=word.box.top - edge)
    return box.turn(-word.quarters)
