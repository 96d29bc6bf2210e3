"""How a process that stays keeps its size."""

import ctypes
import gc
from contextlib import suppress

# <malloc.h> of glibc; other libraries have no such pools.
_M_ARENA_MAX = -8
_POOLS = 1
# Python's own. A command that ends soon looks for garbage hardly ever (cli/main.py), and its processes would, too.
_THRESHOLDS = (700, 10, 10)


def share_memory() -> None:
    """Let all threads of this process take memory from one pool; it has to be called before they begin.

    The C library would keep one for each thread that works at once, with what the thread gave back.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _POOLS)


def collect_as_usual() -> None:
    """Look for garbage as often as Python does, and never again in what is loaded by now, which stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
