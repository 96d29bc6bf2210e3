"""What all values have in common."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A domain value: immutable, and strict about its field names."""

    model_config = ConfigDict(frozen=True, extra="forbid")
