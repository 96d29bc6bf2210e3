"""The stand-in reads what the search for a question finds before it is asked, and makes nothing of it twice."""

import uuid
from contextlib import closing
from pathlib import Path

import pytest

from cli.local.home import connect
from cli.local.ingest import sync
from cli.local.offline.ahead import reading_ahead
from cli.local.offline.rules.grade_relevance import grade_relevance
from cli.local.offline.text.vectors import kept_vectors
from cli.local.place import Place
from selfrag.domain.questions import read_request
from tests.e2e.test_api import eventually

REQUEST = read_request("How much does the harbour crane lift?")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))


def kept() -> int:
    with closing(connect()) as connection:
        return int(connection.execute("SELECT count(*) FROM text_vectors").fetchone()[0])


def test_a_passage_that_the_search_finds_is_read_before_the_stand_in_is_asked_about_it(tmp_path: Path) -> None:
    # No test before this one has read it.
    text = f"# Cranes\n\nThe harbour crane {uuid.uuid4().hex} lifts 12 tonnes.\n"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "crane.md").write_text(text)
    place = Place("notes", tmp_path / "notes")
    sync(place)
    with kept_vectors():
        with reading_ahead(REQUEST, place):
            eventually(lambda: kept() or None)
        before = kept()
        passage = {"document": "crane.md", "title": "Cranes", "text": text}
        grade_relevance({"question": REQUEST.question, "passage": passage})
        assert kept() == before


def test_a_question_whose_search_fails_is_asked_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    with closing(connect("CREATE TABLE entries (other TEXT)")), reading_ahead(REQUEST, Place("none")):
        pass
