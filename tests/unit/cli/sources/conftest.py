"""Each test has a home and directories of its own, as those of the index have."""

from tests.unit.cli.local_index.conftest import home, write

__all__ = ["home", "write"]
