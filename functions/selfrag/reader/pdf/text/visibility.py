"""The words of a page that a person can see: others may be there for programs alone, and give them orders."""

from collections.abc import Sequence

from selfrag.reader.pdf.pdfium import Color, Paint, PdfPage
from selfrag.reader.pdf.shapes import Box, Word

_PALE, _GREY, _OPAQUE = 96, 40, 160  # of 255
_LIGHT, _FAINT = 208, 40  # of 255: a paint that paper may not show
_ALIKE = 24  # of 255: colors that nobody tells apart
_LEAST, _LEAST_SHARE = 2.0, 0.0024  # points, and of the height of a page, which may be very small
_FAR = 2.5  # sizes from a line to the next
_INNER = 0.2  # of a word's height above and below, where lines of its table or its neighbours may be


def seen(
    words: Sequence[Word], page: PdfPage, pictures: Sequence[Box], fills: Sequence[tuple[Box, Color]]
) -> list[Word]:
    """Return the words that a person can see, on paper of any color, and those that text recognition laid on a picture.

    Words of a doubtful paint are looked for in the page as it is painted; a page without them is not painted.
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
    rendering = page.rendered()
    return [word for word in inside if id(word) not in doubtful or rendering.contrast(_middle_of(word)) > _ALIKE]


def _inside(words: Sequence[Word], page: PdfPage) -> list[Word]:
    """Return the words on the page that are not tiny, and the lines of a text that runs on below its lower edge."""
    shown = page.bounds()
    least, over = min(_LEAST, _LEAST_SHARE * shown.height), set[int]()
    turned = [shown.turned(quarters) for quarters in range(4)]
    large = [word for word in words if max(word.size, word.box.height) >= least]
    inside = {id(word) for word in large if word.box.meets(turned[word.quarters])}
    if len(inside) < len(large) and not page.is_cropped():
        lowest = min((word.box.bottom for word in large if id(word) in inside), default=shown.top)
        for word in sorted(large, key=lambda word: -word.box.top):
            below = word.box.top <= shown.bottom and word.box.right > shown.left and word.box.left < shown.right
            if below and id(word) not in inside and lowest - word.box.top < _FAR * word.size:
                over.add(id(word))
                lowest = min(lowest, word.box.bottom)
    # A page all of whose words are outside has a wrong box: programs swap its sides when they turn it.
    return [word for word in large if not inside or id(word) in inside or id(word) in over]


def is_pale(paint: Paint) -> bool:
    """Return whether letters are grey or let through what is below them."""
    return (min(paint.color) >= _PALE and max(paint.color) - min(paint.color) <= _GREY) or paint.opaque < _OPAQUE


def _is_doubtful(word: Word, paint: Paint, pictures: Sequence[Box], alike: Sequence[Box]) -> bool:
    """Return whether a word may not show: for its paint, or for a box of its own color, as `alike` are."""
    if not paint.drawn:
        return not any(picture.holds(_middle_of(word)) for picture in pictures)
    faint = paint.layered or min(paint.color) >= _LIGHT or paint.opaque <= _FAINT
    return faint or any(box.holds(_middle_of(word)) for box in alike)


def _middle_of(word: Word) -> Box:
    """Return the box of a word on the page as it lies, without its upper and lower edge."""
    edge = _INNER * word.box.height
    box = word.box._replace(bottom=word.box.bottom + edge, top=word.box.top - edge)
    return box.turned(-word.quarters)
