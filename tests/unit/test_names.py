"""Names in the product are specific: no catch-all names, and no class names twice."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.conftest import markers_of
from tests.support.command import ROOT

VAGUE = {"asked", "found", "given", "kept", "known", "made", "one", "said", "told", "took", "wanted"}


@cache
def trees() -> dict[str, ast.Module]:
    """Return the modules of the product by their paths."""
    folders = ("functions", "cli", "infra/packages")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def names_in(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module binds: variables, parameters, functions and classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name.lower()


def test_no_name_is_a_word_that_fits_everything() -> None:
    vague = {path: VAGUE.intersection(name.strip("_") for name in names_in(tree)) for path, tree in trees().items()}
    assert {path: names for path, names in vague.items() if names} == {}


def test_no_two_public_classes_share_a_name() -> None:
    classes = [node.name for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    shared = [name for name, count in Counter(classes).items() if count > 1 and not name.startswith("_")]
    assert shared == []


def test_the_unit_tests_of_every_deployed_package_run_on_lambdas_python() -> None:
    folder = Path(__file__).parent
    packages = {path.parent.name for path in (folder.parents[1] / "functions" / "selfrag").glob("*/__init__.py")}
    tested = [path for path in folder.iterdir() if path.name in packages - {"agents"}]
    assert len(tested) >= 10
    assert [path.name for path in tested if "deployed" not in markers_of(path)] == []
