"""The command: fetch documents, read them with several readers, and print how much of the content each keeps."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.documents.corpus.building import HELD_OUT, OWN, WORKED, Corpus, File, built
from bench.documents.corpus.packages import missing_programs
from bench.documents.corpus.public import brought
from bench.documents.corpus.sources import SOURCES
from bench.documents.page import BUILT, ROOT, publish, shown
from bench.documents.readers.environments import environment
from bench.documents.readers.running import readings
from bench.documents.results import Result, judged, read, written

DIRECTORY = ROOT / "build" / "documents"
PDF = frozenset({"pdf"})
EVERYTHING = frozenset({"pdf", "html", "md", "docx", "odt", "epub", "pptx", "xlsx"})
# Each with the kinds that it reads, by their ending.
READS = {
    "selfrag": EVERYTHING,
    "pypdf": PDF,
    "pdfplumber": PDF,
    "markitdown": EVERYTHING - {"odt"},
    "docling": EVERYTHING,
}


def run() -> None:
    """Build and read the corpus and print the tables; or copy the figures of the last run to bench/figures."""
    parser = argparse.ArgumentParser(prog="python -m bench documents", description=__doc__)
    parser.add_argument("--readers", nargs="+", choices=READS, default=list(READS), metavar="READER")
    parser.add_argument("--kinds", nargs="+", choices=sorted(EVERYTHING), default=[], metavar="KIND")
    parser.add_argument("--parts", nargs="+", choices=(OWN, WORKED), default=[OWN, WORKED], metavar="PART")
    parser.add_argument("--held-out", action="store_true", help="read the half of the public files that is held out")
    parser.add_argument("--public", type=Path, help="a directory with git directories of the public files")
    parser.add_argument("--files", action="store_true", help="print each file, too")
    parser.add_argument("--publish", action="store_true", help="copy the figures of the last run to bench/figures")
    given = parser.parse_args()
    if given.publish:
        publish()
        return
    if OWN in given.parts and (lacking := missing_programs()):
        parser.error(f"{', '.join(lacking)} of Debian is needed to fetch the documents, and is not here.")
    parts = [*given.parts, *([HELD_OUT] if given.held_out else [])]
    corpus = _corpus(parts, given.public)
    files = [file for file in corpus.files if not given.kinds or file.kind.split()[0] in given.kinds]
    results: list[Result] = []
    for some in _measured(_pythons(given.readers), files):
        results += some
        _keep(corpus, results)
    print(shown(results, given.files))
    print("\n".join(corpus.missing))


def _corpus(parts: Sequence[str], given: Path | None) -> Corpus:
    """Return the files of these parts."""
    corpus = built(SOURCES, DIRECTORY, _told) if OWN in parts else Corpus([], [], [])
    public, missing = brought(DIRECTORY, given, HELD_OUT in parts, _told) if set(parts) - {OWN} else ([], [])
    files = [*corpus.files, *(file for file in public if file.part in parts)]
    return Corpus(files, corpus.packages, [*corpus.missing, *missing])


def _pythons(readers: Sequence[str]) -> dict[str, Path]:
    """Return the Python of each reader that can be installed here."""
    found = {}
    for reader in readers:
        try:
            ours = reader == "selfrag"
            found[reader] = Path(sys.executable) if ours else environment(reader, DIRECTORY / "environments", _told)
        except RuntimeError as error:
            _told(f"{reader} is left out, for it cannot be installed here: {error}")
    return found


def _measured(pythons: dict[str, Path], files: Sequence[File]) -> Iterator[list[Result]]:
    """Yield the results file by file, and store them even if the command is interrupted."""
    for part, kind in dict.fromkeys((file.part, file.kind) for file in files):
        of_kind = [file for file in files if (file.part, file.kind) == (part, kind)]
        for reader, python in pythons.items():
            if kind.split()[0] in READS[reader]:
                yield _by(reader, python, of_kind)


def _by(reader: str, python: Path, files: Sequence[File]) -> list[Result]:
    _told(f"{reader}: {len(files)} files, {files[0].part}, {files[0].kind}")
    found = readings(reader, python, [file.path for file in files], ROOT if reader == "selfrag" else None)
    results = [judged(reader, file, reading) for file, reading in zip(files, found, strict=True)]
    unread = [result for result in results if result.error]
    if unread:
        _told(f"  {len(unread)} not read, the first {unread[0].file}: {unread[0].error}")
    return results


def _keep(corpus: Corpus, results: Sequence[Result]) -> None:
    """Keep the figures; those of an earlier run stay where the same reader did not read the same kind again."""
    about, earlier = read(BUILT) if BUILT.exists() else ({}, [])
    again = {(result.reader, result.part, result.kind) for result in results}
    kept = [result for result in earlier if (result.reader, result.part, result.kind) not in again]
    packages = corpus.packages or about.get("packages", [])
    written([*kept, *results], {"packages": packages, "missing": corpus.missing}, BUILT)
    index = [asdict(file) for file in corpus.files]
    (DIRECTORY / "files.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


def _told(what: str) -> None:
    print(what, file=sys.stderr)
