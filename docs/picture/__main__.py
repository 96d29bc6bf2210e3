"""Draw docs/architecture.svg from the imports as they are."""

from pathlib import Path

from docs.picture.drawing import drawn
from docs.picture.rooms import LAYERS, imports_between, modules_by_room, package_graph

if __name__ == "__main__":
    graph = package_graph()
    picture = drawn(LAYERS, imports_between(graph), modules_by_room(graph))
    (Path(__file__).parent.parent / "architecture.svg").write_text(picture, encoding="utf-8")
