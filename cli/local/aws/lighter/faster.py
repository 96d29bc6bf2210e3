"""What is done with every state and request, done faster; each stands in for something of moto's or its libraries."""

import copy
import json
import marshal
from datetime import datetime
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any

from botocore.useragent import UserAgentString
from jsonata import Jsonata
from moto.core import responses, utils
from moto.dynamodb.parsing import expressions
from moto.stepfunctions.parser.asl.component.common.path import result_path
from moto.stepfunctions.parser.asl.component.component import Component
from moto.stepfunctions.parser.asl.component.state import state
from moto.stepfunctions.parser.asl.component.state.exec import execute_state
from moto.stepfunctions.parser.asl.component.state.exec.state_map import state_map
from moto.stepfunctions.parser.asl.component.state.exec.state_parallel import state_parallel
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import state_task_service
from moto.stepfunctions.parser.asl.eval import environment, states
from moto.stepfunctions.parser.asl.eval.event import event_manager
from moto.stepfunctions.parser.asl.utils import json_path
from moto.stepfunctions.parser.quotas import MAX_STATE_SIZE_UTF8_BYTES

_COPYING = (event_manager, execute_state, result_path, state_map, state_parallel, state_task_service, states)
# These look at the size of all that a state is given and gives.
_WEIGHING = (state, state_task_service)
# A format of marshal's in which what comes again is written again, as in JSON.
_WITHOUT_REFERENCES = 2
_Updates: Any = expressions.UpdateExpressionParser  # type: ignore[attr-defined]  # it is there all the same


def json_copy(value: Any) -> Any:
    """A copy of a value with all that is in it; of JSON in a fifth of the time that `copy.deepcopy` takes."""
    try:
        return marshal.loads(marshal.dumps(value))  # noqa: S302 (nobody else wrote these bytes)
    except ValueError:  # something in it is no JSON
        return copy.deepcopy(value)


def fits(value: Any, most: int) -> bool:
    """Whether a value as JSON has at most so many bytes in UTF-8."""
    try:
        # No value takes more bytes as JSON than eight times these; most are far from the limit.
        if len(marshal.dumps(value, _WITHOUT_REFERENCES)) * 8 <= most:
            return True
    except ValueError:  # something in it is no JSON
        pass
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return len(text.encode()) <= most


def _within_quota(value: Any) -> bool:
    return fits(value, MAX_STATE_SIZE_UTF8_BYTES - 1)


def _milliseconds(value: datetime | None = None) -> str:
    return (value or utils.utcnow()).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def lookup(frame: Any, name: str) -> Any:
    """The value of a name in a frame of JSONata's or in those around it; None if there is none."""
    while frame is not None:
        if name in frame.bindings:
            return frame.bindings[name]
        frame = frame.parent
    return None


def faster() -> list[tuple[Any, str, Any, str]]:
    """What is done faster: the target, its name there, what takes its place, and why."""
    json_copies, shallow = SimpleNamespace(copy=copy.copy, deepcopy=json_copy), SimpleNamespace(deepcopy=copy.copy)
    return [
        *((module, "is_within_size_quota", _within_quota, "written as JSON to be weighed") for module in _WEIGHING),
        (event_manager, "iso_8601_datetime_with_milliseconds", _milliseconds, "the time of every event"),
        *((module, "copy", json_copies, "every state copies all that it sees") for module in _COPYING),
        (environment, "copy", shallow, "what it copies holds nothing but texts"),
        *((module, "parse", cache(module.parse), "and parses its paths anew") for module in (json_path, result_path)),
        (_Updates, "make", lru_cache(64)(_Updates.make), "an update is parsed twice for every write"),
        (responses, "method_names_from_class", cache(utils.method_names_from_class), "all methods, for every request"),
        (Component, "__str__", object.__repr__, "each branch's thread is named by all that it will run"),
        (Jsonata.Frame, "lookup", lookup, "twice for every part of an expression"),
        (UserAgentString, "to_string", lambda self: "selfrag", "made anew for every request, and nobody reads it"),
    ]
