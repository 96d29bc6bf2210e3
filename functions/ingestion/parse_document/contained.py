"""Reads a PDF in a process of its own, with little memory and time.

pypdf is a large parser of a format in which a small file can ask for any amount of both.
"""

import json
import logging
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import BinaryIO

from ingestion.parse_document.kinds import PDF, refuse_other_kinds
from selfrag.domain.documents import Document, document_from
from selfrag.domain.errors import BadDocument, Misconfigured

MAX_MEMORY = 768 * 1024 * 1024
MAX_SECONDS = 60  # of computing
_UNCAUGHT, _OUT_OF_MEMORY = 1, 3


def read_contained(key: str, content: bytes) -> Document:
    """The text of a PDF by page; raises BadDocument, also if the file takes too much memory or time.

    Raises Misconfigured if the process cannot do its work for any file, as when pypdf is missing.
    """
    refuse_other_kinds(key, content, PDF)
    command = [sys.executable, "-P", "-m", __name__, str(MAX_MEMORY), str(MAX_SECONDS)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    told = json.dumps(key).encode() + b"\n" + content
    try:
        done = subprocess.run(  # noqa: S603 (our own command)
            command, input=told, capture_output=True, env=environment, timeout=1.6 * MAX_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise BadDocument(_reason(key, -signal.SIGXCPU)) from error
    if done.returncode == _UNCAUGHT:
        raise Misconfigured(f"PDFs cannot be read here: {done.stderr.decode(errors='replace').strip()[-200:]}")
    if done.returncode:
        raise BadDocument(_reason(key, done.returncode))
    reply = json.loads(done.stdout)
    if "bad" in reply:
        raise BadDocument(reply["bad"])
    return document_from(reply)


def _reason(key: str, code: int) -> str:
    if code == -signal.SIGXCPU:
        return f"{key} takes more than {MAX_SECONDS} seconds to read; split it, or print it to a new PDF."
    if code in (_OUT_OF_MEMORY, -signal.SIGKILL):  # killed, the machine itself was short of memory
        return f"{key} takes more than {MAX_MEMORY >> 20} MB of memory to read; split it, or print it to a new PDF."
    return f"{key} is a damaged PDF and cannot be read; save it as PDF again."


def _limit(memory: int, seconds: int) -> None:
    for kind, limit in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        # Systems differ in what they let a process limit; a Lambda has limits of its own besides.
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))


def _answer(source: BinaryIO) -> str:
    from ingestion.parse_document.pdf import read_pdf

    key = json.loads(source.readline())
    try:
        return json.dumps(asdict(read_pdf(key, source.read())))
    except BadDocument as error:
        return json.dumps({"bad": str(error)})


if __name__ == "__main__":
    logging.disable()  # pypdf has a line for every oddity
    _limit(int(sys.argv[1]), int(sys.argv[2]))
    try:
        print(_answer(sys.stdin.buffer))
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)  # an orderly exit needs memory too
