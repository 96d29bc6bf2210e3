"""Files of other kinds, made of a page by pandoc, LibreOffice and openpyxl."""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.documents.corpus.sources import Source
from bench.documents.corpus.tools import Tools
from bench.documents.known.areas import Area, Cell, size_of
from bench.documents.known.clean import clean_page
from bench.documents.known.pages import Known, text_of, without_furniture
from bench.documents.known.tables import grids
from bench.documents.known.tree import parsed
from bench.documents.readers.environments import environment

_WRITER = Path(__file__).with_name("write_xlsx.py")


@dataclass(frozen=True)
class Made:
    """A file that was made; `known` is None if all that its page says is in it."""

    path: Path
    kind: str
    known: Known | None = None


class Maker:
    """Generates the files of a source unless they exist. `missing` lists the ones that cannot be generated."""

    def __init__(self, directory: Path, told: Callable[[str], None]) -> None:
        told("Looking for pandoc and LibreOffice.")
        self._directory, self._told = directory, told
        self._tools = Tools(directory / "tools")
        self.missing = self._tools.missing

    def made(self, source: Source, page: str, into: Path) -> Iterator[Made]:
        """Yield the files of a source in its order; report and skip those that cannot be generated."""
        if not source.made:
            return
        clean = into / "page.html"
        tree = without_furniture(parsed(page))
        clean.write_text(clean_page(tree, source.language), encoding="utf-8")
        for ending in source.made:
            target = into / f"{source.name}.{ending}"
            try:
                if ending == "xlsx":
                    yield self._sheets(grids(tree, text_of), target)
                else:
                    yield self._converted(clean, target)
            except (OSError, RuntimeError, subprocess.SubprocessError) as error:
                if not self.missing:
                    self._told(f"{target.name} is left out: {error}")

    def _converted(self, clean: Path, target: Path) -> Made:
        if target.suffix != ".pdf":
            if not target.exists():
                self._tools.convert(clean, target)
            return Made(target, target.suffix[1:])
        if not target.exists():
            between = target.with_suffix(".docx")
            if not between.exists():
                self._tools.convert(clean, between)
            self._tools.print(between, target)
        return Made(target, "pdf by LibreOffice")

    def _sheets(self, tables: list[list[list[str]]], target: Path) -> Made:
        if not target.exists():
            python = environment("openpyxl", self._directory / "environments", self._told)
            told = json.dumps({"path": str(target), "tables": tables})
            done = subprocess.run([str(python), str(_WRITER)], input=told, text=True, capture_output=True, check=False)
            if done.returncode:
                raise RuntimeError(done.stderr.strip()[-300:])
        text = "\n".join("\n".join(row) for table in tables for row in table)
        cells = [
            Cell((name,), "", value, size_of(names, row), line)
            for line, (names, row) in enumerate((names, row) for names, *rows in tables for row in rows)
            for name, value in zip(names, row, strict=True)
            if name and value
        ]
        placed = [
            [Area(value, at, column) for at, row in enumerate(table) for column, value in enumerate(row)]
            for table in tables
        ]
        return Made(target, "xlsx", Known(text, "", cells, placed))
