"""Files that are made up of the sample handbook's sentences, the same ones for the same seed."""

import re
from functools import cache
from pathlib import Path
from random import Random

from cli.local.sources.files import SAMPLE_DOCUMENTS

# A passage has at most 900 letters; a section of so many is one passage.
_LETTERS = 780
_TO_A_FOLDER = 100


def write_files(directory: Path, files: int, passages: int, seed: int = 0) -> None:
    """Write Markdown files of so many sections each; every section is a passage, and no two are the same."""
    for number in range(files):
        file = directory / f"{number // _TO_A_FOLDER:03}" / f"{number:05}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        chance = Random(f"{seed} {number}")  # noqa: S311 (nothing is secret)
        sections = "\n\n".join(_section(chance, number, part) for part in range(passages))
        file.write_text(f"# Document {number}\n\n{sections}\n", encoding="utf-8")


def _section(chance: Random, number: int, part: int) -> str:
    text = f"This is part {part} of document {number}."
    while len(text) < _LETTERS - 200:
        text += f" {chance.choice(_sentences())}"
    return f"## Part {part} of document {number}\n\n{text[:_LETTERS]}"


@cache
def _sentences() -> list[str]:
    """Sentences of English prose, in their order."""
    pages = sorted(SAMPLE_DOCUMENTS.glob("*/*.md"))
    prose = " ".join(line for page in pages for line in page.read_text(encoding="utf-8").splitlines() if ". " in line)
    return [found for found in re.findall(r"[A-Z][^.]{40,180}\.", prose) if found.isascii()]
