"""The pages name only what exists, and the diagram of the packages shows the contract of their imports."""

import importlib.util
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from bench.__main__ import MODULES
from selfrag_cli.main import GROUPS
from tests.support.command import ROOT

WIDTH = 120
IMPORTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
# The first contract, from the highest layer down.
LAYERS: list[str] = IMPORTS["contracts"][0]["layers"]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
# A link or a picture alone on a line cannot be broken.
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


def test_the_diagram_of_the_packages_shows_the_contract_of_the_imports() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    diagram = re.findall(r"^```mermaid\n(.+?)^```", page, re.M | re.S)[0]
    labels = dict(re.findall(r'(\w+)\["([^"]+)"\]', diagram))
    arrows = re.findall(r"(\w+)(?:\[[^]]+\])? --> (\w+)", diagram)
    assert [labels[name] for name in (arrows[0][0], *(below for _, below in arrows))] == LAYERS
    assert [above for above, _ in arrows[1:]] == [below for _, below in arrows[:-1]]


def test_every_package_has_its_place_in_the_contract_of_the_imports() -> None:
    folders = (*(ROOT / "functions").glob("selfrag/*/__init__.py"), *(ROOT / "cli").glob("*/__init__.py"))
    packages = {".".join(file.parent.relative_to(ROOT).parts[1:]) for file in folders}
    named = {name for layer in LAYERS for name in layer.split(" | ")}
    assert packages - {"selfrag.workflows"} == named == set(IMPORTS["root_packages"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file_and_its_heading(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)", page.read_text(encoding="utf-8"))
    targets = [((page.parent / path).resolve() if path else page, anchor) for path, anchor in links]
    assert [path for path, _ in targets if not path.exists()] == []
    assert [(path.name, anchor) for path, anchor in targets if anchor and anchor not in anchors(path)] == []


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_no_page_installs_the_package_that_is_not_published() -> None:
    installs = re.compile(r"(?:uvx|pipx|pip install|uv (?:tool|pip) install)[^\n`]*?\s\"?selfrag\"?(?=\s|`|$)")
    clone = re.compile(r"""--from (\.|'\.\[[a-z,]+\]'|"\$HOME/selfrag\[[a-z,]+\]") """)
    found = [line for page in PAGES for line in page.read_text("utf-8").splitlines() if installs.search(line)]
    assert [line for line in found if not clone.search(line)] == []


CODE = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
WRITTEN = "\n".join(page.read_text(encoding="utf-8") for page in PAGES if page.name != "CHANGELOG.md")
SHOWN = "\n".join(text for kind, text in BLOCK.findall(WRITTEN) if kind in ("sh", "console"))
INLINE = set(CODE.findall(re.sub(r"^```.*?^```", "", WRITTEN, flags=re.M | re.S)))
SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("functions", "cli", "infra", "bench")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".tf", ".tfvars", ".yaml") and ".terraform" not in path.parts
)
TOP = {path.name for path in ROOT.iterdir()}


def test_every_path_that_a_page_names_exists() -> None:
    paths = {code for code in INLINE if re.fullmatch(r"\.?[\w.-]+(/[\w.<>*-]+)+/?", code) and code.split("/")[0] in TOP}
    made = ("build/", ".venv")
    assert [path for path in sorted(paths) if not path.startswith(made) and not (ROOT / path).exists()] == [
        "functions/selfrag/question/grade_tone/"  # the example of a recipe
    ]


def test_every_module_that_a_page_names_exists() -> None:
    files = {
        path.name
        for folder in ("functions", "cli", "infra", "tests", "bench")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert [code for code in INLINE if re.fullmatch(r"\w+\.py", code) and code not in files] == []
    packages = {code for code in INLINE if re.fullmatch(r"selfrag(_cli)?\.\w+(\.\w+)*", code)}
    assert [name for name in packages if importlib.util.find_spec(name) is None and not name.endswith(".sqlite3")] == []


def test_every_command_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    text = SHOWN + "\n" + "\n".join(INLINE)
    assert set(re.findall(r"(?:^|[$ ])make ([a-z][\w-]+)", text, re.M)) <= targets
    names = {*chain.from_iterable(GROUPS.values()), "collections"}
    shown = set(re.findall(r"(?:^|\s|/bin/)selfrag ([a-z]+)(?=[ \n]|$)", text, re.M))
    assert shown <= {name.split()[0] for name in names}
    parts = set(re.findall(r'PARTS="?([a-z][a-z-]+)', text)) | set(re.findall(r"-m bench ([a-z][a-z-]+)", text))
    assert parts <= {*MODULES, "rows", "strategies", "graders", "workflow", "publish"}


def test_every_variable_that_a_page_names_is_read_by_the_code() -> None:
    environment = set(re.findall(r"\b(?:SELFRAG|TAVILY|ANTHROPIC)_[A-Z_]+\b", WRITTEN))
    tests = {"SELFRAG_TEST_OPENSEARCH"}
    fields = {f"SELFRAG_{name.upper()}" for name in re.findall(r"^    (\w+):", SOURCES, re.M)}
    assert [name for name in sorted(environment - tests) if name not in SOURCES and name not in fields] == []
    variables = set(re.findall(r'^variable "(\w+)"', SOURCES, re.M))
    blocks = "\n".join(text for kind, text in BLOCK.findall(WRITTEN) if kind == "hcl")
    shown = set(re.findall(r"^(\w+) +=", blocks, re.M)) | {
        m[1] for code in INLINE if (m := re.match(r"(\w+) = ", code))
    }
    assert shown <= variables
