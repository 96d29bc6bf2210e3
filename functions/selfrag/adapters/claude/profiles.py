"""Request profiles: how to ask a model for a verdict, and other features of its requests.

They follow from the provider and model in a model id: Bedrock's ids have `anthropic.` before the model's name. Sources
are vendor documentation and user reports of November 2026; when a model refuses a feature, the next profile is used
(capabilities.py).
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, NotRequired, Required, TypedDict

# Structured output; a tool that the model must call; one that it may call; a schema in the instructions.
Way = Literal["json_schema", "forced_tool", "offered_tool", "words"]
Feature = Literal["json_schema", "forced_tool", "offered_tool", "words", "thinking", "effort", "hour"]

TOOL = "verdict"
_ID = re.compile(r"claude-(?:([a-z]+)-)?(\d+)(?:-(\d{1,2})(?!\d))?")
_LAST_OF_THE_OLD_VERSION = (4, 6)
# Models that think by default and have a setting against it; the rest of the 5 family always thinks.
_WITHOUT_THINKING = {
    ("haiku", 5, 5): "disabled", ("sonnet", 5, 5): "between_tools", ("sonnet", 5, 0): "disabled",
    ("opus", 5, 0): "disabled",
}  # fmt: skip
# Models of family 5 that accept a forced tool; Opus and Sonnet 5.5 refuse one.
_FORCED = (("haiku", 5, 5), ("sonnet", 5, 0), ("opus", 5, 0))
# The words of a refusal for each feature; of several, the one that a message names first.
_NAMES: dict[Feature, str] = {
    "effort": r"output_config(?!\.format)|reasoning",
    "json_schema": r"output_config|structured output|response_format",
    "forced_tool": r"tool_?choice|\btools\b|tool use",
    "offered_tool": r"\btools?\b|toolConfig",
    "thinking": r"thinking|between_tools",
    "hour": r"\bttl\b|cache_control",
}


class OutputConfig(TypedDict, total=False):
    """The effort of a reply, and its form as structured output."""

    effort: str
    format: dict[str, object]


class RequestParameters(TypedDict, total=False):
    """The parameters of a request that depend on the model and on the kind of reply."""

    output_config: OutputConfig
    thinking: dict[str, str]
    tools: list[dict[str, object]]
    tool_choice: dict[str, str]
    extra_body: dict[str, str]


class PromptBlock(TypedDict):
    """A text of a request; with `cache_control` the prompt cache keeps what ends with it."""

    type: str
    text: str
    cache_control: NotRequired[dict[str, str]]


class MessagesRequest(RequestParameters, total=False):
    """A request of the Messages API."""

    model: Required[str]
    system: Required[list[PromptBlock]]
    messages: Required[list[dict[str, object]]]


@dataclass(frozen=True)
class Profile:
    """A model's request features: remaining `ways` to a verdict, best first, and `effort`, if supported.

    `thinking` is the setting for verdicts without thinking, or None; `thinks` means that the model thinks otherwise.
    `hour` means that it can cache a prompt for an hour.
    """

    ways: tuple[Way, ...]
    effort: Literal["none", "low", "medium", "high"] | None
    thinking: str | None
    thinks: bool
    hour: bool

    @property
    def way(self) -> Way:
        """Return the current way to request verdicts."""
        return self.ways[0]

    def drop(self, feature: Feature) -> "Profile":
        """Return the profile of a model that refuses a feature."""
        if feature == "effort":
            return replace(self, effort=None)
        if feature == "thinking":
            return replace(self, thinking=None)
        return replace(self, hour=False) if feature == "hour" else replace(self, ways=self.ways[1:])

    def find_refused(self, message: str) -> Feature | None:
        """Return the refused feature, if this profile uses it and can do without it."""
        present = {
            self.way: len(self.ways) > 1, "effort": bool(self.effort), "thinking": bool(self.thinking),
            "hour": self.hour,
        }  # fmt: skip
        named = [
            (match.start(), feature)
            for feature, name in _NAMES.items()
            if present.get(feature) and (match := re.search(name, message, re.IGNORECASE))
        ]
        return min(named)[1] if named else None


def profile_of(model: str) -> Profile:
    """Return the profile of a model id, Bedrock's prefixed ids included; unknown names count as current."""
    family, on_bedrock = _family(model), bool(re.search(r"(?:^|\.)anthropic\.", model))
    hour = not bedrock_request(model)
    if family and family[1] <= 4:
        # 4.x models before 4.6 have no structured output.
        ways: tuple[Way, ...] = ("forced_tool", "json_schema", "offered_tool", "words")
        return Profile(ways, effort=None, thinking=None, thinks=False, hour=hour)
    ways = ("json_schema", "offered_tool", "words")
    if family in _FORCED:
        # Bedrock has refused structured output of the 5 family, by model and account, since its first day.
        ways = ("forced_tool", *ways) if on_bedrock else ("json_schema", "forced_tool", *ways[1:])
    stops = _WITHOUT_THINKING.get(family) if family else None
    return Profile(ways, effort="low", thinking=stops, thinks=True, hour=hour)


def is_claude(model: str) -> bool:
    """Return whether a Bedrock id is of Claude; an ARN of a profile names no vendor, and counts as one."""
    name = model.rpartition("/")[2]
    return "anthropic." in name or "." not in name


def bedrock_request(model: str) -> RequestParameters:
    """Return the extra request parameters of a Bedrock id: the API version that models up to 4.6 know.

    The SDK sends Bedrock a version that such models refuse. Ids of other services need nothing.
    """
    family = _family(model) if re.search(r"(?:^|\.)anthropic\.", model) else None
    if family is None or family[1:] > _LAST_OF_THE_OLD_VERSION:
        return {}
    return {"extra_body": {"anthropic_version": "bedrock-2023-05-31"}}


def plain_request(profile: Profile) -> RequestParameters:
    """Return the request parameters for free text: a short answer from passages needs little effort."""
    return {"output_config": {"effort": profile.effort}} if profile.effort else {}


def verdict_request(schema: dict[str, object], profile: Profile) -> RequestParameters:
    """Return the request parameters that make a model of this profile reply in the shape of `schema`."""
    parameters = plain_request(profile)
    if profile.thinking:
        parameters["thinking"] = {"type": profile.thinking}
    if profile.way == "json_schema":
        output_config = parameters.setdefault("output_config", {})
        output_config["format"] = {"type": "json_schema", "schema": schema}
        return parameters
    if profile.way == "words":
        return parameters
    parameters["tools"] = [{"name": TOOL, "description": "Hand in your verdict.", "input_schema": schema}]
    if profile.way == "forced_tool":
        parameters["tool_choice"] = {"type": "tool", "name": TOOL}
    return parameters


def instruction(schema: str, profile: Profile) -> str:
    """Return the instructions that request a verdict if no parameter does, else ""."""
    if profile.way == "offered_tool":
        return f"Give your verdict by calling the tool `{TOOL}` once. Write no text."
    if profile.way == "words":
        return f"Reply with one JSON object and nothing else: no text before or after it. Its JSON schema:\n{schema}"
    return ""


def _family(model: str) -> tuple[str, int, int] | None:
    """Return a model's family and version, the second number 0 if it has none; None for an unknown name."""
    match = _ID.search(model)
    return (match[1] or "", int(match[2]), int(match[3] or 0)) if match else None
