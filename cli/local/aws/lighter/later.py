"""Packages whose own code runs only when something of it is asked for: their modules can be imported without it.

moto's interpreter wants one enumeration of `moto.batch.utils`; what `moto.batch` itself imports (EC2's types and images
of machines, megabytes of JSON) takes longer to load than the interpreter.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


class _Later(Loader):
    """Runs a package's code with the first look at a name that is none of its modules."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def exec_module(self, module: ModuleType) -> None:
        """Leave the code for later."""

        def look(name: str) -> Any:
            # What the import system asks of every package is no reason yet.
            if name.startswith("__"):
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            del module.__dict__["__getattr__"]
            self._loader.exec_module(module)
            return getattr(module, name)

        module.__dict__["__getattr__"] = look


class _Finder(MetaPathFinder):
    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The package as Python finds it, with its code left for later; no other module is known here."""
        spec = PathFinder.find_spec(fullname, path) if fullname == self._package else None
        if spec and spec.loader:
            spec.loader = _Later(spec.loader)
        return spec


def load_later(package: str) -> None:
    """Leave a package's own code for later, in this process and if it was not imported yet."""
    sys.meta_path.insert(0, _Finder(package))
