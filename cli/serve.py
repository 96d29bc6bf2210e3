"""`selfrag serve`: the local stack and its HTTP API for a directory, until somebody ends it."""

import signal
import threading
from collections.abc import Callable
from pathlib import Path

from cli.aws.kept import kept_tables, show_manifest
from cli.aws.stack import running_stack
from cli.backends import chosen_backends
from cli.files import SAMPLE_DOCUMENTS
from cli.gateway import serving
from cli.index import collection_of
from cli.ingest import Progress, sync
from selfrag.errors import Misconfigured


def serve_documents(documents: Path | None, port: int, progress: Progress, announce: Callable[[str], None]) -> None:
    """Bring a directory up to date (the sample handbook if None) and serve it; `announce` gets the URL.

    Ends when the process is interrupted or told to terminate; answers and verdicts are kept then.
    """
    directory = documents or SAMPLE_DOCUMENTS
    sync(directory, progress)
    collection = collection_of(directory)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: ended.set())
    signal.signal(signal.SIGINT, lambda number, frame: ended.set())
    with chosen_backends(directory) as backends:
        environment = {
            **backends.environment,
            "SELFRAG_COLLECTIONS": f'["{collection}"]',
            "SELFRAG_WEB_SEARCH": str(backends.has_web).lower(),
        }
        with running_stack(environment, backends.secrets), kept_tables():
            show_manifest(collection)
            try:
                with serving(port) as url:
                    announce(url)
                    ended.wait()
            except OSError as error:
                raise Misconfigured(f"Port {port} cannot be used: {error.strerror}.") from error
