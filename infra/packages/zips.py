"""Zips of the packages, the same byte for byte wherever and whenever they are built."""

import hashlib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

# The AWS services that the functions call. botocore describes four hundred; the others stay out of the layer.
SERVICES = frozenset(
    {
        "bedrock-agent-runtime",
        "bedrock-runtime",
        "dynamodb",
        "lambda",
        "s3",
        "secretsmanager",
        "stepfunctions",
        "sts",
        "textract",
    }
)

# The layers.
LAYER, READERS, PROTOCOL, TRACES = LAYERS = ("layer", "readers", "protocol", "traces")

# The packages that are not in the layer of all: each is in the zips of its functions, or in another layer.
_STEPS = ("question", "ingestion", "api", "agents", "send_spans")
_IN_LAYERS: Mapping[str, tuple[str, ...]] = {READERS: ("reader",), PROTOCOL: ("api",), TRACES: ()}
# Terraform reads these, and no function does.
_DEFINITIONS = "workflows"
# The functions that are not named by their folder.
_NAMES = {"api": "ask"}
_EPOCH = (1980, 1, 1, 0, 0, 0)
# By suffix, because a copy of the checkout may have lost its modes.
_MODES = {".sh": 0o100755}
_READABLE = 0o100644
_UNIX = 3
_IDLE_FOLDERS = frozenset({"__pycache__", "tests", "_tests"})
# An installer's notes on a library: they differ from machine to machine, or list files that were left out.
_NOTES = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"})
_IDLE_SUFFIXES = frozenset({".pyc", ".pyi", ".pyx", ".c", ".cc", ".h"})

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Archive:
    """A written zip."""

    path: Path
    size: int
    unzipped: int
    sha256: str


def steps_of(functions: Path) -> dict[str, Path]:
    """Return the folders that become a function each, by the function's name: those with a handler."""
    folders = sorted(handler.parent for handler in functions.glob("selfrag/**/handler.py"))
    return {_NAMES.get(folder.name, folder.name): folder for folder in folders}


def function_files(functions: Path, step: str) -> Files:
    """Return the files of a step's zip: its folder, and the `__init__.py` of the packages that it is in."""
    folder = steps_of(functions)[step]
    packages = [parent / "__init__.py" for parent in folder.parents if functions in parent.parents]
    return _below(functions, [*packages, *folder.rglob("*")])


def layer_files(layer: str, functions: Path, libraries: Path) -> Files:
    """Return the files of a layer below `python/`: its libraries, and its packages of `selfrag`."""
    folder = libraries / layer
    packages = [file for package in packages_of(layer, functions) for file in package.rglob("*")]
    files = {**_below(functions, packages), **_below(folder, folder.rglob("*"))}
    return {f"python/{path}": data for path, data in files.items()}


def packages_of(layer: str, functions: Path) -> list[Path]:
    """Return the packages of `selfrag` that a layer holds: a namespace, which Python merges from layers and zip."""
    if layer in _IN_LAYERS:
        return [functions / "selfrag" / name for name in _IN_LAYERS[layer]]
    elsewhere = {*_STEPS, _DEFINITIONS, *(name for names in _IN_LAYERS.values() for name in names)}
    return sorted(path for path in (functions / "selfrag").iterdir() if path.is_dir() and path.name not in elsewhere)


def write_zip(path: Path, files: Files) -> Archive:
    """Write files in the order of their names, each with the same time and with the permissions of its kind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as out:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            mode = _MODES.get(PurePosixPath(name).suffix, _READABLE)
            entry.create_system, entry.external_attr, entry.compress_type = _UNIX, mode << 16, zipfile.ZIP_DEFLATED
            out.writestr(entry, files[name])
    written = path.read_bytes()
    return Archive(path, len(written), sum(map(len, files.values())), hashlib.sha256(written).hexdigest())


def _below(root: Path, paths: Iterable[Path]) -> Files:
    files = {path.relative_to(root).as_posix(): path for path in paths if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if _is_needed(name)}


def _is_needed(path: str) -> bool:
    """Return whether a Lambda can need a file; programs in `bin` name the Python of the installing machine."""
    parts = PurePosixPath(path).parts
    if _IDLE_FOLDERS.intersection(parts) or PurePosixPath(path).suffix in _IDLE_SUFFIXES:
        return False
    if any(part.startswith(".") for part in parts) or parts[0] == "bin":
        return False
    if parts[0].endswith(".dist-info") and parts[-1] in _NOTES:
        return False
    return parts[:2] != ("botocore", "data") or len(parts) == 3 or parts[2] in SERVICES
