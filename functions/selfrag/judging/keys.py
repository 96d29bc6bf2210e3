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

from selfrag.ports.model import Claude, Prompt


def cache_key(
    *,
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


def verdict_key(
    claude: Claude,
    step: str,
    prompt: Prompt,
    shape: type[BaseModel],
    fields: Mapping[str, object],
    collections: Collection[str] = (),
) -> str:
    """Return the cache key of a verdict in this shape by the step's model."""
    return cache_key(
        step=step,
        model=claude.model_of(step),
        prompt_version=prompt.version,
        shape=_schema(shape),
        texts=fields,
        collections=collections,
    )


@cache
def _schema(shape: type[BaseModel]) -> dict[str, Any]:
    return shape.model_json_schema()
