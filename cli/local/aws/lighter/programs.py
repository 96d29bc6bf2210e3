"""Definitions as moto's interpreter has parsed them, kept on disk: to parse one takes longer than to run it.

A file holds a pickle of moto's own objects and its hash. It is read only if nobody but its owner, who runs this, can
have written it, and only classes of moto's interpreter can come out of it; what is damaged is parsed anew.
"""

import hashlib
import io
import os
import pickle
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import moto
from moto.stepfunctions.parser.asl.component.program.program import Program
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser

from cli.local.aws import jsonata
from cli.local.home import home

MOST_KEPT = 16
_PARSER = "moto.stepfunctions.parser."
_HASH_BYTES = hashlib.sha256().digest_size
# What makes of a definition what moto runs, and the tree of its grammar, which moto does not look at.
Parse = Callable[[str], tuple[Any, Any]]
parse = AmazonStateLanguageParser.parse


@lru_cache(maxsize=8)
def parse_once(definition: str) -> tuple[Any, None]:
    """Parse a definition, the first time in this process that it is asked for."""
    program, _ = parse(definition)
    return program, None


class KeptPrograms:
    """Parses definitions, each once for all processes that name the same directory (made private to its owner)."""

    def __init__(self, directory: Path, parse: Parse = parse) -> None:
        self._directory, self._parse = directory, parse

    def __call__(self, definition: str) -> tuple[Any, None]:
        """What moto's parser makes of a definition, without the tree of its grammar, which nobody reads.

        Raises as the parser does; a directory that cannot be used costs time and nothing else.
        """
        path = self._directory / f"{_key(definition)}.program"
        program = _read(path)
        if program is None:
            program, _ = self._parse(definition)
            with suppress(OSError):
                self._write(path, program)
        return program, None

    def _write(self, path: Path, program: Any) -> None:
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(os.stat(self._directory)):
            return
        data = pickle.dumps(program, protocol=5)
        with tempfile.NamedTemporaryFile(dir=self._directory, delete=False) as unfinished:
            unfinished.write(hashlib.sha256(data).digest() + data)
        os.replace(unfinished.name, path)
        kept = sorted(self._directory.iterdir(), key=lambda file: file.stat().st_mtime)
        for old in kept[:-MOST_KEPT]:
            old.unlink(missing_ok=True)


def kept_programs() -> KeptPrograms:
    """What parses with the programs in the home directory."""
    return KeptPrograms(home() / "programs", parse_once)


class _OfTheParser(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """A class of moto's interpreter; raises UnpicklingError for all else."""
        found = super().find_class(module, name) if module.startswith(_PARSER) else None
        if not isinstance(found, type) or not found.__module__.startswith(_PARSER):
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a program")
        return found


def _read(path: Path) -> Any:
    """The program that is kept in a file; None if there is none, or none that can be trusted or read."""
    try:
        if not _is_private(os.stat(path.parent)):
            return None
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as opened:
            content = opened.read() if _is_private(os.fstat(opened.fileno())) else b""
        data = content[_HASH_BYTES:]
        if hashlib.sha256(data).digest() != content[:_HASH_BYTES]:
            return None
        program = _OfTheParser(io.BytesIO(data)).load()
    except Exception:  # whatever is wrong with a file: the definition is there to be parsed
        return None
    return program if isinstance(program, Program) else None


def _is_private(of: os.stat_result) -> bool:
    """Whether a file or directory is ours and nobody else's to write; systems without users have nothing to compare."""
    if not hasattr(os, "getuid"):
        return True
    return of.st_uid == os.getuid() and not of.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _key(definition: str) -> str:
    """Other for every definition, every release of what reads it, and every change of what we refuse in one."""
    refuses = Path(jsonata.__file__).read_text(encoding="utf-8")
    made_by = f"{moto.__version__} {version('jsonata-python')} {refuses}"
    return hashlib.sha256(f"{made_by}\n{definition}".encode()).hexdigest()
