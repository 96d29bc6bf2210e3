"""The frames between this process and its workers: a length in eight bytes, and so many bytes.

A request is two frames, JSON and a file's content; a reply is frames of JSON, of which the last has no `part`.
"""

from typing import TypedDict

LENGTH_BYTES = 8
CHUNK_BYTES = 1 << 20
# Exit code of a worker out of memory.
OUT_OF_MEMORY = 3


class WorkerRequest(TypedDict):
    """A function as `module:name`, its arguments, and limits of bytes and seconds."""

    function: str
    key: str
    arguments: dict[str, object]
    memory: int
    seconds: int


class WorkerReply(TypedDict, total=False):
    """The part now being read; or the result or error, and the worker's memory."""

    part: int
    result: object
    bad: str
    missing: str
    unexpected: str
    resident: int
