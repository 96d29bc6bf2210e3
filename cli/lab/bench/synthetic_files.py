"""Files that are made up of the sample handbook's sentences, the same ones for the same seed."""

import re
from functools import cache
from pathlib import Path
from random import Random

from cli.local.sources.files import SAMPLE_DOCUMENTS

# A section of so many letters or fewer is one passage.
MOST_LETTERS = 780
_TO_A_FOLDER = 100


def write_files(directory: Path, files: int, passages: int, letters: int, seed: int = 0) -> None:
    """Write Markdown files of so many sections of so many letters; each is a passage, and no two are the same."""
    for number in range(files):
        file = directory / f"{number // _TO_A_FOLDER:03}" / f"{number:05}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        chance = Random(f"{seed} {number}")  # noqa: S311 (nothing is secret)
        sections = "\n\n".join(_section(chance, number, part, letters) for part in range(passages))
        file.write_text(f"# Document {number}\n\n{sections}\n", encoding="utf-8")


def _section(chance: Random, number: int, part: int, letters: int) -> str:
    text = f"This is part {part} of document {number}."
    while len(text) < letters:
        text += f" {chance.choice(_sentences())}"
    return f"## Part {part} of document {number}\n\n{text[:letters]}"


@cache
def _sentences() -> list[str]:
    """Sentences of English prose, in their order."""
    pages = sorted(SAMPLE_DOCUMENTS.glob("*/*.md"))
    prose = " ".join(line for page in pages for line in page.read_text(encoding="utf-8").splitlines() if ". " in line)
    return [found for found in re.findall(r"[A-Z][^.]{40,180}\.", prose) if found.isascii()]
