"""The parts of the Terraform that tests name: its files as text, its roles, and what optional settings add."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hcl2

from infra.packages.zips import steps_of
from selfrag.runtime.models import DEFAULT_MODELS
from tests.support.infra.tools import ROOT

Blocks = dict[str, dict[str, Any]]

FUNCTIONS = ROOT / "functions"
# These have the same rights, and one row on the page.
EACH_THAT_ASKS = "each step that asks the model"
# One definition of questions serves two machines, which have the same rights.
ROLES = {"workflow": ("express", "standard")}
# The roles of the machines, and of EventBridge.
SERVICE_ROLES = ("workflow", "ingestion", "intake", "reindex", "events")
# Runs the package of `ask` by another program, where `stream_events` is on.
STREAM = "stream"
# Has a folder, and is made where `otlp_endpoint` is set alone; tests/infra/test_spans.py looks at it.
SENDS_SPANS = "send_spans"
# Has a folder, and is made where `agents` is on.
AGENTS = "agents"
# Options that add to the permissions.
OPTIONS = {
    "text_recognition": "lines",
    "web_search": True,
    "stream_events": True,
    AGENTS: True,
    "reserved_concurrency": {STREAM: 10},
    "daily_max_usd": 1000,
    "max_cost_usd": 1,
}


def text_of(directory: Path) -> str:
    """All files of a Terraform folder, one after the other; of the root's provider the file that is copied."""
    files = {*directory.glob("*.tf"), *directory.glob("provider.tf.example")} - {directory / "provider.tf"}
    return "\n".join(file.read_text() for file in sorted(files))


def functions_of() -> set[str]:
    """Return the folders that are functions of each deployment."""
    return steps_of(FUNCTIONS).keys() - {SENDS_SPANS, AGENTS}


def function_roles() -> set[str]:
    """Return the functions that have a role: a deployment that has them all."""
    return {*functions_of(), STREAM, AGENTS}


def handler_files() -> list[Path]:
    """Return the modules that Lambda calls."""
    return [folder / "handler.py" for name, folder in steps_of(FUNCTIONS).items() if name != SENDS_SPANS]


def listed_permissions() -> dict[str, set[str]]:
    """Return each role's permissions by docs/permissions.md: by function, and by name for roles of services."""
    page = (ROOT / "docs/permissions.md").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {role: set() for role in [*function_roles(), *SERVICE_ROLES]}
    for roles, actions, resource in rows_of(page):
        for one in function_roles() if "every function" in resource else roles:
            found[one] |= actions
    return found


def rows_of(page: str) -> Iterator[tuple[Iterable[str], set[str], str]]:
    """Yield the rows of the page's tables: roles, actions and resources."""
    row = rf"^\| (`\w+`|{EACH_THAT_ASKS}) \| (`[^|]+`) \| ([^|]+) \|"
    for who, actions, resource in re.findall(row, page, re.M):
        roles = DEFAULT_MODELS if who == EACH_THAT_ASKS else [who.strip("`")]
        yield roles, set(re.findall(r"`([^`]+)`", actions)), resource


def blocks(text: str, *path: str) -> Blocks:
    """Return the blocks of a kind, such as ("variable",) or ("resource", "aws_sns_topic"), by name."""
    found: Blocks = {}
    for block in _parsed(text).get(path[0], []):
        for part in path[1:]:
            block = block.get(part, {})
        found.update({name: body for name, body in block.items() if isinstance(body, dict)})
    return found


def local_values(text: str) -> list[dict[str, Any]]:
    """Return the blocks of local values."""
    found: list[dict[str, Any]] = _parsed(text)["locals"]
    return found


@cache
def _parsed(text: str) -> dict[str, Any]:
    parsed: Any = _unquoted(hcl2.loads(text))
    return parsed


def _unquoted(value: object) -> object:
    """Return a value of HCL without the quotes that the parser keeps, of names and of plain texts."""
    if isinstance(value, dict):
        return {_unquoted(name): _unquoted(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_unquoted(part) for part in value]
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1]
    return value
