"""The documents below a directory."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from selfrag.domain.documents import EXTENSIONS, MAX_DOCUMENT_BYTES
from selfrag.domain.errors import BadDocument, InvalidInput
from selfrag.domain.fields import MAX_KEY_BYTES

SAMPLE_DOCUMENTS = Path(__file__).parents[2] / "docs" / "handbook"


@dataclass
class Files:
    """The paths of documents below a directory, with slashes, in order.

    `skipped` counts files of other kinds, `warnings` is a sentence for each thing that cannot be listed.
    """

    directory: Path
    paths: list[str] = field(default_factory=list)
    skipped: int = 0
    warnings: list[str] = field(default_factory=list)

    def content(self, path: str) -> bytes:
        """The bytes of a file, or one more than a document may have; raises BadDocument if it cannot be read."""
        try:
            with (self.directory / path).open("rb") as opened:
                return opened.read(MAX_DOCUMENT_BYTES + 1)
        except OSError as error:
            raise BadDocument(f"{path} cannot be read: {error.strerror}.") from error

    def size(self, path: str) -> int:
        """The bytes of a file; 0 if it is gone."""
        try:
            return (self.directory / path).stat().st_size
        except OSError:
            return 0


def check_directory(directory: Path) -> None:
    """Raise InvalidInput for a directory that is none."""
    if not os.path.isdir(directory):
        raise InvalidInput(f"{directory} {'is not a directory' if os.path.exists(directory) else 'does not exist'}.")


def documents_below(directory: Path, collection: str) -> Files:
    """Find the documents below a directory; hidden files and linked directories are left out.

    Raises InvalidInput if it is none.
    """
    check_directory(directory)
    files = Files(directory)

    def cannot_list(error: OSError) -> None:
        files.warnings.append(f"{error.filename} cannot be read: {error.strerror}.")

    for folder, folders, names in os.walk(directory, onerror=cannot_list):
        folders[:] = [name for name in folders if not name.startswith(".")]
        _add(files, (Path(folder, name) for name in names if not name.startswith(".")), collection)
    files.paths.sort()
    return files


def _add(files: Files, found: Iterable[Path], collection: str) -> None:
    most = MAX_KEY_BYTES - len(f"{collection}/".encode())
    for file in found:
        path = file.relative_to(files.directory).as_posix()
        shown = path.encode(errors="replace").decode()
        if file.suffix.lower() not in EXTENSIONS or not file.is_file():
            files.skipped += 1
        elif path != shown:
            files.warnings.append(f"{shown} has a name that is not valid UTF-8; rename it.")
        elif len(path.encode()) > most:
            files.warnings.append(f"{path} lies too deep: its path may have no more than {most} bytes.")
        else:
            files.paths.append(path)
