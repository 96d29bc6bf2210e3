"""The keys of the verdict cache: content-addressed.

A key is the SHA-256 of the whole request and of the collections that its question may search. So there is a cache hit
only for the same texts, model, prompt and shape, and only among those who may search the same collections: a hit would
tell other callers that the question was asked before.
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
    """Return the SHA-256, in hex, over canonical JSON of everything that a reply depends on, and of the collections.

    The verdicts of `selfrag eval graders` and of a judge belong to no collection.
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
    """Return the key of a verdict in this shape on these fields, by the model that the step asks."""
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
