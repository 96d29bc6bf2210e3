"""The corpus below a directory: unpacked packages, generated files, and the expected content of each."""

import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import unquote, urldefrag

from bench.documents.corpus.making import Maker
from bench.documents.corpus.packages import laid_out, version
from bench.documents.corpus.sources import PAGE, Source
from bench.documents.known.pages import Known, known_of

Told = Callable[[str], None]
OWN, WORKED, HELD_OUT = "own", "worked", "held-out"
_LINK = re.compile(r'href="([^"]+)"', re.I)


@dataclass(frozen=True)
class File:
    """A file to read: kind (`pdf by TeX`, `docx`), language, and the paths of the file and its expected content.

    `part` says of which files it is: those of Debian's packages, or a half of the public ones.
    """

    name: str
    kind: str
    language: str
    path: str
    known: str
    part: str = OWN


@dataclass(frozen=True)
class Corpus:
    """The files to read, their packages with versions, and messages about missing ones."""

    files: list[File]
    packages: list[str]
    missing: list[str]


def built(sources: Sequence[Source], directory: Path, told: Told) -> Corpus:
    """Fetch, unpack and generate missing files; raises RuntimeError if no package is available."""
    packages = sorted({source.package for source in sources})
    told(f"Fetching {len(packages)} packages of documentation into {directory}.")
    for package in packages:
        laid_out([package], directory / "debs", directory / "packages" / package)
    maker = Maker(directory, told)
    files = []
    for source in sources:
        files += _files(source, directory, maker)
    versions = [f"{package} {version(package, directory / 'debs')}" for package in packages]
    return Corpus(files, versions, maker.missing)


def _files(source: Source, directory: Path, maker: Maker) -> Iterator[File]:
    share = directory / "packages" / source.package / "usr/share"
    pages = [path for page in source.pages for path in _with_linked(share / page)]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in pages]
    into = directory / "made" / source.name
    into.mkdir(parents=True, exist_ok=True)
    known = written(known_of(texts), into / "known.json")
    for path, made_by in source.files:
        file = _unpacked(share / path, into)
        kind = file.suffix[1:] if made_by == PAGE else f"{file.suffix[1:]} by {made_by}"
        yield File(f"{source.name}{file.suffix}", kind, source.language, str(file), str(known))
    for made in maker.made(source, texts[0], into):
        of = written(made.known, into / f"known-{made.path.suffix[1:]}.json") if made.known else known
        yield File(f"{source.name}{made.path.suffix}", made.kind, source.language, str(made.path), str(of))


def _with_linked(page: Path) -> list[Path]:
    """Return the page, and if it is an index, the pages of its directory that it links to, in that order."""
    if not page.name.startswith("index."):
        return [page]
    found = {page: None}
    for link in _LINK.findall(page.read_text(encoding="utf-8", errors="replace")):
        name = unquote(urldefrag(link).url)
        path = page.parent / name
        if "/" not in name and name.endswith(".html") and path.is_file() and name not in _NO_CHAPTER:
            found[path] = None
    return list(found)


_NO_CHAPTER = frozenset({"genindex.html", "search.html"})


def _unpacked(path: Path, into: Path) -> Path:
    if path.suffix != ".gz":
        return path
    file = into / path.stem
    file.write_bytes(gzip.decompress(path.read_bytes()))
    return file


def written(known: Known, path: Path) -> Path:
    """Store the expected content of a file as JSON."""
    path.write_text(json.dumps(asdict(known), ensure_ascii=False), encoding="utf-8")
    return path
