"""The functions of a deployment."""

from collections.abc import Mapping
from typing import Any, Protocol


class Functions(Protocol):
    """Functions that are invoked by the ARN of a version or an alias."""

    def __call__(self, arn: str, event: Mapping[str, object]) -> Any:
        """Return what a function returns for an event, as parsed JSON; raises SelfragError."""
