"""Questions by identifier: the same ones in every run, and only one text has each identifier."""

import sys

import pytest

from selfrag.text.near_duplicates import Text, near_duplicates
from selfrag_cli.lab.bench.identifiers import files, lines
from selfrag_cli.lab.bench.squad import Paragraph
from selfrag_cli.local.index import E5Embedder
from selfrag_cli.main import main
from tests.support.fakes import FakeEmbedder


def run(monkeypatch, capsys, *arguments):
    fake = FakeEmbedder()
    for name in ("query", "passages"):
        monkeypatch.setattr(E5Embedder, name, lambda self, asked, name=name: getattr(fake, name)(asked))
    monkeypatch.setattr(sys, "argv", ["selfrag", "bench", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_lines_differ_in_an_identifier_that_two_questions_ask_for():
    task = lines()
    texts = [paragraph.text for paragraph in task.paragraphs]
    assert (len(texts), len(set(texts)), len(task.questions)) == (400, 400, 200)
    assert ("QX4013", "Fault QX4013: the pump has stopped; check the inlet valve and start it again.") in task.questions
    for question, right in task.questions[::2]:
        assert [text for text in texts if question in text] == [right]
    assert lines() == task
    assert len(near_duplicates([Text("", text, None) for text in texts[:300]])) == 300, "no two of them say the same"


def test_paragraphs_get_names_of_files_that_two_questions_ask_for():
    paragraphs = [Paragraph(0, "Title", f"Paragraph {n}.", ("Which?",)) for n in range(240)]
    task = files(paragraphs)
    marked = [p.text for p in task.paragraphs if " File " in p.text]
    assert (len(task.paragraphs), len(marked), len(task.questions)) == (240, 100, 200)
    for question, right in task.questions[::2]:
        assert right.endswith(f" File {question}.")
        assert [text for text in marked if f" {question}." in text] == [right]
    assert len(files(paragraphs[:3]).questions) == 6


def test_the_command_measures_lines_without_a_file(monkeypatch, capsys):
    assert "4 questions over 400 paragraphs" in run(monkeypatch, capsys, "lines", "--limit", 4)


def test_the_command_asks_the_paragraphs_of_a_file_by_their_identifiers_too(monkeypatch, capsys, squad):
    printed = run(monkeypatch, capsys, squad({"Whale": [("Whales breathe air.", ["What do whales breathe?"])]}))
    assert "1 questions over 1 paragraphs" in printed
    assert "2 questions by identifier over 1 paragraphs" in printed
