"""Each test has its own home and directories, as in the tests of the index."""

from tests.unit.cli.local_index.conftest import home, write

__all__ = ["home", "write"]
