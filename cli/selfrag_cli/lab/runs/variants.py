"""Variants: the ways in which each question is asked, to be compared; each a policy with a name."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, get_args

from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import Policy, read_request
from selfrag.domain.strategies import Strategy
from selfrag.ports.prompts import Prompt, prompt_of
from selfrag.runtime.models import DEFAULT_MODELS, PROFILES
from selfrag_cli.local.setup import AS_SET, Setup

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
# A name is part of the key of a request, which may have 200 characters.
_LONGEST = 100
_GRID = """--grid '{"top_k": [2, 4], "relevance_threshold": [0.3, 0.5]}'"""
_EXAMPLE = """--policy 'small={"top_k": 2}'"""


@dataclass(frozen=True)
class Variant:
    """A policy and what it is called; on this machine it may have models and prompts of its own, too."""

    name: str
    policy: Policy
    setup: Setup = AS_SET

    @property
    def fields(self) -> dict[str, Any]:
        """Return the fields of the policy that differ from their defaults, as JSON values."""
        return self.policy.model_dump(mode="json", exclude_defaults=True)

    @property
    def way(self) -> dict[str, Any]:
        """Return its identity as JSON values: policy, profile, and the versions of its own prompts."""
        versions = {step: prompt.version for step, prompt in self.setup.prompts}
        return {"policy": self.fields, "profile": self.setup.profile, "prompts": versions}


def read_variants(
    policies: Sequence[str],
    strategies: Sequence[str] = (),
    profiles: Sequence[str] = (),
    prompts: Sequence[str] = (),
    grids: Sequence[str] = (),
) -> list[Variant]:
    """Read the variants of `NAME={...}`, a policy as JSON, then those of strategies, profiles, grids and `STEP=FILE`.

    Each of them differs from the default in nothing else. That is the first variant where there is none, or none but
    prompts: what is changed in a prompt is compared with what it was. None of them uses what another one's question
    left in the cache, unless its policy says `cache`: they would not be compared, but the later one would seem cheap.
    Raises InvalidInput with one sentence.
    """
    named = [
        *(_of_policy(text) for text in policies),
        *(_of_strategy(name) for name in strategies),
        *(_of_profile(name) for name in profiles),
        *(variant for text in grids for variant in _of_grid(text)),
    ]
    variants = [*(named or [_of_policy("default={}")]), *(_of_prompt(text) for text in prompts)]
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"Two variants are called {name}: give each a name of its own.")
    return variants


def _of_policy(text: str) -> Variant:
    name, equals, policy = text.partition("=")
    if not equals or not _NAME.fullmatch(name):
        raise InvalidInput(f"A variant is a name of letters, digits, dots or dashes, and a policy: {_EXAMPLE}.")
    try:
        given = read_request("?", policy).policy
    except InvalidInput as error:
        raise InvalidInput(f"The variant {name}: {error}") from error
    return Variant(name, given if "cache" in given.model_fields_set else given.model_copy(update={"cache": False}))


def _of_strategy(name: str) -> Variant:
    if name not in get_args(Strategy):
        raise InvalidInput(f"There is no strategy {name!r}; the strategies are {', '.join(get_args(Strategy))}.")
    return _of_policy(f'{name}={{"strategy": "{name}"}}')


def _of_profile(name: str) -> Variant:
    if name not in PROFILES:
        raise InvalidInput(f"There is no profile {name!r}; the profiles are {', '.join(PROFILES)}.")
    return Variant(name, Policy(cache=False), Setup(profile=name))


def _of_grid(text: str) -> list[Variant]:
    """Return a variant for each combination of the values that fields may have, called by those that differ."""
    try:
        fields: Any = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"--grid is not valid JSON: {error}; {_GRID}.") from error
    lists = fields.values() if isinstance(fields, dict) else ()
    if not lists or not all(isinstance(values, list) and values for values in lists):
        raise InvalidInput(f"A grid is fields of the policy, each with a list of values: {_GRID}.")
    return [_of_cell(dict(zip(fields, cell, strict=True))) for cell in product(*lists)]


def _of_cell(fields: dict[str, Any]) -> Variant:
    name = re.sub(r"[^A-Za-z0-9._-]", "-", ".".join(f"{field}-{value}" for field, value in fields.items()))
    if len(name) > _LONGEST:
        raise InvalidInput(f"The variant {name} has too long a name: let a grid have fewer fields.")
    return replace(_of_policy(f"cell={json.dumps(fields)}"), name=name)


def _of_prompt(text: str) -> Variant:
    step, path, prompt = read_prompt(text, tuple(DEFAULT_MODELS))
    name = re.sub(r"[^A-Za-z0-9._-]", "-", f"{step}.{path.stem}")[:40]
    return Variant(name, Policy(cache=False), Setup(prompts=((step, prompt),)))


def read_prompt(text: str, steps: Collection[str]) -> tuple[str, Path, Prompt]:
    """Return the step, the file and the prompt of `STEP=FILE`; raises InvalidInput with one sentence."""
    step, name = read_step(text, steps, "a step and a file: --prompt grade_support=stricter.md")
    try:
        said = Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"The prompt {name} cannot be read: {error}.") from error
    if not said.strip():
        raise InvalidInput(f"The prompt {name} is empty.")
    return step, Path(name), prompt_of(said)


def read_step(text: str, steps: Collection[str], wanted: str) -> tuple[str, str]:
    """Return the two sides of `STEP=...`; raises InvalidInput, with what is wanted."""
    step, _, name = text.partition("=")
    if not name:
        raise InvalidInput(f"{text!r} is not {wanted}.")
    if step not in steps:
        raise InvalidInput(f"There is no step {step} to change; there are {', '.join(steps)}.")
    return step, name
