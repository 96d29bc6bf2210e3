"""The pages have one line width, and the picture of the rooms shows the imports as they are."""

import re
from pathlib import Path

import pytest

from docs.picture.drawing import drawn
from docs.picture.placing import crossings, ordered, routes
from docs.picture.rooms import LAYERS, imports_between, package_graph, rooms_in
from tests.support.command import ROOT

WIDTH = 120
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "bench").glob("*.md")])
# A link or a picture on a line of its own cannot be broken.
LINK_ALONE = re.compile(r"\s*([-*] )?!?\[[^]]*\]\([^)]*\)[.,]?")


def too_long(text: str) -> list[int]:
    """Return the numbers of the lines that are longer than they may be, outside of tables, code and links."""
    found, in_code = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        in_code ^= line.lstrip().startswith("```")
        free = in_code or line.startswith("|") or LINK_ALONE.fullmatch(line)
        if len(line) > WIDTH and not free:
            found.append(number)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_of_a_page_is_longer_than_120_characters(page: Path) -> None:
    assert too_long(page.read_text(encoding="utf-8")) == [], f"lines of {page.name} to be wrapped"


def test_a_long_line_is_noticed_unless_it_cannot_be_broken() -> None:
    words = "word " * 30
    page = [words, f"- {words}", "```sh", words, "```", f"| {words} |", f"![{words}](picture.svg)", words]
    assert too_long("\n".join(page)) == [1, 2, 8]


def test_the_picture_of_the_rooms_is_drawn_from_the_imports_as_they_are() -> None:
    picture = drawn(LAYERS, imports_between(package_graph()))
    kept = (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8")
    assert picture == kept, "run `make architecture` and commit docs/architecture.svg"


def test_every_room_of_the_picture_holds_modules() -> None:
    assert rooms_in(package_graph()) == {room.package for layer in LAYERS for room in layer}


def test_the_same_imports_give_the_same_picture_in_whatever_order_they_are_found() -> None:
    imports = [("cli", "ask"), ("ask", "selfrag.domain"), ("cli", "selfrag.domain"), ("ask", "cli")]
    picture = drawn(LAYERS, imports)
    assert picture == drawn(LAYERS, imports[::-1])
    assert picture.count('class="up"') == 1, "an import that leads up is seen"


def test_lines_that_need_not_cross_do_not() -> None:
    layers, edges = [["a", "b"], ["c", "d"]], [("a", "d"), ("b", "c")]
    paths = routes(layers, edges)
    assert crossings(layers, paths) == 1
    assert crossings(ordered(layers, paths), paths) == 0
