"""The laptop's state: one directory with a SQLite file shared by processes."""

import errno
import fcntl
import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from selfrag.domain.errors import Misconfigured

# Called with the id of the process being waited for.
OnWait = Callable[[int], None]

FILE = "selfrag.sqlite3"
BUSY_SECONDS = 30.0
# Passages, questions and answers are private, even in a shared directory.
_OWNER_ONLY = 0o600
_ELSEWHERE = "Set SELFRAG_HOME to a directory that you can write."


def home() -> Path:
    """Return the state directory, created on first use and readable only by its owner.

    `SELFRAG_HOME`, else `$XDG_STATE_HOME/selfrag`, else `~/.local/state/selfrag`. Raises Misconfigured if it cannot be
    created or written.
    """
    try:
        directory = user_directory("SELFRAG_HOME", "XDG_STATE_HOME", ".local/state", "selfrag")
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError, ValueError) as error:
        cause = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else error
        raise Misconfigured(f"The directory for selfrag's state cannot be created: {cause}. {_ELSEWHERE}") from error
    if not os.access(directory, os.R_OK | os.W_OK | os.X_OK):
        raise Misconfigured(f"The directory for selfrag's state, {directory}, cannot be written. {_ELSEWHERE}")
    return directory


def user_directory(variable: str, base: str, usual: str, below: str) -> Path:
    """Return the directory named by a variable, else `below` the XDG base directory, usually ~/`usual`."""
    if named := os.environ.get(variable):
        return Path(named).expanduser().absolute()
    directory = Path(os.environ.get(base, ""))
    # The XDG specification requires relative paths to be ignored.
    return (directory if directory.is_absolute() else Path.home() / usual) / below


def connect(schema: str = "", directory: Path | None = None) -> sqlite3.Connection:
    """Open the SQLite file in `directory` (by default `home()`) and apply a module's schema.

    `schema` is SQL that can run repeatedly, such as `CREATE TABLE IF NOT EXISTS`. A write begins a transaction, which
    `with connection:` or `with writing(connection):` ends. Threads may share the connection, one at a time. Raises
    Misconfigured if the file cannot be opened or is not a SQLite database.
    """
    path = (directory or home()) / FILE
    try:
        if not path.exists():
            _create(path)
        for suffix in ("", "-wal", "-shm"):
            _narrow(path.with_name(path.name + suffix))
        return _open(path, schema)
    except (OSError, sqlite3.Error) as error:
        raise Misconfigured(explain(error, path)) from error


@contextmanager
def open_transaction(connection: sqlite3.Connection, mode: str = "IMMEDIATE") -> Iterator[None]:
    """Run the block's reads and writes in one transaction; other processes wait.

    With the mode DEFERRED, reads see one snapshot, and nobody waits. Raises Misconfigured if the file is damaged or
    closed, the disk is full or another process holds the file for too long.
    """
    try:
        with connection:
            connection.execute(f"BEGIN {mode}")
            yield
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError | sqlite3.ProgrammingError) or is_damage(error):
            raise Misconfigured(explain(error)) from error
        raise


def is_damage(error: BaseException) -> bool:
    """Return whether a SQLite error means that the file is corrupt."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_full(error: BaseException) -> bool:
    """Return whether an error means that a disk or quota is full."""
    full = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
    return full or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT))


def explain(error: BaseException, path: Path | None = None) -> str:
    """Return a sentence about an error of the state file, with advice for corruption and full disks."""
    path = path or home() / FILE
    if is_full(error):
        file = getattr(error, "filename", None) or path
        return f"The disk is full, so {file} cannot be written: free some space and try again; nothing stored is lost."
    if not is_damage(error):
        return f"The file of selfrag's state, {path}, cannot be used: {error}."
    return (
        f"The file of selfrag's state, {path}, is damaged ({error}). It holds what was made of your documents, and "
        "earlier answers. You may delete it, with the files of the same name next to it: directories are "
        "then read and embedded anew when they are asked, named collections when you ingest them again, and earlier "
        "answers and their traces are lost. Your documents are not in it."
    )


@contextmanager
def hold_lock(name: str, on_wait: OnWait = lambda process: None) -> Iterator[None]:
    """Hold an inter-process lock of this name; the system releases it if the process dies.

    `on_wait` may raise an error to stop waiting.
    """
    path = home() / f"{name}.lock"
    with open(path, "a+", opener=lambda path, flags: os.open(path, flags, _OWNER_ONLY)) as lock:
        _narrow(path)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            on_wait(int(lock.read() or 0))
            fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _narrow(path: Path) -> None:
    with suppress(FileNotFoundError):
        if stat.S_IMODE(path.stat().st_mode) != _OWNER_ONLY:
            path.chmod(_OWNER_ONLY)


def _create(path: Path) -> None:
    # Switching an open file to WAL fails at once if another process does the same, so the WAL database is created under
    # a temporary name, and the first process to rename it wins.
    with tempfile.TemporaryDirectory(dir=path.parent) as workshop:
        fresh = Path(workshop) / path.name
        with closing(sqlite3.connect(fresh)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        # SQLite gives its auxiliary files the same mode.
        fresh.chmod(_OWNER_ONLY)
        with suppress(FileExistsError):
            os.link(fresh, path)


def _open(path: Path, schema: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level="IMMEDIATE", check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(schema)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
