"""The base of all values."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A domain value: immutable, and strict about its field names.

    Other releases read what one has stored: stored values are read with `extra="ignore"`, and a new field has a
    default.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
