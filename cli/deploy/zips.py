"""What goes into each zip, and zips that are the same byte for byte wherever and whenever they are built."""

import hashlib
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

# The AWS services that the functions call. botocore describes four hundred; the others stay out of the layer.
SERVICES = frozenset({"bedrock-runtime", "dynamodb", "s3", "secretsmanager", "stepfunctions", "sts"})
# For OpenSearch's gRPC transport, which nothing here asks for; opensearch-py requires them but does not import them.
UNUSED = frozenset({"grpcio", "opensearch_protobufs", "protobuf"})

_SHARED = "selfrag"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o100644 << 16
_UNIX = 3
_IDLE_FOLDERS = frozenset({"__pycache__", "tests", "_tests"})
_IDLE_SUFFIXES = frozenset({".pyc", ".pyi", ".pyx", ".c", ".cc", ".h"})

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Archive:
    """A zip that was written."""

    path: Path
    size: int
    unzipped: int
    sha256: str


def steps_of(functions: Path) -> list[str]:
    """The folders that become a Lambda each: those with a handler."""
    return sorted(handler.parent.name for handler in functions.glob("*/handler.py") if handler.parent.name != _SHARED)


def function_files(functions: Path, step: str) -> Files:
    """What a step's zip holds: its folder."""
    return _folder(functions, step)


def layer_files(functions: Path, wheels: Iterable[Path]) -> Files:
    """What the layer holds: what the steps share, and the dependencies, below `python/`."""
    files = dict(_folder(functions, _SHARED))
    for wheel in wheels:
        if wheel.name.split("-")[0].lower() in UNUSED:
            continue
        with zipfile.ZipFile(wheel) as content:
            for name in content.namelist():
                path = _installed(name)
                if path is None or not _is_needed(path):
                    continue
                data = content.read(name)
                if files.setdefault(path, data) != data:
                    raise ValueError(f"Two packages bring a different {path}.")
    return {f"python/{path}": data for path, data in files.items()}


def write_zip(path: Path, files: Files) -> Archive:
    """Write files in the order of their names, each with the same time and permissions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as out:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system, entry.external_attr, entry.compress_type = _UNIX, _READABLE, zipfile.ZIP_DEFLATED
            out.writestr(entry, files[name])
    written = path.read_bytes()
    return Archive(path, len(written), sum(map(len, files.values())), hashlib.sha256(written).hexdigest())


def _folder(functions: Path, name: str) -> Files:
    paths = (path for path in (functions / name).rglob("*") if path.is_file())
    files = {path.relative_to(functions).as_posix(): path for path in paths}
    return {name: path.read_bytes() for name, path in files.items() if _is_needed(name)}


def _installed(name: str) -> str | None:
    """Where a wheel's entry is installed; None for folders, and for what lies outside the library, such as scripts."""
    name = re.sub(r"^[^/]+\.data/(purelib|platlib)/", "", name)
    return None if name.endswith("/") or re.match(r"[^/]+\.data/", name) else name


def _is_needed(path: str) -> bool:
    """Whether a Lambda can need a file; RECORD goes as well, for it lists what was left out."""
    parts = PurePosixPath(path).parts
    if _IDLE_FOLDERS.intersection(parts) or PurePosixPath(path).suffix in _IDLE_SUFFIXES:
        return False
    if any(part.startswith(".") for part in parts) or (parts[0].endswith(".dist-info") and parts[-1] == "RECORD"):
        return False
    return parts[:2] != ("botocore", "data") or len(parts) == 3 or parts[2] in SERVICES
