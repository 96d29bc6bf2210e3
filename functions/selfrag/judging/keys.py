"""Content-addressed keys of the verdict cache.

A key is the SHA-256 of the request and the question's collections. A hit requires the same texts, model, prompt, shape
and collections, so that it does not reveal other callers' questions.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel


def cache_key(
    step: str,
    model: str,
    prompt_version: str,
    shape: Mapping[str, object],
    texts: Mapping[str, object],
    collections: Collection[str] = (),
) -> str:
    """Return the hex SHA-256 of a reply's canonical inputs and collections.

    Verdicts of `selfrag eval graders` and of the judge have no collections.
    """
    what = {"step": step, "model": model, "prompt": prompt_version, "shape": shape, "texts": texts}
    if collections:
        what["collections"] = sorted(set(collections))
    canonical = json.dumps(what, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


@cache
def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a verdict's shape, which is a part of its key."""
    return shape.model_json_schema()
