"""Public files with published tables or texts, downloaded by name and checked by digest; half are held out."""

import hashlib
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bench.documents.corpus.building import HELD_OUT, WORKED, File, Told, written
from bench.documents.known.docling import known_of_document
from bench.documents.known.icdar import known_of_tables
from bench.documents.known.pages import Known

LISTS = Path(__file__).with_name("public")


@dataclass(frozen=True)
class Collection:
    """Files of a repository at a commit, all that are `listed` with their SHA-256.

    `expected` maps a file to its expected content, `known` reads that, and `whose` is the label in the tables.
    """

    repository: str
    commit: str
    whose: str
    listed: Path
    expected: Callable[[PurePosixPath], PurePosixPath]
    known: Callable[[bytes], Known]

    @property
    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of each file by its path in the repository."""
        lines = self.listed.read_text(encoding="utf-8").splitlines()
        return {path: digest for digest, path in (line.split("  ", 1) for line in lines)}


def _structure(path: PurePosixPath) -> PurePosixPath:
    return path.with_name(f"{path.stem}-str.xml")


def _groundtruth(path: PurePosixPath) -> PurePosixPath:
    name = path.stem if path.suffix == ".pdf" else path.name
    return path.parents[1] / "groundtruth" / f"{name}.json"


COLLECTIONS = (
    Collection(
        "tabulapdf/tabula-java",
        "2cdf3b4fd3f7e921dca8cc6814cdd9316be40f0f",
        "ICDAR 2013",
        LISTS / "tabula-java.sha256",
        _structure,
        known_of_tables,
    ),
    Collection(
        "docling-project/docling",
        "e1cb2b234c48ff29746b0f2f843d07f8e23905a0",
        "docling's tests",
        LISTS / "docling.sha256",
        _groundtruth,
        known_of_document,
    ),
)


def brought(
    directory: Path,
    given: Path | None,
    held_out: bool,
    told: Told,
    collections: Sequence[Collection] = COLLECTIONS,
) -> tuple[list[File], list[str]]:
    """Return the public files below a directory, and what could not be had, in sentences.

    They are fetched from GitHub, or found in a directory that was `given` with git directories of the repositories.
    The half that is held out is not even written down before it is asked for.
    """
    files, missing = list[File](), list[str]()
    for collection in collections:
        into = directory / "public" / collection.repository
        try:
            files += _files(collection, into, given, held_out, told)
        except (OSError, RuntimeError) as error:
            missing.append(f"The files of {collection.repository} are left out: {error}")
    return files, missing


def half_of(name: str) -> str:
    """Return which half a file is in, by a hash of its bare name."""
    return (WORKED, HELD_OUT)[int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2]


def _files(collection: Collection, into: Path, given: Path | None, held_out: bool, told: Told) -> Iterator[File]:
    digests = collection.digests
    pairs = [
        (path, str(expected))
        for path in digests
        if (expected := collection.expected(PurePosixPath(path))) and str(expected) in digests
    ]
    parts = {path: half_of(PurePosixPath(path).name) for path, _ in pairs}
    pairs = [pair for pair in pairs if held_out or parts[pair[0]] == WORKED]
    _laid_out(collection, into, [path for pair in pairs for path in pair], given, told)
    for path, expected in pairs:
        known = written(collection.known((into / expected).read_bytes()), into / f"{expected}.known.json")
        kind = f"{PurePosixPath(path).suffix[1:]} of {collection.whose}"
        yield File(PurePosixPath(path).name, kind, "", str(into / path), str(known), parts[path])


def _laid_out(collection: Collection, into: Path, paths: Sequence[str], given: Path | None, told: Told) -> None:
    """Write the files that are not there yet, each if its digest is the listed one."""
    wanted = [path for path in paths if not (into / path).exists()]
    if not wanted:
        return
    told(f"Bringing {len(wanted)} files of {collection.repository}.")
    git = _git_directory(collection, into / "git", given)
    for path in wanted:
        content = _git(git, "show", f"{collection.commit}:{path}")
        if hashlib.sha256(content).hexdigest() != collection.digests[path]:
            raise RuntimeError(f"{path} is not the file that was listed")
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        (into / path).write_bytes(content)


def _git_directory(collection: Collection, own: Path, given: Path | None) -> Path:
    """Return a git directory with the commit: one below the directory that was given, or one that is fetched."""
    if given is not None:
        for head in sorted(given.rglob("HEAD")):
            if (head.parent / "objects").is_dir() and _has(head.parent, collection.commit):
                return head.parent
        raise RuntimeError(f"no git directory below {given} has commit {collection.commit}")
    if not _has(own, collection.commit):
        own.mkdir(parents=True, exist_ok=True)
        _git(own, "init", "--bare", "--quiet")
        _git(own, "fetch", "--quiet", "--depth=1", f"https://github.com/{collection.repository}", collection.commit)
    return own


def _has(git: Path, commit: str) -> bool:
    try:
        _git(git, "cat-file", "-e", f"{commit}^{{commit}}")
    except RuntimeError:
        return False
    return True


def _git(git: Path, *command: str) -> bytes:
    done = subprocess.run(["git", f"--git-dir={git}", *command], capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace").strip()[-300:])
    return done.stdout
