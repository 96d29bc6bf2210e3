"""Secrets: the keys of services, which settings name and do not hold."""

from typing import Protocol


class Secrets(Protocol):
    """Gives secrets by their names; raises selfrag's typed errors."""

    def __call__(self, name: str, setting: str, *, anew: bool = False) -> str:
        """Return the secret of this name, not an earlier reading of it if `anew`; `setting` is what names it."""
