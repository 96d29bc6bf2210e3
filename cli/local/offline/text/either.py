"""Patterns that can be read: alternatives are set apart by " | ", and lines may be broken anywhere beside one."""

import re


def either(alternatives: str) -> str:
    """A pattern for any of some pieces, wherever they stand."""
    return "|".join(part.strip() for part in re.split(r"\s\|\s", alternatives.strip()))


def words(alternatives: str) -> str:
    """A pattern for any of some whole words or groups of words."""
    return rf"\b(?:{either(alternatives)})\b"


def compiled(*patterns: str) -> re.Pattern[str]:
    """One pattern of several, for which capital and small letters are the same."""
    return re.compile("|".join(patterns), re.IGNORECASE)
