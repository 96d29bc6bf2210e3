"""The setup of a local stack: what it has otherwise than the settings and the steps say."""

from dataclasses import dataclass

from selfrag.ports.model import Prompt


@dataclass(frozen=True)
class Setup:
    """A profile in place of the settings', "" for theirs, and prompts in place of the steps' own, by folder."""

    profile: str = ""
    prompts: tuple[tuple[str, Prompt], ...] = ()


AS_SET = Setup()
