"""pandoc and LibreOffice: those of the machine, or Debian's packages laid out below build/."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from bench.documents.corpus.packages import laid_out, with_dependencies
from bench.documents.corpus.sources import FONTS, OFFICE, PANDOC

_SECONDS = 180
_FONT_CONFIG = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{root}/usr/share/fonts</dir><cachedir>{root}/fonts-cache</cachedir></fontconfig>
"""


class Tools:
    """The tools that make files of a page; one that cannot be had is None, and `missing` says so in a sentence."""

    def __init__(self, directory: Path) -> None:
        self._root = directory / "root"
        self._debs = directory / "debs"
        self._home = directory / "home"
        self.missing: list[str] = []
        self.pandoc = self._had("pandoc", self._pandoc)
        self.office = self._had("LibreOffice", self._office)

    def convert(self, source: Path, target: Path) -> None:
        """Convert a file by pandoc; raises RuntimeError or OSError."""
        if self.pandoc is None:
            raise RuntimeError("pandoc is missing")
        kind = ["--to", "gfm"] if target.suffix == ".md" else []  # GitHub's flavour, since pandoc's own is rare
        self._run([self.pandoc, str(source), "-s", "--quiet", *kind, "-o", str(target)])

    def print(self, source: Path, target: Path) -> None:
        """Convert a file by LibreOffice to the format of the target's extension; raises RuntimeError."""
        if self.office is None:
            raise RuntimeError("LibreOffice is missing")
        options = [f"-env:UserInstallation={(self._home / 'office').as_uri()}", "--headless", "--norestore"]
        command = [self.office, *options, "--convert-to", target.suffix[1:], "--outdir", str(target.parent)]
        made = target.parent / f"{source.stem}{target.suffix}"
        for _ in range(2):  # the first run only creates the profile and asks for a restart
            self._run([*command, str(source)], accepted=(0, 81))
            if made.exists():
                made.replace(target)
                return
        raise RuntimeError(f"LibreOffice made no {target.name}")

    def _had(self, name: str, find: Callable[[], str]) -> str | None:
        try:
            return find()
        except (OSError, RuntimeError) as error:
            self.missing.append(f"{name} is missing, so what it makes is left out: {error}")
            return None

    def _pandoc(self) -> str:
        if found := shutil.which("pandoc"):
            return found
        laid_out(with_dependencies([PANDOC]), self._debs, self._root)
        return str(self._root / "usr/bin/pandoc")

    def _office(self) -> str:
        laid_out(FONTS, self._debs, self._root)
        (self._root / "fonts.conf").write_text(_FONT_CONFIG.format(root=self._root), encoding="utf-8")
        if found := shutil.which("soffice"):
            return found
        laid_out(with_dependencies(OFFICE), self._debs, self._root)
        program = self._root / "usr/lib/libreoffice/program"
        self._moved(program / "fundamentalrc")
        return str(program / "soffice.bin")

    def _moved(self, settings: Path) -> None:
        """LibreOffice looks for its files where its package would have put them."""
        here = (self._root / "usr/lib/libreoffice").as_uri()
        text = settings.read_text(encoding="utf-8").replace("file:///usr/lib/libreoffice", here)
        registry = f"{here}/share/.registry"
        settings.write_text(text.replace("file:///etc/libreoffice/registry", registry), encoding="utf-8")

    def _run(self, command: list[str], accepted: tuple[int, ...] = (0,)) -> None:
        self._home.mkdir(parents=True, exist_ok=True)
        own = [self._root / "usr/lib/libreoffice/program", *sorted((self._root / "usr/lib").glob("*-linux-gnu"))]
        environment = {
            **os.environ,
            "HOME": str(self._home),
            "LC_ALL": "C.UTF-8",
            "FONTCONFIG_FILE": str(self._root / "fonts.conf"),
        }
        if command[0].startswith(str(self._root)):
            environment |= {
                "LD_LIBRARY_PATH": os.pathsep.join(map(str, own)),
                "pandoc_datadir": str(self._root / "usr/share/pandoc"),
            }
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=_SECONDS)
        if done.returncode not in accepted:
            raise RuntimeError(f"{Path(command[0]).name} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
