"""Parts that a process makes once, and overrides of them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")

_made: dict[Callable[[], Any], Any] = {}
_overrides: dict[str, Any] = {}
# boto3 makes clients in one thread at a time.
_lock = RLock()


def once(make: Callable[[], T]) -> Callable[[], T]:
    """Make a part of a function: its override if there is one by its name, else its result, computed on first use."""

    @wraps(make)
    def part() -> T:
        with _lock:
            if make.__name__ in _overrides:
                return _overrides[make.__name__]  # type: ignore[no-any-return]
            if part not in _made:
                _made[part] = make()
            return _made[part]  # type: ignore[no-any-return]

    return part


def forget(*parts: Callable[[], Any]) -> None:
    """Drop what was made of these parts, or of all; they are made again on next use."""
    with _lock:
        for part in parts or list(_made):
            _made.pop(part, None)


@contextmanager
def overriding(parts: Mapping[str, Any]) -> Iterator[None]:
    """Override parts by name for the duration of the block; parts made outside it are not used in it, nor after it."""
    before = dict(_overrides)
    _replace({**before, **parts})
    try:
        yield
    finally:
        _replace(before)


def _replace(overrides: Mapping[str, Any]) -> None:
    with _lock:
        _overrides.clear()
        _overrides.update(overrides)
        _made.clear()
