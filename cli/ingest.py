"""Brings the local index in step with a directory: what is new or changed is embedded, what is gone is removed."""

import hashlib
import os
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from cli.home import connect
from cli.index import SCHEMA, Collection, E5Embedder, KeptEmbedder, NamedEmbedder, collection_of, embedded_text
from parse_document.logic import EXTENSIONS, MAX_BYTES, parse
from selfrag.documents import BadDocument
from selfrag.errors import InvalidInput
from split_document.logic import SPLITTING, split

# Called with documents done, documents in all, and what is at work; only if something is to be embedded.
Progress = Callable[[int, int, str], None]
# Vectors are kept after so many passages: what an interrupted ingestion has done is not done again.
BATCH = 8


COUNTS = ("added", "changed", "removed", "unchanged", "skipped")


@dataclass(frozen=True)
class Report:
    """What a `sync` did, in documents; `skipped` counts files of other kinds, `warnings` tells what was not read."""

    added: int
    changed: int
    removed: int
    unchanged: int
    skipped: int
    warnings: list[str]

    def summary(self) -> str:
        """The counts in one line."""
        return ", ".join(f"{getattr(self, count)} {count}" for count in COUNTS)


def sync(
    directory: Path, progress: Progress = lambda done, total, name: None, embedder: NamedEmbedder | None = None
) -> Report:
    """Bring the collection of a directory up to date; multilingual-e5-small embeds unless another embedder is given.

    Several processes may do so at once, for the same directory or others. Raises InvalidInput if the directory is
    missing or holds no document that can be used.
    """
    if not os.path.isdir(directory):
        raise InvalidInput(f"{directory} {'is not a directory' if os.path.exists(directory) else 'does not exist'}.")
    with closing(connect(SCHEMA)) as connection:
        collection = Collection(connection, collection_of(directory))
        return _Sync(directory, collection, KeptEmbedder(embedder or E5Embedder(), connection), progress).run()


class _Sync:
    """One run over one directory."""

    def __init__(self, directory: Path, collection: Collection, embedder: KeptEmbedder, progress: Progress) -> None:
        self._directory = directory
        self._collection = collection
        self._embedder = embedder
        self._progress = progress
        self._counts = Counter(dict.fromkeys(COUNTS, 0))
        self._warnings: list[str] = []

    def run(self) -> Report:
        # Read before the files are: what another process adds meanwhile is then not taken for a file that is gone.
        before = self._collection.content_hashes()
        files = self._files()
        used = {path for done, path in enumerate(files) if self._bring_up_to_date(path, before.get(path), done, files)}
        for path in before.keys() - used:
            self._collection.remove(path, before[path])
            self._counts["removed"] += 1
        if self._counts["added"] or self._counts["changed"]:
            self._progress(len(files), len(files), "")
        if not used:
            raise InvalidInput(f"{self._directory} holds no document that can be used: {self._reason()}")
        return Report(**self._counts, warnings=self._warnings)

    def _files(self) -> list[str]:
        """The paths of the documents below the directory, with slashes, in order."""
        found: list[str] = []
        for folder, folders, names in os.walk(self._directory, onerror=self._cannot_list):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for file in (Path(folder, name) for name in names if not name.startswith(".")):
                path = file.relative_to(self._directory).as_posix()
                if file.suffix.lower() not in EXTENSIONS or not file.is_file():
                    self._counts["skipped"] += 1
                elif path != (shown := path.encode(errors="replace").decode()):
                    self._warnings.append(f"{shown} has a name that is not valid UTF-8; rename it.")
                else:
                    found.append(path)
        return sorted(found)

    def _cannot_list(self, error: OSError) -> None:
        self._warnings.append(f"{error.filename} cannot be read: {error.strerror}.")

    def _bring_up_to_date(self, path: str, seen: str | None, done: int, files: list[str]) -> bool:
        """Index a file unless it is unchanged; false, with a warning, if it cannot be used."""
        try:
            content = _content(self._directory / path, path)
            content_hash = hashlib.sha256(f"{SPLITTING} {self._embedder.name}\n".encode() + content).hexdigest()
            if content_hash == seen:
                self._counts["unchanged"] += 1
                return True
            document = parse(path, content)
            pieces = split(document)
        except BadDocument as error:
            self._warnings.append(str(error))
            return False
        self._warnings.extend(document.warnings)
        texts = [embedded_text(piece.title, piece.text) for piece in pieces]
        for start in range(0, len(texts), BATCH):
            place = f", passage {start + 1} of {len(texts)}" if len(texts) > BATCH else ""
            self._progress(done, len(files), path + place)
            self._embedder.passages(texts[start : start + BATCH])
        keyed = list(zip(pieces, map(self._embedder.key, texts), strict=True))
        self._collection.replace(path, seen, content_hash, keyed)
        self._counts["changed" if seen else "added"] += 1
        return True

    def _reason(self) -> str:
        if self._warnings:
            return self._warnings[0]
        if skipped := self._counts["skipped"]:
            return f"none of its {skipped} files is of a kind that is read ({', '.join(sorted(EXTENSIONS))})."
        return "it is empty."


def _content(file: Path, path: str) -> bytes:
    """The bytes of a file, or one more than a document may have."""
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadDocument(f"{path} cannot be read: {error.strerror}.") from error
