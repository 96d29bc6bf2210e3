"""Variants: the ways in which each question is asked, to be compared; each has a name."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, JsonValue

from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import Policy, read_request
from selfrag.domain.strategies import Strategy
from selfrag.judging.prompts import prompt_of
from selfrag.ports.model import Prompt
from selfrag.runtime.models import DEFAULT_MODELS, PROFILES
from selfrag_cli.local.setup import AS_SET, Setup

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_EXAMPLE = """--variant 'small={"top_k": 2}'"""


class VariantConfig(BaseModel):
    """What tells a variant from others: the policy's changed fields, the profile, and the versions of its prompts."""

    policy: dict[str, JsonValue] = {}
    profile: str = ""
    prompts: dict[str, str] = {}


@dataclass(frozen=True)
class Variant:
    """A policy and its name; on this machine it may have models and prompts of its own, too."""

    name: str
    policy: Policy
    setup: Setup = AS_SET

    @property
    def way(self) -> VariantConfig:
        """Return its identity."""
        return VariantConfig(
            policy=self.policy.model_dump(mode="json", exclude_defaults=True),
            profile=self.setup.profile,
            prompts={step: prompt.version for step, prompt in self.setup.prompts},
        )


def read_variants(texts: Sequence[str]) -> list[Variant]:
    """Read variants: a strategy, a profile, a policy as `NAME={...}`, or a prompt as `STEP=FILE`.

    Each differs from the default in nothing else. The default comes first where the others change only prompts, or
    where there are none. No variant reads the verdict cache unless its policy says `cache`: otherwise a later variant
    would seem cheap. Raises InvalidInput with one sentence.
    """
    variants = [_variant(text) for text in texts]
    if all(variant.setup.prompts for variant in variants):
        variants.insert(0, _of_policy("default", "{}"))
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"Two variants are called {name}: give each a name of its own.")
    return variants


def _variant(text: str) -> Variant:
    name, equals, value = text.partition("=")
    if equals:
        return _of_policy(name, value) if value.lstrip().startswith("{") else _of_prompt(text)
    if name in PROFILES:
        return Variant(name, Policy(cache=False), Setup(profile=name))
    if name in get_args(Strategy):
        return _of_policy(name, json.dumps({"strategy": name}))
    raise InvalidInput(
        f"There is no strategy or profile {name!r}: strategies are {', '.join(get_args(Strategy))}, profiles are "
        f"{', '.join(PROFILES)}; a policy has a name: {_EXAMPLE}."
    )


def _of_policy(name: str, text: str) -> Variant:
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"A variant's name has letters, digits, dots and dashes: {_EXAMPLE}.")
    try:
        policy = read_request("?", text).policy
    except InvalidInput as error:
        raise InvalidInput(f"The variant {name}: {error}") from error
    return Variant(name, policy if "cache" in policy.model_fields_set else policy.model_copy(update={"cache": False}))


def _of_prompt(text: str) -> Variant:
    step, path, prompt = read_prompt(text, tuple(DEFAULT_MODELS))
    name = re.sub(r"[^A-Za-z0-9._-]", "-", f"{step}.{path.stem}")[:40]
    return Variant(name, Policy(cache=False), Setup(prompts=((step, prompt),)))


def read_prompt(text: str, steps: Collection[str]) -> tuple[str, Path, Prompt]:
    """Return the step, the file and the prompt of `STEP=FILE`; raises InvalidInput with one sentence."""
    step, name = read_step(text, steps, "a step and a file, such as grade_support=stricter.md")
    try:
        content = Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"The prompt {name} cannot be read: {error}.") from error
    if not content.strip():
        raise InvalidInput(f"The prompt {name} is empty.")
    return step, Path(name), prompt_of(content)


def read_step(text: str, steps: Collection[str], expected: str) -> tuple[str, str]:
    """Return the two sides of `STEP=...`; raises InvalidInput, which says what is expected."""
    step, _, name = text.partition("=")
    if not name:
        raise InvalidInput(f"{text!r} is not {expected}.")
    if step not in steps:
        raise InvalidInput(f"There is no step {step} to change; there are {', '.join(steps)}.")
    return step, name
