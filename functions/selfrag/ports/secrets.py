"""Secrets: the keys of services, which settings name but do not contain."""

from typing import Protocol


class Secrets(Protocol):
    """Secrets by their names; raises selfrag's typed errors."""

    def __call__(self, name: str, setting: str, *, anew: bool = False) -> str:
        """Return the secret of this name, read again if `anew`; `setting` is the setting that names it."""
