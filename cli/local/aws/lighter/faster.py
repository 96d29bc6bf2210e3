"""What is done with every state and request, done faster; each stands in for something of moto's or its libraries."""

import copy
import marshal
from types import SimpleNamespace
from typing import Any


def json_copy(value: Any) -> Any:
    """A copy of a value with all that is in it; of JSON in a twentieth of the time that `copy.deepcopy` takes."""
    try:
        return marshal.loads(marshal.dumps(value))  # noqa: S302 (nobody else wrote these bytes)
    except ValueError:  # something in it is no JSON
        return copy.deepcopy(value)


# In the place of the module `copy`.
json_copies = SimpleNamespace(copy=copy.copy, deepcopy=json_copy)


def lookup(frame: Any, name: str) -> Any:
    """The value of a name in a frame of JSONata's or in those around it; None if there is none."""
    while frame is not None:
        if name in frame.bindings:
            return frame.bindings[name]
        frame = frame.parent
    return None
