"""Request profiles of the model families."""

import re
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Profile:
    """A model family's way to give `verdicts`, a JSON schema or a forced tool call, and its `effort` if it has one."""

    verdicts: Literal["json_schema", "forced_tool"]
    effort: Literal["low", "medium", "high"] | None


CURRENT = Profile(verdicts="json_schema", effort="low")
OLDER = Profile(verdicts="forced_tool", effort=None)
_LAST_OF_THE_OLD_VERSION = (4, 6)


def profile_of(model: str) -> Profile:
    """Return the profile of a model id, Bedrock's prefixed ids included; unknown names count as current.

    Models from 5 on refuse a forced tool choice; 4.x models before 4.6 have no structured output.
    """
    found = re.search(r"claude-(?:[a-z]+-)?(\d+)", model)
    return OLDER if found and int(found[1]) <= 4 else CURRENT


def bedrock_request(model: str) -> dict[str, Any]:
    """Return the extra request parameters of a Bedrock id: the API version that models up to 4.6 know.

    The SDK sends Bedrock a version that such models refuse. Ids of other services need nothing.
    """
    found = re.search(r"(?:^|\.)anthropic\.claude-(?:[a-z]+-)?(\d+)(?:-(\d{1,2})(?!\d))?", model)
    if not found or (int(found[1]), int(found[2] or 0)) > _LAST_OF_THE_OLD_VERSION:
        return {}
    return {"extra_body": {"anthropic_version": "bedrock-2023-05-31"}}


def plain_request(profile: Profile) -> dict[str, Any]:
    """Return the request parameters for free text: a short answer from passages needs little effort."""
    return {"output_config": {"effort": profile.effort}} if profile.effort else {}


def structured_request(schema: dict[str, Any], profile: Profile) -> dict[str, Any]:
    """Return the request parameters that make a model of this profile reply in the shape of `schema`."""
    if profile.verdicts == "forced_tool":
        tool = {"name": "verdict", "description": "Hand in your verdict.", "input_schema": schema}
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": "verdict"}}
    wanted = plain_request(profile).get("output_config", {})
    return {"output_config": {**wanted, "format": {"type": "json_schema", "schema": schema}}}
