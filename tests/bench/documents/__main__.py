"""`make bench-documents`: fetch real documents, read them with several readers, and print what was kept."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.bench.documents.corpus.building import Corpus, File, built
from tests.bench.documents.corpus.packages import missing_programs
from tests.bench.documents.corpus.sources import SOURCES
from tests.bench.documents.page import BUILT, ROOT, published, shown
from tests.bench.documents.readers.environments import environment
from tests.bench.documents.readers.running import readings
from tests.bench.documents.results import Result, judged, read, written

DIRECTORY = ROOT / "build" / "documents"
PDF = frozenset({"pdf"})
EVERYTHING = frozenset({"pdf", "html", "md", "docx", "odt", "epub", "rtf", "pptx", "xlsx"})
# Each with the kinds that it reads, by their ending.
READS = {
    "selfrag": EVERYTHING,
    "pypdf": PDF,
    "pdfplumber": PDF,
    "markitdown": EVERYTHING - {"odt", "rtf"},
    "docling": EVERYTHING - {"rtf"},
}


def main() -> None:
    """Build the corpus, read it, print the tables and keep the figures; or put those that are kept into docs/."""
    parser = argparse.ArgumentParser(prog="make bench-documents", description=__doc__)
    parser.add_argument("--readers", nargs="+", choices=READS, default=list(READS), metavar="READER")
    parser.add_argument("--kinds", nargs="+", choices=sorted(EVERYTHING), default=[], metavar="KIND")
    parser.add_argument("--code", type=Path, help="a tree of selfrag's code, read beside this one as `before`")
    parser.add_argument("--files", action="store_true", help="print each file, too")
    parser.add_argument("--docs", action="store_true", help="put the figures of the last run into docs/")
    given = parser.parse_args()
    if given.docs:
        return published()
    if lacking := missing_programs():
        parser.error(f"{', '.join(lacking)} of Debian is needed to fetch the documents, and is not here.")
    corpus = built(SOURCES, DIRECTORY, _told)
    files = [file for file in corpus.files if not given.kinds or file.kind.split()[0] in given.kinds]
    results = list(_measured(given.readers, files, given.code))
    _keep(corpus, results)
    print(shown(results, given.files))
    print("\n".join(corpus.missing))
    return None


def _measured(readers: Sequence[str], files: Sequence[File], before: Path | None) -> Iterator[Result]:
    kinds = list(dict.fromkeys(file.kind for file in files))
    for kind in kinds:
        of_kind = [file for file in files if file.kind == kind]
        for reader in readers:
            if kind.split()[0] in READS[reader]:
                yield from _by(reader, of_kind, ROOT)
        if before is not None and "selfrag" in readers:
            yield from _by("before", of_kind, before.resolve())


def _by(reader: str, files: Sequence[File], code: Path) -> Iterator[Result]:
    ours = reader in ("selfrag", "before")
    try:
        python = Path(sys.executable) if ours else environment(reader, DIRECTORY / "environments", _told)
    except RuntimeError as error:
        return _told(f"{reader} is left out, for it cannot be installed here: {error}")
    _told(f"{reader}: {len(files)} files, {files[0].kind}")
    found = readings("selfrag" if ours else reader, python, [file.path for file in files], code if ours else None)
    for file, reading in zip(files, found, strict=True):
        if reading.error:
            _told(f"  {file.name}: {reading.error}")
        yield judged(reader, file, reading)
    return None


def _keep(corpus: Corpus, results: Sequence[Result]) -> None:
    """Keep the figures; those of an earlier run stay where the same reader did not read the same kind again."""
    _, earlier = read(BUILT) if BUILT.exists() else ({}, [])
    again = {(result.reader, result.kind) for result in results}
    kept = [result for result in earlier if (result.reader, result.kind) not in again]
    written([*kept, *results], {"packages": corpus.packages, "missing": corpus.missing}, BUILT)
    index = [asdict(file) for file in corpus.files]
    (DIRECTORY / "files.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


def _told(what: str) -> None:
    print(what, file=sys.stderr)


if __name__ == "__main__":
    main()
