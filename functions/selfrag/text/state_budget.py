"""The budget of text in the workflow's state."""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

P = TypeVar("P", bound=BaseModel)


# Step Functions stops an execution whose state passes 256 KiB; the rest of the state needs its share.
STATE_BUDGET_BYTES = 160 * 1024


def cut_to_budget(passages: Sequence[P], used: int, *, shared: bool = False) -> tuple[list[P], int, list[str]]:
    """Keep the best passages that fit next to `used` bytes, or into half of the rest if `shared`.

    Returns these, their size in bytes, and a warning if any were dropped. The size is that of ASCII-escaped JSON, the
    largest form in storage.
    """
    room = (STATE_BUDGET_BYTES - used) // (2 if shared else 1)
    fitting: list[P] = []
    size = 0
    for passage in passages:
        needs = size_of(passage)
        if size + needs > room:
            break
        fitting.append(passage)
        size += needs
    dropped = len(passages) - len(fitting)
    warnings = [f"{dropped} lower-ranked passages were left out: the state holds {STATE_BUDGET_BYTES} bytes."]
    return fitting, size, warnings if dropped else []


def size_of(passage: BaseModel) -> int:
    """Return the size of a passage in the state, in bytes."""
    return len(passage.model_dump_json(ensure_ascii=True))
