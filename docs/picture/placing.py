"""The places of boxes and lines in a drawing by layers with few crossings: Sugiyama's method, made small."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

Edge = tuple[str, str]
BOX, LINE, GAP = 188, 14, 26  # how wide a box and a passing line are, and what is left between them
SWEEPS = 12


def passing(edge: Edge, layer: int) -> str:
    """Return the name of the place at which a line passes a layer."""
    return f"{edge[0]}>{edge[1]}@{layer}"


def routes(layers: Sequence[Sequence[str]], edges: Sequence[Edge]) -> dict[Edge, list[str]]:
    """For each edge that leads down, the places that its line goes through: a box, passings, a box."""
    layer_of = {box: number for number, layer in enumerate(layers) for box in layer}
    return {
        edge: [edge[0], *(passing(edge, n) for n in range(layer_of[edge[0]] + 1, layer_of[edge[1]])), edge[1]]
        for edge in sorted(edges)
        if layer_of[edge[0]] < layer_of[edge[1]]
    }


def ordered(layers: Sequence[Sequence[str]], paths: dict[Edge, list[str]]) -> list[list[str]]:
    """Return the places of each layer from left to right, with few crossings."""
    first = {box: number for number, layer in enumerate(layers) for box in layer}
    rows = [list(layer) for layer in layers]
    for path in paths.values():
        for offset, place in enumerate(path[1:-1], first[path[0]] + 1):
            rows[offset].append(place)
    above, below = _neighbours(paths)
    best, least = [list(row) for row in rows], crossings(rows, paths)
    for _ in range(SWEEPS):
        for beside, numbers in ((above, range(1, len(rows))), (below, range(len(rows) - 2, -1, -1))):
            for number in numbers:
                at = {place: (n + 0.5) / len(row) for row in rows for n, place in enumerate(row)}
                wanted = {place: _mean(place, beside, at) for place in rows[number]}
                rows[number].sort(key=wanted.__getitem__)
            if (found := crossings(rows, paths)) < least:
                best, least = [list(row) for row in rows], found
    return best


def crossings(rows: Sequence[Sequence[str]], paths: dict[Edge, list[str]]) -> int:
    """Return how many pairs of lines cross between neighbouring layers."""
    at = {place: number for row in rows for number, place in enumerate(row)}
    row_of = {place: number for number, row in enumerate(rows) for place in row}
    parts = [part for path in paths.values() for part in pairwise(path)]
    return sum(
        (at[a] - at[c]) * (at[b] - at[d]) < 0
        for n, (a, b) in enumerate(parts)
        for c, d in parts[:n]
        if row_of[a] == row_of[c]
    )


def placed(rows: Sequence[Sequence[str]], paths: dict[Edge, list[str]]) -> dict[str, float]:
    """Return the middle of each place: as near to what it is joined with as the widths and the order allow."""
    above, below = _neighbours(paths)
    x = {place: middle for row in rows for place, middle in _packed(row, dict.fromkeys(row, 0.0))}
    for _ in range(SWEEPS):
        for beside, order in ((above, rows), (below, rows[::-1])):
            for row in order:
                x.update(_packed(row, {place: _mean(place, beside, x) for place in row}))
    return x


def _packed(row: Sequence[str], wanted: dict[str, float]) -> Iterator[tuple[str, float]]:
    """Places at the wanted points, or moved as little as keeps their order and their distance."""
    offset, offsets = 0.0, []
    for left, right in pairwise(["", *row]):
        offset += ((_width(left) + _width(right)) / 2 + GAP * _is_box(left, right)) if left else 0.0
        offsets.append(offset)
    # Neighbours that would overlap form a group with one mean (pool adjacent violators).
    groups: list[list[float]] = []
    for place, moved in zip(row, offsets, strict=True):
        groups.append([wanted[place] - moved])
        while len(groups) > 1 and sum(groups[-2]) / len(groups[-2]) > sum(groups[-1]) / len(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    means = [sum(group) / len(group) for group in groups for _ in group]
    return ((place, mean + moved) for place, mean, moved in zip(row, means, offsets, strict=True))


def _is_box(*places: str) -> bool:
    return any(">" not in place for place in places)


def _width(place: str) -> int:
    return BOX if _is_box(place) else LINE


def _mean(place: str, beside: dict[str, list[str]], at: dict[str, float]) -> float:
    joined = beside.get(place) or [place]
    return sum(at[other] for other in joined) / len(joined)


def _neighbours(paths: dict[Edge, list[str]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for path in paths.values():
        for upper, lower in pairwise(path):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    return above, below
