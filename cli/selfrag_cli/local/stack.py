"""The local stack: the deployed definitions and handlers over the stores of the home, in this process."""

import importlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfrag import bootstrap
from selfrag.domain.policy import MAX_DEADLINE_SECONDS
from selfrag.ports.secrets import Secrets
from selfrag_cli.local.definitions import QUESTION, ROOMS, definition_of, placeholders
from selfrag_cli.local.environment import MACHINE_ARN, handlers_environment
from selfrag_cli.local.runner.lane import Pause
from selfrag_cli.local.runner.machine import Machine
from selfrag_cli.local.runner.tasks import ItemTables, LambdaHandler, services
from selfrag_cli.local.stores.executions import LocalExecutions, OnEnd
from selfrag_cli.local.stores.feedback import LocalFeedback
from selfrag_cli.local.stores.recent_calls import LocalCalls
from selfrag_cli.local.stores.tables import ANSWERS, Items, opened_items
from selfrag_cli.local.stores.verdicts import LocalVerdicts

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.idempotency import BasePersistenceLayer

OnStep = Callable[[str], None]
# No gateway and no function limits a step here: it may take until the question's deadline.
_VALUES = {"answers_table": ANSWERS.name, "step_seconds": f"{MAX_DEADLINE_SECONDS:g}"}


@contextmanager
def opened_stores(
    environment: Mapping[str, str], secrets: Mapping[str, str], parts: bootstrap.Parts | None = None
) -> Iterator[Items]:
    """Have the handlers' environment, the secrets and the stores of the home until the block ends.

    `parts` override those that the settings would make, and these.
    """
    with handlers_environment(environment), opened_items() as items:
        stores: bootstrap.Parts = {
            "verdicts": LocalVerdicts(items),
            "recent_calls": LocalCalls(items),
            "secrets": secrets_of(secrets),
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
    """Yield the same with the executions of questions.

    `on_step` is called with the folder of each step that begins, `on_end` with each execution that has ended.
    """
    with opened_stores(environment, secrets, parts) as items:
        handlers = {name: announced(name, handler, on_step) for name, handler in deployed_handlers(QUESTION).items()}
        executions = LocalExecutions(machine(QUESTION, handlers, items), items, keeps_histories, on_end)
        with bootstrap.using(executions=executions):
            yield executions


def machine(
    definition: Path,
    handlers: Mapping[str, LambdaHandler],
    tables: ItemTables,
    pause: Pause = time.sleep,
    timed: bool = True,
) -> Machine:
    """Return a definition as a machine whose Lambdas are the given functions, by the folders of their steps.

    Not timed, it has none of the definition's timeouts.
    """
    names = {name: _VALUES.get(name, name) for name in placeholders(definition)}
    filled = definition_of(definition, names)
    return Machine(MACHINE_ARN, filled if timed else _untimed(filled), services(handlers, tables), pause)


def _untimed(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: _untimed(value) for name, value in part.items() if name != "TimeoutSeconds"}
    return [_untimed(value) for value in part] if isinstance(part, list) else part


def deployed_handlers(definition: Path) -> dict[str, LambdaHandler]:
    """Return the handlers of all steps that a definition names, by their folders."""
    steps = sorted(placeholders(definition) - _VALUES.keys())
    return {name: importlib.import_module(f"{ROOMS[definition]}.{name}.handler").handler for name in steps}


def _requests_in(items: Items) -> "BasePersistenceLayer":
    # Powertools' loads boto3, which only the served API can need.
    from selfrag_cli.local.stores.requests import LocalRequests

    return LocalRequests(items)


def secrets_of(values: Mapping[str, str]) -> Secrets:
    """Return a reader of these secrets, by their names."""
    return lambda name, setting, *, anew=False: values[name]


def announced(name: str, handler: LambdaHandler, on_step: OnStep) -> LambdaHandler:
    """Return a handler that announces the folder of its step before each call."""

    def announce(event: object, context: object) -> object:
        on_step(name)
        return handler(event, context)

    return announce
