"""The vectors of the sample handbook, which are shipped with the command, made anew."""

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SAMPLE_VECTORS, SCHEMA
from selfrag_cli.sample import HANDBOOK
from tests.support.command import Command


def run() -> None:
    """Read the sample in an empty home without the shipped vectors, and write those that it computed."""
    SAMPLE_VECTORS.unlink(missing_ok=True)
    with TemporaryDirectory() as home:
        ended = Command(Path(home))("ingest", str(HANDBOOK))
        assert ended.code == 0, ended.err
        with closing(connect(SCHEMA, Path(home) / "state")) as connection:
            rows = connection.execute("SELECT key, vector FROM embeddings ORDER BY key").fetchall()
    keys = np.array([key for key, _ in rows])
    vectors = np.array([np.frombuffer(vector, np.float32) for _, vector in rows])
    # Half precision changes a cosine by a millionth.
    np.savez_compressed(SAMPLE_VECTORS, keys=keys, vectors=vectors.astype(np.float16))
    print(f"{len(keys)} vectors, {SAMPLE_VECTORS.stat().st_size} bytes")
