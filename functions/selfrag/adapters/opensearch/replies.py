"""Shapes of the collection's replies; a reply of another shape counts as none."""

from typing import Any, TypeVar

from pydantic import BaseModel, Field, RootModel, ValidationError

from selfrag.domain.errors import SelfragError, TemporarilyUnavailable


class Hit(BaseModel):
    """A passage as a search finds it."""

    id: str = Field(alias="_id")
    source: dict[str, Any] = Field(alias="_source")
    score: float | None = Field(default=None, alias="_score")


class _Hits(BaseModel):
    hits: list[Hit]
    total: Any = None


class _Shards(BaseModel):
    failed: int


class Found(BaseModel):
    """The reply to one search; only an error has neither shards nor hits."""

    status: int = 200
    timed_out: bool = False
    shards: _Shards | None = Field(default=None, alias="_shards")
    hits: _Hits | None = None

    def complete(self) -> list[Hit]:
        """Return the hits; raises TemporarilyUnavailable if the search was not complete."""
        if self.shards is None or self.hits is None:
            raise _unreadable()
        if self.timed_out or self.shards.failed:
            raise TemporarilyUnavailable("the passage index searched only a part")
        return self.hits.hits

    def total(self) -> int | None:
        """Return the number of all matches, None if the reply does not say it exactly; 0 while there is no index."""
        if self.status == 404:
            return 0
        match self.hits.total if self.hits else None:
            case {"value": int(value), "relation": "eq"}:
                return value
        return None


class AllFound(BaseModel):
    """The reply to several searches at once."""

    responses: list[Found]

    def of(self, count: int) -> list[Found]:
        """Return the replies to so many searches; raises TemporarilyUnavailable for another number."""
        if len(self.responses) != count:
            raise _unreadable()
        return self.responses


class Outcome(BaseModel):
    """The status of one document's write, and the service's id of it: null if it failed before it had one."""

    id: str | None = Field(default=None, alias="_id")
    status: int


class _Item(BaseModel):
    index: Outcome


class Written(BaseModel):
    """The reply to a bulk request: the outcome of each document, in their order."""

    items: list[_Item]

    def outcomes(self, count: int) -> list[Outcome]:
        """Return the outcomes of so many documents; raises TemporarilyUnavailable for another number."""
        if len(self.items) != count:
            raise _unreadable()
        return [item.index for item in self.items]


class _Fields(BaseModel):
    properties: dict[str, Any] = {}


class _Mapping(BaseModel):
    mappings: _Fields


class Mappings(RootModel[dict[str, _Mapping]]):
    """The fields of an index, by its name."""


R = TypeVar("R", bound=BaseModel)


def read_reply(shape: type[R], reply: Any) -> R:
    """Return a reply in its shape; raises TemporarilyUnavailable for any other."""
    try:
        return shape.model_validate(reply)
    except ValidationError:
        raise _unreadable() from None


def _unreadable() -> SelfragError:
    return TemporarilyUnavailable("the passage index sent a reply that cannot be read")
