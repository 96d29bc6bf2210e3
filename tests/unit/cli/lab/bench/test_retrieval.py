import sys
from pathlib import Path

import pytest

from selfrag_cli.lab.bench import retrieval
from selfrag_cli.lab.bench.squad import read_task
from selfrag_cli.main import main
from tests.support.fakes import FakeEmbedder

ROOT = Path(__file__).parents[5]
ENGLISH = {
    "Whale": [("Whales breathe air.", ["What do whales breathe?"]), ("They eat krill.", ["Which krill is eaten?"])],
    "Bridge": [("Steel carries the load.", ["Which steel carries it?"])],
}


def quiet(name, done, total):
    pass


def measure(path, embedder=None):
    return retrieval.measure(read_task(path), quiet, embedder or FakeEmbedder())


def run(monkeypatch, *arguments):
    """Return the command in this process; returns its exit code."""
    monkeypatch.setattr(sys, "argv", ["selfrag", "bench", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_full_text_vectors_and_hybrid_are_measured_apart(squad):
    outcome = measure(squad(ENGLISH))
    assert (outcome.questions, outcome.paragraphs) == (3, 3)
    assert list(outcome.figures) == ["full_text", "vectors", "hybrid"]
    text = outcome.figures["full_text"]
    assert (text.recall_at_1, text.recall_at_4, text.mrr) == (1, 1, 1)


def test_identical_paragraphs_count_as_one_another(squad):
    outcome = measure(squad({"One": [("Same words.", ["Same words?"])], "Two": [("Same words.", ["Same words?"])]}))
    assert outcome.paragraphs == 2
    assert all(row.recall_at_1 == 1 for row in outcome.figures.values())


def test_letters_that_are_damaged_harm_nothing(squad):
    outcome = measure(
        squad({"\ud800": [("Half a letter \udc00 and a \0.", ["Which half \ud800\0?", ""]), ("", ["?"])]})
    )
    assert (outcome.questions, outcome.paragraphs) == (3, 2)


def test_a_second_run_embeds_only_what_is_new(squad):
    assert measure(squad(ENGLISH)).embedded == 3
    assert measure(squad(ENGLISH)).embedded == 0
    assert measure(squad({**ENGLISH, "Tea": [("Kettles boil.", ["Kettles?"])]})).embedded == 1
    assert measure(squad(ENGLISH), embedder=FakeEmbedder("another")).embedded == 3


@pytest.mark.parametrize("spoil", ["directory", "database"])
def test_vectors_that_cannot_be_kept_are_embedded_again_each_time(squad, cache, spoil):
    if spoil == "directory":
        cache.write_text("not a directory")
    else:
        cache.mkdir()
        (cache / "selfrag.sqlite3").write_text("not a database " * 100)
    for _ in range(2):
        outcome = measure(squad(ENGLISH))
        assert outcome.embedded == 3
        assert outcome.vectors.startswith("not kept: ")


def test_the_users_own_index_is_not_touched(squad, tmp_path):
    measure(squad(ENGLISH))
    assert not (tmp_path / "home").exists()


def test_the_table_names_all_measures(squad, monkeypatch, capsys):
    path = squad(ENGLISH)
    assert run(monkeypatch, path, "--limit", "2") == 0
    printed = capsys.readouterr().out
    for word in ("2 questions over 3 paragraphs", "recall@1", "recall@4", "MRR@10", "median ms", "p95 ms"):
        assert word in printed
    for kind in ("full text", "vectors", "hybrid"):
        assert kind in printed
    assert "3 paragraphs embedded anew" in printed


@pytest.mark.parametrize("content", [None, "not JSON", "{}", '{"data": []}'])
def test_bad_data_is_one_sentence_and_exit_2(tmp_path, monkeypatch, capsys, content):
    path = tmp_path / "data.json"
    if content is not None:
        path.write_text(content)
    assert run(monkeypatch, path) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"selfrag: {path} ")
    assert err.count("\n") == 1
