"""Parts that are made once in a process, and those that were handed over in their place."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")

_made: dict[str, Any] = {}
_handed: dict[str, Any] = {}
# boto3 makes clients in one thread at a time.
_lock = RLock()


def once(make: Callable[[], T]) -> Callable[[], T]:
    """A part that is made when it is first asked for, unless one of its name was handed over."""
    name = make.__name__

    @wraps(make)
    def part() -> T:
        with _lock:
            if name in _handed:
                return _handed[name]  # type: ignore[no-any-return]
            if name not in _made:
                _made[name] = make()
            return _made[name]  # type: ignore[no-any-return]

    return part


def forget(*names: str) -> None:
    """Drop what was made, all of it or the parts of these names: it is made anew when it is next asked for."""
    with _lock:
        for name in names or list(_made):
            _made.pop(name, None)


@contextmanager
def handed(parts: Mapping[str, Any]) -> Iterator[None]:
    """Give these parts, by name, to whoever asks until the block ends; nothing made outside it is left in it."""
    before = dict(_handed)
    _replace({**before, **parts})
    try:
        yield
    finally:
        _replace(before)


def _replace(parts: Mapping[str, Any]) -> None:
    with _lock:
        _handed.clear()
        _handed.update(parts)
        _made.clear()
