"""The base of all values."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A domain value: immutable, and strict about field names.

    Stored values may come from other releases: they are read with `extra="ignore"`, and new fields have defaults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    def replace(self, **changes: Any) -> Self:
        """Return a copy with these changes."""
        return self.model_copy(update=changes)
