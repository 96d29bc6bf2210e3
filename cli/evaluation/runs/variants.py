"""Variants: the ways in which each question is asked, to be compared; each a policy with a name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from selfrag.domain.errors import InvalidInput
from selfrag.domain.questions import Policy, read_request

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_EXAMPLE = """--policy 'small={"top_k": 2}'"""


@dataclass(frozen=True)
class Variant:
    """A policy and what it is called."""

    name: str
    policy: Policy

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the policy that differ from their defaults, as JSON values."""
        return self.policy.model_dump(mode="json", exclude_defaults=True)


def read_variants(texts: Sequence[str]) -> list[Variant]:
    """The variants of `NAME={...}`, a policy as JSON; `default` alone if there is none.

    None of them uses what another one's question left in the cache, unless its policy says `cache`: they would not be
    compared, but the later one would seem cheap. Raises InvalidInput with one sentence.
    """
    variants = [_variant(text) for text in texts or ("default={}",)]
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"Two variants are called {name}: give each a name of its own.")
    return variants


def _variant(text: str) -> Variant:
    name, equals, policy = text.partition("=")
    if not equals or not _NAME.fullmatch(name):
        raise InvalidInput(f"A variant is a name of letters, digits, dots or dashes, and a policy: {_EXAMPLE}.")
    try:
        given = read_request("?", policy).policy
    except InvalidInput as error:
        raise InvalidInput(f"The variant {name}: {error}") from error
    return Variant(name, given if "cache" in given.model_fields_set else given.model_copy(update={"cache": False}))
