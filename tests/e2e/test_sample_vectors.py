"""The vectors of the sample handbook are shipped: a new installation computes none before its first answer."""

import json
from contextlib import closing
from pathlib import Path

import numpy as np

from selfrag.domain.passages import Passage, embedded_text
from selfrag.retrieval.duplicates import content_of
from selfrag_cli.local.home import connect
from selfrag_cli.local.index import SAMPLE_VECTORS, SCHEMA, E5Embedder, open_embedder
from selfrag_cli.sample import HANDBOOK
from tests.support.command import Command


def test_the_shipped_vectors_are_those_of_the_sample(tmp_path: Path) -> None:
    with np.load(SAMPLE_VECTORS) as shipped:
        vectors = dict(zip(shipped["keys"].tolist(), shipped["vectors"].astype(np.float32), strict=True))

    ended = Command(tmp_path)("ingest", str(HANDBOOK))

    assert ended.code == 0, ended.err
    with closing(connect(SCHEMA, tmp_path / "state")) as connection:
        keys = {key for (key,) in connection.execute("SELECT key FROM embeddings")}
        rows = connection.execute("SELECT passage FROM texts ORDER BY rowid").fetchall()
    assert keys == set(vectors), "`python -m bench sample-vectors` makes them anew"
    passages = [Passage(**json.loads(row)) for (row,) in rows[::20]]
    computed = E5Embedder().passages([embedded_text(each.title, each.text) for each in passages])
    for passage, vector in zip(passages, computed, strict=True):
        assert np.dot(vectors[open_embedder().key(content_of(passage))], vector) > 0.9999
