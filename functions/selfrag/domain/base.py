"""What all values have in common."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A domain value: immutable, and strict about its field names.

    What is stored is read by other releases than the one that wrote it: it is read with `extra="ignore"`, and a field
    that comes new has a default.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
