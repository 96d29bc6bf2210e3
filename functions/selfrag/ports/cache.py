"""The verdict cache: content-addressed, open on failure.

A key is the SHA-256 of what was judged and how, so a verdict is found again only for the same
texts, model, prompt and shape. Who may see a passage is decided at retrieval, not here.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol

CACHE_FAILED = "The verdict cache could not be used; the verdicts were made anew."


def cache_key(*, step: str, model: str, prompt_version: str, shape: Mapping[str, Any], texts: Mapping[str, Any]) -> str:
    """The SHA-256, in hex, over canonical JSON of everything that a verdict depends on."""
    what = {"step": step, "model": model, "prompt": prompt_version, "shape": shape, "texts": texts}
    canonical = json.dumps(what, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


class VerdictCache(Protocol):
    """Where graded verdicts are kept; `failed` tells whether a call to it failed."""

    failed: bool

    def get(self, key: str) -> str | None:
        """The verdict's JSON text, or None."""

    def put(self, key: str, verdict: str) -> None:
        """Keep a verdict's JSON text."""
