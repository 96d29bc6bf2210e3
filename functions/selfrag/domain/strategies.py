"""Policy fields of each strategy with defaults and caps (docs/api.md)."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from selfrag.domain.scores.options import normal

Strategy = Literal["self_rag", "naive", "corrective", "adaptive", "candidates", "segments"]

# The paper's inference compares several answers.
_PAPERS = ("candidates", "segments")
_LOOPS = tuple(name for name in get_args(Strategy) if name not in _PAPERS)
# Fields of some strategies; the others apply to all.
_READERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("lower_threshold", "max_rewrites", "max_regenerations"), _LOOPS),
    **dict.fromkeys(("constraints", "retrieval", "max_model_calls"), _PAPERS),
    **dict.fromkeys(("beam", "max_segments"), ("segments",)),
    "choices": ("candidates",),
}
_DEFAULTS: dict[str, dict[str, float]] = {
    "candidates": {"deadline_seconds": 180.0, "max_cost_usd": 0.10},
    "segments": {"deadline_seconds": 180.0, "max_cost_usd": 0.25, "top_k": 3, "max_model_calls": 80},
}
_CAPS: dict[str, dict[str, float]] = {
    "candidates": {"deadline_seconds": 180.0, "max_cost_usd": 0.10, "top_k": 8, "max_model_calls": 40},
    "segments": {"deadline_seconds": 180.0, "max_cost_usd": 0.25, "top_k": 8, "max_model_calls": 80},
}


def compares(strategy: str) -> bool:
    """Return whether a strategy selects the best of several answers."""
    return strategy in _PAPERS


def is_quick(strategy: str) -> bool:
    """Return whether a caller can wait for an answer; a tree of sentences takes too many rounds."""
    return strategy != "segments"


def reads(strategy: str, field: str) -> bool:
    """Return whether a strategy uses a field of the policy."""
    return strategy in _READERS.get(field, (strategy,))


def default(field: str, otherwise: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a factory of a field's default: the strategy's, else `otherwise`."""
    return lambda fields: _DEFAULTS.get(fields.get("strategy", ""), {}).get(field, otherwise)


def refusal(field: str, value: Any, fields: Mapping[str, object]) -> str:
    """Return why a field cannot have this non-default value and what to do, or "".

    `fields` are those before it.
    """
    strategy = str(fields.get("strategy", ""))
    if not reads(strategy, field):
        *readers, last = _READERS[field]
        users = f"{', '.join(readers)} or {last}" if readers else last
        return f"the strategy {strategy} does nothing with it; leave it out, or ask by {users}"
    most = _CAPS.get(strategy, {}).get(field)
    if most is not None and value > most:
        return f"{strategy} takes at most {most:g}; ask for less"
    if field == "choices" and len({normal(choice) for choice in value}) < len(value):
        return "two of them are the same when an answer is compared with them; leave one out"
    return ""
