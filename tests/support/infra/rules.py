"""The rules for all of the Terraform, as functions from its text to what breaks the rule."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hcl2

from infra.packages.zips import steps_of
from selfrag.runtime.models import DEFAULT_MODELS
from tests.support.infra.metrics import EMITTED
from tests.support.infra.tools import ROOT

# What stands in the braces of a search: the namespace and the dimensions.
SEARCH = re.compile(r"SEARCH\('\{([^}]*\}?[^}]*)\} ")

Blocks = dict[str, dict[str, Any]]

FUNCTIONS = ROOT / "functions"
# These have the same rights, and one row on the page.
EACH_THAT_ASKS = "each step that asks the model"
# One definition of questions serves two machines, which have the same rights.
ROLES = {"workflow": ("express", "standard")}
# The roles of the machines, and of EventBridge.
SERVICE_ROLES = ("workflow", "ingestion", "intake", "reindex", "events")
STEPS = ("question_steps", "ingestion_steps", "api_steps")
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
ALARM_FIELDS = ("alarm_description", "alarm_actions", "ok_actions", "treat_missing_data")


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
    """Return each role's permissions by docs/operate.md: by function, and by name for roles of services."""
    page = (ROOT / "docs/operate.md").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {role: set() for role in [*function_roles(), *SERVICE_ROLES]}
    for roles, actions, resource in rows_of(page):
        for one in function_roles() if "every function" in resource else roles:
            found[one] |= actions
    return found


def rows_of(page: str) -> Iterator[tuple[Iterable[str], set[str], str]]:
    """Yield the rows of the page's tables: the roles, their actions, and on what."""
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


def undescribed(text: str) -> list[str]:
    """Variables and outputs that say nothing of themselves, and variables without a type."""
    variables, outputs = blocks(text, "variable"), blocks(text, "output")
    silent = [name for name, body in {**variables, **outputs}.items() if len(str(body.get("description", ""))) < 10]
    return silent + [name for name, body in variables.items() if "type" not in body]


def wildcard_actions(text: str) -> list[str]:
    """Actions with a star, wherever they stand."""
    return re.findall(r'"[a-z0-9-]+:[A-Za-z]*\*[A-Za-z*]*"', text) + re.findall(
        r'(?i)\bactions?"?\s*[=:]\s*\[?\s*"\*"|\bnot_?actions?\b', text
    )


def public_collections(text: str) -> list[str]:
    """Network policies that let the internet in without having been told to, and a default that would."""
    policies = blocks(text, "resource", "aws_opensearchserverless_security_policy").values()
    wrong = [
        str(policy["policy"])
        for policy in policies
        if policy.get("type") == "network"
        and "AllowFromPublic = var.collection_public" not in _spaced(policy["policy"])
    ]
    public_by_default = blocks(text, "variable").get("collection_public", {}).get("default") is not False
    return wrong + (["collection_public is on by default"] if public_by_default else [])


def alarms_of(text: str) -> list[str]:
    """Return the entries of the map of alarms, each as the text between its braces."""
    return re.findall(r"\{\n(\s+(?:metrics|query)\s+=.*?)\n\s+\}", text, re.S)


def incomplete_alarms(text: str) -> list[str]:
    """Alarms that lack what a person on call needs: entries without a threshold or advice of at least some words."""
    alarms = blocks(text, "resource", "aws_cloudwatch_metric_alarm")
    silent = [f"{name}: {field}" for name, body in alarms.items() for field in ALARM_FIELDS if not body.get(field)]
    needed = (r"^\s+threshold\s+= \S", r'^\s+advice\s+= ".{60,}"$')
    return silent + [entry for entry in alarms_of(text) for line in needed if not re.search(line, entry, re.M)]


def unknown_metrics(text: str) -> list[str]:
    """Metrics of alarms and widgets that nothing emits."""
    used = re.findall(r'\[(var\.name|"\w+/\w+"), "(\w+)"', text)
    used += [("var.name", name) for name in re.findall(r'(?:MetricName=\\"|SELECT SUM\()(\w+)', text)]
    return [
        f"{namespace} {metric}"
        for namespace, metric in used
        if not namespace.startswith(("AWS/", '"AWS/')) and metric not in EMITTED
    ]


def unquoted_namespaces(text: str) -> list[str]:
    """Searches of CloudWatch that would not be understood if the deployment's name had a hyphen."""
    return [search for search in SEARCH.findall(text) if not search.startswith(r"\"${var.name}\",")]


def variables_set_by(page: str) -> set[str]:
    """Return the variables that a page of the documentation says to set, as `name = value`."""
    return set(re.findall(r"`([a-z_]+) += [^`]+`", page))


def local_values(text: str) -> list[dict[str, Any]]:
    """Return the blocks of local values."""
    found: list[dict[str, Any]] = _parsed(text)["locals"]
    return found


def unmatched_functions(text: str, folders: set[str]) -> set[str]:
    """Functions without an entry in the maps of steps, and entries without a function."""
    maps = [value for block in _parsed(text)["locals"] for name, value in block.items() if name in STEPS]
    return folders ^ {step for steps in maps for step in steps}


def unversioned(text: str) -> list[str]:
    """Return what may change while an execution runs: what publishes no version, and what is named without one."""
    kinds = ("aws_lambda_function", "aws_sfn_state_machine")
    published = {
        f"{kind}.{name}": body.get("publish") for kind in kinds for name, body in blocks(text, "resource", kind).items()
    }
    now = re.findall(r"aws_lambda_function\.\w+(?:\[[^\]]+\])?\.(?:arn|invoke_arn)\b", text)
    now += re.findall(r"SELFRAG_\w+_MACHINE_ARN +=(?!.*\.state_machine_version_arn\n).*", text)
    now += re.findall(r"step => local\.(?!published_steps\b)\w+\[step\]", text)
    now += re.findall(r"published_steps += (?!.*\.qualified_arn \}).*", text)
    return [name for name, answer in published.items() if answer is not True] + now


def unexplained_skips(text: str) -> list[str]:
    """Checks that are skipped without a reason of at least some words."""
    return [skip for skip in re.findall(r"checkov:skip=.*", text) if len(skip.partition(":")[2].split(":")[-1]) < 20]


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


def _spaced(text: object) -> str:
    return re.sub(r"\s+", " ", str(text))
