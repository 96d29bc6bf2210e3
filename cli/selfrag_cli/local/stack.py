"""The local stack: deployed definitions and handlers over local stores, in this process."""

import importlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml

from selfrag import bootstrap
from selfrag.domain.policy import MAX_DEADLINE_SECONDS
from selfrag_cli.local.runner.asl import StateMachine
from selfrag_cli.local.runner.lane import Pause
from selfrag_cli.local.runner.machine import Machine
from selfrag_cli.local.runner.tasks import LambdaHandler, services
from selfrag_cli.local.stores.executions import LocalExecutions, OnEnd
from selfrag_cli.local.stores.feedback import LocalFeedback
from selfrag_cli.local.stores.recent_calls import LocalCalls
from selfrag_cli.local.stores.tables import ANSWERS, Items
from selfrag_cli.local.stores.verdicts import LocalVerdicts
from selfrag_cli.local.traces import traced

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.idempotency import BasePersistenceLayer

# One machine serves as Standard and Express: every execution has a history.
MACHINE_ARN = "arn:aws:states:us-east-1:123456789012:stateMachine:selfrag"
DOCUMENTS_BUCKET = "selfrag-documents"
_FOLDER = Path(str(files("selfrag.workflows")))
QUESTION = _FOLDER / "question.asl.yaml"
INGESTION = _FOLDER / "ingestion.asl.yaml"
_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
# The C loader is ten times as fast but missing in some wheels.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
OnStep = Callable[[str], None]
# No gateway or function limits steps here; only the question's deadline does.
_VALUES = {"answers_table": ANSWERS.name, "step_seconds": f"{MAX_DEADLINE_SECONDS:g}"}


@contextmanager
def handlers_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set the handlers' environment, isolated from the user's AWS configuration."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    # Python reads both spellings, the lower-case one last.
    no_proxy = [inherited.get("NO_PROXY", ""), inherited.get("no_proxy", ""), "127.0.0.1", "localhost"]
    loopback = ",".join(filter(None, no_proxy))
    fixed = {
        "SELFRAG_EXPRESS_MACHINE_ARN": MACHINE_ARN,
        "SELFRAG_STANDARD_MACHINE_ARN": MACHINE_ARN,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": loopback,
        "no_proxy": loopback,
        "SELFRAG_AUTH": "none",
    }
    before = dict(os.environ)
    _set({**inherited, **fixed, **variables})
    try:
        yield
    finally:
        _set(before)


def _set(environment: Mapping[str, str]) -> None:
    # Update in place: other threads may read it at any moment.
    os.environ.update(environment)
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]


@contextmanager
def opened_stores(
    environment: Mapping[str, str], secrets: Mapping[str, str], parts: bootstrap.Parts | None = None
) -> Iterator[Items]:
    """Set up the handlers' environment, secrets and local stores for the block.

    `parts` override the defaults and these stores.
    """
    with handlers_environment(environment), closing(Items()) as items:
        stores: bootstrap.Parts = {
            "verdicts": LocalVerdicts(items),
            "recent_calls": LocalCalls(items),
            "secrets": lambda name, setting, *, anew=False: secrets[name],
            "feedback": LocalFeedback(items),
            "idempotency": partial(_requests_in, items),
            "spending": None,
        }
        with bootstrap.using(**stores), bootstrap.using(**(parts or {})):
            yield items


@contextmanager
def running_stack(
    environment: Mapping[str, str],
    secrets: Mapping[str, str],
    parts: bootstrap.Parts | None = None,
    on_step: OnStep = lambda step: None,
    keeps_histories: bool = True,
    on_end: OnEnd = lambda execution: None,
) -> Iterator[LocalExecutions]:
    """Set up the stores and yield the executions of questions.

    `on_step` gets the folder of each beginning step, `on_end` each ended execution.
    """
    with opened_stores(environment, secrets, parts) as items, traced(items, on_end) as on_end:
        handlers = {
            name: announce_step(name, handler, on_step) for name, handler in deployed_handlers(QUESTION).items()
        }
        executions = LocalExecutions(machine(QUESTION, handlers, items), items, keeps_histories, on_end)
        with bootstrap.using(executions=executions):
            yield executions


def machine(
    definition: Path,
    handlers: Mapping[str, LambdaHandler],
    tables: Items | None,
    pause: Pause = time.sleep,
    timed: bool = True,
) -> Machine:
    """Build a state machine from a definition and its steps' functions by folder.

    If not `timed`, the definition's timeouts are removed.
    """
    names = {name: _VALUES.get(name, name) for name in placeholders(definition)}
    filled = definition_of(definition, names)
    return Machine(MACHINE_ARN, filled if timed else _remove_timeouts(filled), services(handlers, tables), pause)


def _remove_timeouts(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: _remove_timeouts(value) for name, value in part.items() if name != "TimeoutSeconds"}
    return [_remove_timeouts(value) for value in part] if isinstance(part, list) else part


def deployed_handlers(definition: Path) -> dict[str, LambdaHandler]:
    """Return a definition's step handlers by folder; their package is named as the definition."""
    steps, package = sorted(placeholders(definition) - _VALUES.keys()), definition.name.partition(".")[0]
    return {name: importlib.import_module(f"selfrag.{package}.{name}.handler").handler for name in steps}


def definition_of(definition: Path, names: Mapping[str, str]) -> StateMachine:
    """Return the definition as Terraform renders it, without keys that begin with x-.

    Placeholders `${...}` missing in `names` stay.
    """
    filled = _PLACEHOLDER.sub(lambda match: names.get(match[1], match[0]), definition.read_text(encoding="utf-8"))
    read = yaml.load(filled, Loader=_LOADER)  # noqa: S506 (a safe loader)
    return cast("StateMachine", {key: value for key, value in read.items() if not key.startswith("x-")})


def placeholders(definition: Path) -> set[str]:
    """Return the names of a definition's placeholders."""
    return set(_PLACEHOLDER.findall(definition.read_text(encoding="utf-8")))


def _requests_in(items: Items) -> "BasePersistenceLayer":
    # Powertools' version loads boto3, which only the served API may need.
    from selfrag_cli.local.stores.requests import LocalRequests

    return LocalRequests(items)


def announce_step(name: str, handler: LambdaHandler, on_step: OnStep) -> LambdaHandler:
    """Wrap a handler to announce its step's folder before each call."""

    def announce(event: object, context: object) -> object:
        on_step(name)
        return handler(event, context)

    return announce
