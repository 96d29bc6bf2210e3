"""Table values on one line with their names, since a passage may be cut between any lines."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from bench.documents.known.areas import Cell
from bench.documents.measures.tokens import tokens

_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")


# A line that is longer than its row with all headings by more than this holds more than the row.
TIMES = 2


def cells_kept(cells: Sequence[Cell], lines: Iterable[str]) -> int:
    """Return how many cells stand in one line with all headings of their column and, if it has one, their row's.

    Their order within the line is irrelevant; consecutive words are compared. A line longer than twice the row with all
    its headings does not count: a page on one line does not show which values belong together.
    """
    at = Lines(lines)
    return sum(
        at.holds([*cell.columns, *([cell.row] if cell.row else []), cell.value], TIMES * cell.size) for cell in cells
    )


class Lines:
    """The lines of a reader's text by the words that they hold."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: list[str] = []
        self._sizes: list[int] = []
        self._with: defaultdict[str, set[int]] = defaultdict(set)
        for line in lines:
            found = tokens(line)
            for token in found:
                self._with[token].add(len(self._lines))
            self._lines.append(f" {' '.join(found)} ")
            self._sizes.append(sum(map(len, found)))

    def holds(self, phrases: Sequence[str], size: int) -> bool:
        """Return whether one line of at most so many characters holds each phrase; one without a word is in any."""
        wanted = [found for phrase in phrases if (found := tokens(phrase))]
        if not wanted:
            return True
        places = set.intersection(*sorted((self._with[token] for phrase in wanted for token in phrase), key=len))
        whole = [f" {' '.join(phrase)} " for phrase in wanted]
        return any(
            self._sizes[place] <= size and all(phrase in self._lines[place] for phrase in whole) for place in places
        )


def lines_of(text: str) -> list[str]:
    """The lines of a text; a row of a table in Markdown says its headings, as one who sees the whole table reads it."""
    found: list[str] = []
    names: list[str] | None = None
    for line in text.splitlines():
        if not is_row(line):
            names = None
            found.append(line)
        elif names is None or is_rule(line):
            names = names if names is not None else split(line)
            found.append(line)
        else:
            found.append("; ".join(f"{name}: {value}" for name, value in _paired(names, split(line))))
    return found


def is_row(line: str) -> bool:
    """Return whether a line is a row of a table in Markdown."""
    return line.lstrip().startswith("|") and line.count("|") > 1


def is_rule(line: str) -> bool:
    """Return whether a row is only the line below the names."""
    return _RULE.fullmatch(line.strip()) is not None


def split(line: str) -> list[str]:
    """Return the values of a row in Markdown."""
    return [value.strip() for value in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _paired(names: Sequence[str], values: Sequence[str]) -> list[tuple[str, str]]:
    return [(names[at] if at < len(names) else "", value) for at, value in enumerate(values)]
