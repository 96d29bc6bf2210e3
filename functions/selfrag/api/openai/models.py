"""Names of models: `selfrag`, `selfrag/COLLECTION` and `selfrag/COLLECTION:STRATEGY`."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import NamedTuple, get_args

from selfrag.api.edge.problems import ProblemError
from selfrag.domain.strategies import Strategy, is_quick

_NAME = "selfrag"
_STRATEGIES = [name for name in get_args(Strategy) if is_quick(name)]


class Target(NamedTuple):
    """The collection and the strategy of a model; "" means all collections of the caller, or the default strategy."""

    collection: str = ""
    strategy: str = ""


def list_models(collections: Iterable[str]) -> dict[str, object]:
    """Return the models of a caller's collections in the form of `GET /v1/models`."""
    named = {f"{_NAME}/{collection}": collection for collection in collections}
    # A collection's name may end like a strategy: `selfrag/b:naive` is the collection `b`.
    plain = [name for name, collection in named.items() if target_of(name).collection == collection]
    names = [_NAME, *plain, *(f"{name}:{strategy}" for name in named for strategy in _STRATEGIES)]
    # The API wants the time of creation; a collection has none.
    return {
        "object": "list",
        "data": [{"id": name, "object": "model", "created": 0, "owned_by": _NAME} for name in names],
    }


def target_of(model: str) -> Target:
    """Return the target of a model; raises ProblemError for an unknown name."""
    prefix, _, collection = model.partition("/")
    if prefix != _NAME or (model != _NAME and not collection):
        raise ProblemError(
            HTTPStatus.NOT_FOUND,
            "There is no model of this name.",
            "GET /v1/models lists yours: selfrag, selfrag/COLLECTION and selfrag/COLLECTION:STRATEGY.",
        )
    name, _, strategy = collection.rpartition(":")
    return Target(name, strategy) if name and strategy in _STRATEGIES else Target(collection)
