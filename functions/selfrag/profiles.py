"""How each model family wants to be asked for a verdict, and what its tokens cost."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from selfrag.models import ModelCall

Prices = tuple[float, float, float]

# US dollars per million tokens: input, output, cache read. Vendor's price list, read November 2026.
# Cache reads are a tenth of the input price where the list does not say otherwise.
PRICES: dict[str, Prices] = {
    "claude-haiku-5-5": (0.10, 0.50, 0.01),
    "claude-sonnet-5-5": (2.0, 10.0, 0.10),
    "claude-opus-5-5": (4.0, 20.0, 0.40),
    "claude-haiku-4-5": (1.0, 5.0, 0.10),
    "claude-sonnet-4-6": (3.0, 15.0, 0.30),
}
# A cache write costs a quarter more than plain input (five-minute cache).
CACHE_WRITE_FACTOR = 1.25

# The shortest prompt, in tokens, that the service will cache; shorter ones are never cached, without an error.
SMALLEST_CACHEABLE: dict[str, int] = {"claude-haiku-5-5": 512, "claude-sonnet-5-5": 1024}


@dataclass(frozen=True)
class Profile:
    """What a model family takes: `verdicts` by JSON schema or by a forced tool call, and its `effort` if it has one."""

    verdicts: Literal["json_schema", "forced_tool"]
    effort: Literal["low", "medium", "high"] | None


CURRENT = Profile(verdicts="json_schema", effort="low")
OLDER = Profile(verdicts="forced_tool", effort=None)


def profile_of(model: str) -> Profile:
    """The profile of a model id, Bedrock's prefixed ids included; unknown names count as current.

    Models from 5 on refuse a forced tool choice; 4.x models before 4.6 have no structured output.
    """
    found = re.search(r"claude-(?:[a-z]+-)?(\d+)", model)
    return OLDER if found and int(found[1]) <= 4 else CURRENT


def cost_usd(call: ModelCall, more_prices: Mapping[str, Prices]) -> float | None:
    """The price of one call in US dollars, or None for a model whose price is not known."""
    prices = {**PRICES, **more_prices}
    known = next((prices[name] for name in prices if name in call.model), None)
    if known is None:
        return None
    per_input, per_output, per_cache_read = known
    return (
        call.input_tokens * per_input
        + call.cache_creation_input_tokens * per_input * CACHE_WRITE_FACTOR
        + call.cache_read_input_tokens * per_cache_read
        + call.output_tokens * per_output
    ) / 1_000_000


def plain_request(profile: Profile) -> dict[str, Any]:
    """The request parameters for free text: little effort, for a short answer from passages needs no long thought."""
    return {"output_config": {"effort": profile.effort}} if profile.effort else {}


def structured_request(schema: dict[str, Any], profile: Profile) -> dict[str, Any]:
    """The request parameters that make a model of this profile reply in the shape of `schema`."""
    if profile.verdicts == "forced_tool":
        tool = {"name": "verdict", "description": "Hand in your verdict.", "input_schema": schema}
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": "verdict"}}
    wanted = plain_request(profile).get("output_config", {})
    return {"output_config": {**wanted, "format": {"type": "json_schema", "schema": schema}}}
