"""Components that a process makes once, and overrides of them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, update_wrapper
from threading import RLock
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

_components: dict[str, object] = {}
_overrides: dict[str, object] = {}
# boto3 makes clients in one thread at a time.
_lock = RLock()


class Component(Generic[T]):
    """A component under a key: its override if there is one, else what its factory returns, computed on first use."""

    def __init__(self, key: str, make: Callable[[], T]) -> None:
        self.key, self._make = key, make
        update_wrapper(self, make)

    def __call__(self) -> T:
        """Return the component."""
        with _lock:
            if self.key in _overrides:
                return cast(T, _overrides[self.key])
            if self.key not in _components:
                _components[self.key] = self._make()
            return cast(T, _components[self.key])


def part(key: str) -> Callable[[Callable[[], T]], Component[T]]:
    """Register a factory of a component under a key, by which `overriding` overrides it."""
    return partial(Component, key)


def forget(*parts: Component[Any]) -> None:
    """Drop these components, or all; they are made again on next use."""
    with _lock:
        for key in [dropped.key for dropped in parts] or list(_components):
            _components.pop(key, None)


@contextmanager
def override(components: Mapping[str, object]) -> Iterator[None]:
    """Override components by key for the duration of the block; others are made anew in it, and again after it."""
    before = dict(_overrides)
    _replace({**before, **components})
    try:
        yield
    finally:
        _replace(before)


def _replace(overrides: Mapping[str, object]) -> None:
    with _lock:
        _overrides.clear()
        _overrides.update(overrides)
        _components.clear()
