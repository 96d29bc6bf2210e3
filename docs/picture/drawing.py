"""The rooms as an SVG: boxes in layers, a line from each room to those that it imports."""

from collections.abc import Collection, Iterator, Sequence
from xml.sax.saxutils import escape

from docs.picture.placing import BOX, Edge, ordered, placed, routes
from docs.picture.rooms import Room

Places = dict[str, tuple[float, float]]  # the middle of a box or a passing line, and its upper end
HEIGHT, STEP, MARGIN = 48, 118, 24
# One colour for all lines of a room, of like strength on white and on black.
COLOURS = (
    *("#d1495b", "#8a6d00", "#2a7fc0", "#00856f", "#9a5bd0", "#c2611f"),
    *("#6b7785", "#3f7d20", "#b04a8f", "#5566c9", "#7a6a58"),
)
STYLE = """
  text { font-family: Helvetica, Arial, sans-serif; text-anchor: middle; fill: #1f2328; }
  rect.page { fill: #ffffff; } rect.room { fill: #f3f5f8; stroke-width: 2; rx: 8; }
  .name { font-size: 15px; font-weight: bold; } .holds { font-size: 12px; }
  path { fill: none; stroke-opacity: 0.85; stroke-width: 1.6; } path.up { stroke-dasharray: 5 4; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } rect.page { fill: #0d1117; } rect.room { fill: #1c232c; }
  }
"""


def drawn(layers: Sequence[Sequence[Room]], imports: Collection[Edge]) -> str:
    """Return the text of the SVG; the same imports give the same text. A line that leads up or aside is dashed."""
    names = [[room.package for room in layer] for layer in layers]
    paths = routes(names, sorted(imports))
    rows = ordered(names, paths)
    x = placed(rows, paths)
    left = min(x.values()) - BOX / 2 - MARGIN
    width = round(max(x.values()) + BOX / 2 + MARGIN - left)
    at = {place: (x[place] - left, float(MARGIN + number * STEP)) for number, row in enumerate(rows) for place in row}
    height = 2 * MARGIN + (len(rows) - 1) * STEP + HEIGHT
    rooms = [room for layer in layers for room in layer]
    colour = {room.package: COLOURS[number % len(COLOURS)] for number, room in enumerate(rooms)}
    told = "; ".join(f"{one} imports {other}" for one, other in sorted(imports))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="The rooms of the code, in layers. {escape(told)}.">',
            f"<style>{STYLE}</style>",
            f'<rect class="page" width="{width}" height="{height}"/>',
            *(_arrowhead(package, colour[package]) for package in sorted(colour)),
            *_lines(paths, at, colour),
            *(_against(edge, at, colour) for edge in sorted(imports) if edge not in paths),
            *(_box(room, at[room.package], colour[room.package]) for room in rooms),
            "</svg>\n",
        ]
    )


def _arrowhead(package: str, colour: str) -> str:
    return (
        f'<marker id="{package}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 10 5 0 10z" style="fill: {colour}"/></marker>'
    )


def _lines(paths: dict[Edge, list[str]], at: Places, colour: dict[str, str]) -> Iterator[str]:
    """Yield a line for each path, from its own point below the one box to its own point above the other."""
    starts = _shared({edge: (edge[0], at[path[1]][0]) for edge, path in paths.items()}, at)
    ends = _shared({edge: (edge[1], at[path[-2]][0]) for edge, path in paths.items()}, at)
    for edge, path in paths.items():
        points = [
            (starts[edge], at[path[0]][1] + HEIGHT),
            *((at[place][0], at[place][1] + y) for place in path[1:-1] for y in (0, HEIGHT)),
            (ends[edge], at[path[-1]][1] - 2),
        ]
        yield (
            f'<path d="{_smooth(points)}" stroke="{colour[edge[0]]}" marker-end="url(#{edge[0]})">'
            f"<title>{edge[0]} imports {edge[1]}</title></path>"
        )


def _shared(wanted: dict[Edge, tuple[str, float]], at: Places) -> dict[Edge, float]:
    """Return a point of each line on the side of its box, from left to right as the lines go on."""
    points = {}
    for box in sorted({box for box, _ in wanted.values()}):
        edges = sorted((towards, edge) for edge, (one, towards) in wanted.items() if one == box)
        for number, (_, edge) in enumerate(edges, 1):
            points[edge] = at[box][0] - BOX / 2 + BOX * number / (len(edges) + 1)
    return points


def _smooth(points: Sequence[tuple[float, float]]) -> str:
    """Return a curve that is vertical at each point."""
    (x, y), *rest = points
    words = [f"M{x:.0f} {y:.0f}"]
    for to_x, to_y in rest:
        middle = (y + to_y) / 2
        words.append(f"C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}")
        x, y = to_x, to_y
    return " ".join(words)


def _against(edge: Edge, at: Places, colour: dict[str, str]) -> str:
    """Return a dashed line that leads up, or over the boxes of its own layer."""
    (x, y), (to_x, to_y) = at[edge[0]], at[edge[1]]
    end, bend = (to_y, y - 40) if y == to_y else (to_y + HEIGHT, (y + to_y + HEIGHT) / 2)
    curve = f"M{x:.0f} {y:.0f} C{x:.0f} {bend:.0f} {to_x:.0f} {bend:.0f} {to_x:.0f} {end:.0f}"
    return f'<path class="up" d="{curve}" stroke="{colour[edge[0]]}" marker-end="url(#{edge[0]})"/>'


def _box(room: Room, at: tuple[float, float], colour: str) -> str:
    x, y = at
    return (
        f'<rect class="room" x="{x - BOX / 2:.0f}" y="{y:.0f}" width="{BOX}" height="{HEIGHT}" stroke="{colour}"/>'
        f'<text class="name" x="{x:.0f}" y="{y + 20:.0f}">{room.package}</text>'
        f'<text class="holds" x="{x:.0f}" y="{y + 37:.0f}">{escape(room.holds)}</text>'
    )
