"""The tables of a sheet: blank rows and columns divide them, and a merged cell is in all of its rows."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from selfrag.reader.data.workbooks.workbook import Sheet
from selfrag.reader.zipped import TooMuch

_NARROWEST, _MOST = 2, 20  # columns of a table beside others, and such tables
MAX_STEPS = 20_000_000  # cells with and without a value up to the last one of each row, and cells in merged ones

Band = list[tuple[int, bool, dict[int, str]]]


def blocks(sheet: Sheet, divides: bool) -> Iterator[tuple[int, int, Band]]:
    """Stretches of rows between blank ones, each cut at blank columns: first and last column, and the rows.

    Raises TooMuch if the values lie so far apart that going through the rows would take long.
    """
    if sum(max(row, default=0) for row in sheet.rows.values()) > MAX_STEPS:
        raise TooMuch("has values too far apart; move them together, or save it as several files")
    for band in _bands(sheet):
        columns = sorted({column for _, _, row in band for column in row})
        starts = [0, *(n for n, (one, other) in enumerate(pairwise(columns), 1) if _gap(sheet, one, other))]
        groups = [(columns[a], columns[b - 1]) for a, b in pairwise([*starts, len(columns)])]
        if (
            not divides
            or len(band) == 1
            or len(groups) > _MOST
            or any(right - left + 1 < _NARROWEST for left, right in groups)
        ):
            groups = [(columns[0], columns[-1])]
        for left, right in groups:
            kept = [
                (number, apart, {c: v for c, v in row.items() if left <= c <= right}) for number, apart, row in band
            ]
            yield left, right, [each for each in kept if each[2]]


def _gap(sheet: Sheet, one: int, other: int) -> bool:
    return any(column not in sheet.hidden_columns for column in range(one + 1, other))


def _bands(sheet: Sheet) -> Iterator[Band]:
    band: Band = []
    before, apart = 0, False
    for number in sorted(sheet.rows):
        apart = apart or (number - before > 1 and before > 0)
        before = number
        if number in sheet.hidden_rows or not sheet.rows[number]:
            continue
        if apart and band:
            yield band
            band = []
        band.append((number, apart, sheet.rows[number]))
        apart = False
    if band:
        yield band


def unmerge(sheet: Sheet) -> tuple[dict[int, dict[int, int]], set[int]]:
    """Repeat a cell that spans rows in each of them that has a value; gives the widths by row and column.

    Gives, too, the rows into which a cell from above reaches.
    """
    numbers, steps = sorted(sheet.rows), 0
    wide: dict[int, dict[int, int]] = {}
    from_above: set[int] = set()
    for merged in sheet.merged:
        value = sheet.rows.get(merged.top, {}).get(merged.left, "")
        if not value:
            continue
        if merged.right > merged.left:
            wide.setdefault(merged.top, {})[merged.left] = merged.right - merged.left + 1
        below = numbers[bisect_right(numbers, merged.top) : bisect_right(numbers, merged.bottom)]
        steps += len(below)
        if steps > MAX_STEPS:
            raise TooMuch("has too many merged cells; split it into several files")
        for number in below:
            if merged.left not in sheet.rows[number]:
                sheet.rows[number][merged.left] = value
                from_above.add(number)
                if merged.right > merged.left:
                    wide.setdefault(number, {})[merged.left] = merged.right - merged.left + 1
    return wide, from_above
