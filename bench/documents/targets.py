"""The targets of the figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.documents.results import Row

MAX_GLUED, MIN_CELLS = 1.0, 95.0
_OURS = "selfrag"


@dataclass(frozen=True)
class Target:
    """A target: its sentence, the required and the measured value, and whether it is met."""

    target: str
    needed: str
    measured: str
    met: str


def targets(rows: Sequence[Row]) -> list[Target]:
    """Return targets for the measured kinds: TeX's glued words, cells with headings, and other readers' results."""
    ours = {row.kind: row for row in rows if row.reader == "selfrag"}
    found = []
    if (tex := ours.get("pdf by TeX")) and tex.glued is not None:
        found.append(_target("words glued in TeX's PDFs", f"at most {MAX_GLUED}", tex.glued, tex.glued <= MAX_GLUED))
    for name, pdf in (("PDFs", True), ("all others", False)):
        of = [row for row in ours.values() if row.kind.startswith("pdf") == pdf and row.of_cells]
        if of:
            share = round(sum(row.kept_cells for row in of) / sum(row.of_cells for row in of) * 100, 2)
            needed = f"at least {MIN_CELLS}%"
            found.append(_target(f"cells with headings in {name}", needed, share, share >= MIN_CELLS))
    for name in ("lost", "glued"):
        better = [
            f"{row.kind} by {row.reader}: {value}"
            for row in rows
            if row.kind in ours and row.reader != _OURS
            for value, own in [(getattr(row, name), getattr(ours[row.kind], name))]
            if value is not None and own is not None and value < own
        ]
        told = "; ".join(better) or "none"
        found.append(_target(f"kinds of which another reader has fewer words {name}", "none", told, not better))
    return found


def _target(target: str, needed: str, measured: object, met: bool) -> Target:
    return Target(target, needed, str(measured), "yes" if met else "no")
