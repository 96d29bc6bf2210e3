"""What a thread gave back, the next one uses: the C library would keep a pool of memory for each that works at once."""

import ctypes
from contextlib import suppress

# <malloc.h> of glibc; other libraries have no such pools.
_M_ARENA_MAX = -8
_POOLS = 1


def share_memory() -> None:
    """Let all threads of this process take memory from one pool; it has to be called before they begin."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _POOLS)
