"""The tesseract program, run with limited memory and time and without network."""

import csv
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from io import StringIO

from selfrag.domain.errors import BadDocument
from selfrag.ports.recognizer import RecognizedPage
from selfrag.runtime.settings import IngestionSettings, read

# Resolution of its input.
DPI = 300
MAX_MEMORY = 2 * 1024 * 1024 * 1024
MAX_SECONDS = 120  # CPU seconds per page
MAX_LANGUAGES = 6
_RUNNING: set["subprocess.Popen[bytes]"] = set()
_SCRIPTS_ONLY = {"osd", "equ"}
# The limits apply to the program that replaces this process. If possible, it also gets an empty network namespace;
# Python supports that since 3.12.
_LAUNCH = """
import contextlib, os, resource, sys
memory, seconds, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
with contextlib.suppress(AttributeError, OSError):
    os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET)
os.execv(program, sys.argv[3:])
"""


def program() -> str | None:
    """Return tesseract's path; None if missing or disabled by SELFRAG_TEXT_RECOGNITION.

    Raises Misconfigured for an invalid value.
    """
    if "SELFRAG_TEXT_RECOGNITION" in os.environ and read(IngestionSettings).text_recognition == "off":
        return None
    return shutil.which("tesseract")


def languages(tesseract: str) -> str:
    """Return the languages to recognize: SELFRAG_OCR_LANGUAGES (as `deu+eng`), else the first installed ones."""
    if chosen := os.environ.get("SELFRAG_OCR_LANGUAGES", ""):
        return chosen
    listed = _run(tesseract, ["--list-langs"], b"").decode(errors="replace").splitlines()[1:]
    names = [name for name in listed if name not in _SCRIPTS_ONLY and "/" not in name]
    # English first: it is installed by default, and any text may contain it.
    return "+".join(sorted(names, key=lambda name: (name != "eng", name))[:MAX_LANGUAGES]) or "eng"


def recognize(tesseract: str, picture: bytes, page: int, language: str) -> RecognizedPage:
    """Return a picture's text line by line; raises BadDocument."""
    options = ["stdin", "stdout", "--dpi", str(DPI), "-l", language, "tsv"]
    table = _run(tesseract, options, picture).decode("utf-8", "replace")
    lines, sure, letters = defaultdict[tuple[str, ...], list[str]](list), 0.0, 0
    for word in csv.DictReader(StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        text, confidence = (word.get("text") or "").strip(), float(word.get("conf") or -1)
        if text and confidence >= 0:
            lines[tuple(word[level] for level in ("block_num", "par_num", "line_num"))].append(text)
            sure, letters = sure + confidence * len(text), letters + len(text)
    return RecognizedPage(page, "\n".join(map(" ".join, lines.values())), round(sure / letters, 1) if letters else 0.0)


def _run(tesseract: str, options: list[str], content: bytes) -> bytes:
    command = [sys.executable, "-I", "-S", "-c", _LAUNCH, str(MAX_MEMORY), str(MAX_SECONDS), tesseract, *options]
    inherited = {name: os.environ[name] for name in ("PATH", "TESSDATA_PREFIX") if name in os.environ}
    # One thread, because other pages run in parallel.
    environment = {**inherited, "OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"}
    try:
        with subprocess.Popen(  # noqa: S603 (our own command)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        ) as process:
            _RUNNING.add(process)
            try:
                output, _ = process.communicate(content, 2 * MAX_SECONDS)
            finally:
                process.kill()
                _RUNNING.discard(process)
    except subprocess.TimeoutExpired as error:
        raise BadDocument(f"tesseract took more than {MAX_SECONDS} seconds for a page") from error
    if process.returncode:
        raise BadDocument(f"tesseract ended with code {process.returncode}")
    return output


def stop() -> None:
    """End every running tesseract; waiting callers get BadDocument."""
    for process in list(_RUNNING):
        process.kill()
