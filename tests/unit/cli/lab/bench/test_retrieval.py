import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cli.lab.bench import retrieval
from cli.lab.bench.searches import COLLECTION, searches
from cli.lab.bench.squad import read_task
from cli.local.home import connect
from cli.main import main
from selfrag.domain.passages import Bounds
from selfrag.ports.index import CANDIDATES
from tests.support.fakes import FakeEmbedder

ROOT = Path(__file__).parents[5]
ENGLISH = {
    "Whale": [("Whales breathe air.", ["What do whales breathe?"]), ("They eat krill.", ["Which krill is eaten?"])],
    "Bridge": [("Steel carries the load.", ["Which steel carries it?"])],
}
JAPANESE = {
    "有給休暇": [
        ("社員は年に二十五日の有給休暇を取ることができる。", ["有給休暇は年に何日ですか。"]),
        ("有給休暇は三月末までに翌年へ繰り越される。", ["有給休暇はいつまでに繰り越されますか。"]),
    ],
    "灯台": [("灯台のブイの重さは八十六キログラムである。", ["ブイの重さはどれくらいですか。"])],
}


def quiet(name, done, total):
    pass


def measure(path, limit=None, first=None, embedder=None):
    return retrieval.measure(path, limit, first, quiet, embedder or FakeEmbedder())


def run(monkeypatch, *arguments):
    """The command in this process; returns its exit code."""
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


def test_a_question_whose_paragraph_shares_no_word_with_it_lowers_full_text_alone(squad):
    outcome = measure(squad({**ENGLISH, "Tea": [("Kettles boil.", ["Xyzzy?"])]}))
    text, hybrid = outcome.figures["full_text"], outcome.figures["hybrid"]
    assert (text.recall_at_1, text.recall_at_4, text.mrr) == (3 / 4, 3 / 4, 3 / 4)
    assert hybrid.recall_at_4 == 1  # of four paragraphs, hybrid ranks all


def test_vectors_and_hybrid_take_the_time_of_embedding_the_question(squad):
    outcome = measure(squad(ENGLISH))
    for row in outcome.figures.values():
        assert 0 < row.median_ms <= row.p95_ms


def test_each_half_alone_finds_what_the_embedded_index_finds(squad):
    task = read_task(squad(ENGLISH))
    embedder = FakeEmbedder()
    with searches(task.paragraphs, embedder, lambda done, total: None) as search:
        for question, right in task.questions:
            found = search.index.search(question, embedder.query(question), CANDIDATES, Bounds([COLLECTION]))
            answered = search.ask(question, right)
            assert answered["full_text"].found == [passage.text for passage, _ in found.by_text]
            assert sorted(answered["vectors"].found) == sorted(passage.text for passage, _ in found.by_vector)
            assert len(answered["hybrid"].found) == 3


def test_identical_paragraphs_count_as_one_another(squad):
    outcome = measure(squad({"One": [("Same words.", ["Same words?"])], "Two": [("Same words.", ["Same words?"])]}))
    assert outcome.paragraphs == 2
    assert all(row.recall_at_1 == 1 for row in outcome.figures.values())


def test_identical_paragraphs_of_one_article_are_embedded_once(squad):
    embedder = FakeEmbedder()
    outcome = measure(squad({"One": [("Same.", ["Same?"]), ("Same.", [])]}), embedder=embedder)
    assert (outcome.paragraphs, outcome.embedded, embedder.embedded) == (2, 1, ["One\nSame."])


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


def test_vectors_are_kept_in_the_cache_directory_of_xdg(squad, tmp_path, monkeypatch):
    monkeypatch.delenv("SELFRAG_BENCH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    measure(squad(ENGLISH))
    with closing(connect(directory=tmp_path / "xdg" / "selfrag" / "bench")) as connection:
        assert connection.execute("SELECT count(*) FROM embeddings").fetchone() == (3,)


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


@pytest.mark.parametrize("arguments", [["--limit", "0"], ["--limit", "x"], ["--paragraphs", "-1"]])
def test_a_number_that_makes_no_sense_is_exit_2(squad, monkeypatch, capsys, arguments):
    assert run(monkeypatch, squad(ENGLISH), *arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_japanese_file_takes_the_same_command_and_embeds_nothing_the_second_time(squad, tmp_path):
    path = squad(JAPANESE)
    command = [sys.executable, "-m", "cli.main", "bench", str(path), "--json"]
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"}
    for embedded in (3, 0):
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        outcome = json.loads(done.stdout)
        assert (outcome["questions"], outcome["paragraphs"], outcome["embedded"]) == (3, 3, embedded)
        assert all(row["recall_at_1"] == 1 for row in outcome["figures"].values())
