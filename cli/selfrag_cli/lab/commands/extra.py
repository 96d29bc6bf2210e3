"""The extra `lab`: the libraries that only the laboratory loads, and the error where they are missing."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from selfrag.domain.errors import Misconfigured

INSTALL = '.venv/bin/pip install --constraint constraints.txt --editable ".[lab]"'
OURS = ("selfrag", "selfrag_cli")
P = ParamSpec("P")


def in_lab(command: Callable[P, None]) -> Callable[P, None]:
    """Turn a missing library into one sentence that says how to install the extra."""

    @wraps(command)
    def run(*given: P.args, **named: P.kwargs) -> None:
        try:
            command(*given, **named)
        except ModuleNotFoundError as error:
            if not error.name or error.name.split(".")[0] in OURS:
                raise
            raise Misconfigured(f"This needs {error.name}, which the extra `lab` brings: {INSTALL}") from error

    return run
