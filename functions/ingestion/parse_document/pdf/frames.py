"""Drawn lines that make a frame with cells in it."""

from collections import Counter
from collections.abc import Sequence

from ingestion.parse_document.pdf.shapes import Box, Rule, around

_NEAR = 3  # points: lines that are drawn to meet
_LEAST_FLAT, _LEAST_STANDING = 3, 3  # a box around a text has two of each


def frames_of(rules: Sequence[Rule]) -> list[Box]:
    """The frames of tables: lines that meet, and divide what is in them into rows and columns."""
    groups = list[tuple[Box, list[Rule]]]()
    for rule in rules:
        box, members, others = rule.box, [rule], list[tuple[Box, list[Rule]]]()
        for one, held in groups:
            if _meet(one, box):
                box, members = around([one, box]), held + members
            else:
                others.append((one, held))
        groups = [*others, (box, members)]
    return [box for box, held in groups if _divides(held)]


def flat_lines(rules: Sequence[Rule], least: float) -> list[int]:
    """The heights at which lines lie that are at least so long together, from below."""
    lengths = Counter[int]()
    for rule in rules:
        if rule.flat:
            lengths[round(rule.box.bottom / _NEAR)] += round(rule.box.width)
    heights = list[int]()
    for height in sorted(height for height, length in lengths.items() if length >= least):
        if not heights or height > heights[-1] + 1:
            heights.append(height)
    return [height * _NEAR for height in heights]


def _meet(one: Box, other: Box) -> bool:
    return (
        one.left <= other.right + _NEAR
        and other.left <= one.right + _NEAR
        and one.bottom <= other.top + _NEAR
        and other.bottom <= one.top + _NEAR
    )


def _divides(rules: Sequence[Rule]) -> bool:
    standing = {round(rule.box.left / (2 * _NEAR)) for rule in rules if not rule.flat}
    return len(standing) >= _LEAST_STANDING and len(flat_lines(rules, 0)) >= _LEAST_FLAT
