"""Draw docs/architecture.svg from the imports as they are."""

from pathlib import Path

from docs.picture.drawing import drawn
from docs.picture.rooms import LAYERS, imports_between, package_graph

if __name__ == "__main__":
    picture = drawn(LAYERS, imports_between(package_graph()))
    (Path(__file__).parent.parent / "architecture.svg").write_text(picture, encoding="utf-8")
