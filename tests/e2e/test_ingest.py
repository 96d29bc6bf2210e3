"""`selfrag ingest`, `documents` and `search` over directories, by the workflow that is deployed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Run
from tests.support.documents.files import docx, paragraph, pdf
from tests.support.fakes import FakeEmbedder

pytestmark = pytest.mark.long

LINES = "\n".join(f"Of line {n} nothing is known." for n in range(40))
TOPICS = ("leave", "travel", "pay", "crane", "berth", "ferry", "laptop", "training")


def mixed(number: int) -> tuple[str, bytes]:
    """One of many documents: its path and content, of each kind in turn."""
    fact = f"The {TOPICS[number % len(TOPICS)]} rule of item{number} says {number} days."
    kind = ("md", "txt", "html", "csv", "docx", "md", "txt", "html", "md", "pdf")[number % 10]
    text = {
        "md": f"# Item {number}\n\n{fact}\n\n## Notes\n\n" + "Nothing else is known of it. " * 12,
        "txt": f"{fact}\n",
        "html": f"<h1>Item {number}</h1><p>{fact}</p>",
        "csv": f"Item,Rule\n{number},{fact}\n",
    }
    if kind in text:
        content = text[kind].encode()
    else:
        content = docx(paragraph(fact)) if kind == "docx" else pdf("First page.", f"{LINES}\n{fact}")
    return f"part{number % 7}/{number:03}.{kind}", content


def warned(told: str) -> list[str]:
    """Return stderr without progress lines, which a slow machine prints every ten seconds."""
    return [line for line in told.splitlines() if " documents read" not in line]


def found(here: Run, directory: Path, query: str) -> list[dict[str, Any]]:
    ended = here("search", query, "--docs", str(directory), "--json")
    assert ended.code == 0, ended.err
    passages: list[dict[str, Any]] = json.loads(ended.out)
    return passages


def known(here: Run, directory: Path) -> dict[str, dict[str, Any]]:
    ended = here("documents", "--docs", str(directory), "--json")
    assert ended.code == 0, ended.err
    return {one["document"]: one for one in json.loads(ended.out)}


def test_a_live_directory_of_200_mixed_files_stays_in_step(here: Run, tmp_path: Path, embedder: FakeEmbedder) -> None:
    directory = tmp_path / "documents"
    for path, content in map(mixed, range(200)):
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(content)
    ended = here("ingest", str(directory))
    assert (ended.out, warned(ended.err)) == ("200 added, 0 changed, 0 removed, 0 unchanged, 0 failed\n", [])
    first, embedded = known(here, directory), len(embedder.embedded)
    assert {one["status"] for one in first.values()} == {"ready"}
    # Files of the same text differ by their names alone, and have one vector.
    assert sum(row["passages"] for row in first.values()) > embedded == len(set(embedder.embedded)) > 200
    assert {one["pages"] for path, one in first.items() if path.endswith(".pdf")} == {2}

    # Three times the same: nothing happens.
    for _ in range(2):
        assert here("ingest", str(directory)).out == "0 added, 0 changed, 0 removed, 200 unchanged, 0 failed\n"
    assert known(here, directory) == first
    assert len(embedder.embedded) == embedded

    # One file changed: only its passages are embedded, and the old ones are deleted.
    changed, _ = mixed(1)
    (directory / changed).write_text("The travel rule of item1 is that zeppelins are paid for.\n")
    assert found(here, directory, "item1 zeppelins are paid for, a travel rule")[0]["document"] == changed
    assert len(embedder.embedded) == embedded + 1
    assert "zeppelins" in embedder.embedded[-1]
    assert not any(
        "says 1 days" in one["text"] for one in found(here, directory, "The travel rule of item1 says 1 days.")
    )

    # One file was deleted: it is neither found nor listed any more.
    gone, _ = mixed(9)
    query = "The travel rule of item9 says 9 days."
    assert next((one["document"], one["page"]) for one in found(here, directory, query)) == (gone, 2)
    (directory / gone).unlink()
    assert gone not in {one["document"] for one in found(here, directory, query)}
    assert gone not in known(here, directory)

    # One is damaged: it is listed with its reason, and harms no other.
    (directory / "broken.pdf").write_bytes(pdf("Here.")[:150])
    ended = here("ingest", str(directory))
    assert ended.out == "0 added, 0 changed, 0 removed, 199 unchanged, 1 failed\n"
    now = known(here, directory)
    assert now["broken.pdf"]["status"] == "failed"
    assert now["broken.pdf"]["reason"].startswith("broken.pdf is cut off at its end")
    assert warned(ended.err) == [f"selfrag: warning: {now['broken.pdf']['reason']}"]
    same = now.keys() - {"broken.pdf", changed}
    assert {path: now[path] for path in same} == {path: first[path] for path in same}
    assert len(embedder.embedded) == embedded + 1


def test_both_scores_of_a_search_and_what_both_make_are_shown(
    here: Run, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    for path, content in map(mixed, range(12)):
        (tmp_path / "documents" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "documents" / path).write_bytes(content)
    passages = found(here, tmp_path / "documents", "What does the crane rule of item3 say?")
    assert len(passages) == 4
    best = passages[0]
    assert best["document"] == "part3/003.csv"
    assert best["by_text"] > 0
    assert 0 < best["by_vector"] <= 1.0001
    assert [one["score"] for one in passages] == sorted((one["score"] for one in passages), reverse=True)
    shown = here("search", "crane rule", "--docs", str(tmp_path / "documents"), "--top-k", "1").out
    assert "by text" in shown
    assert "by vector" in shown
    assert "crane rule of item" in shown


def test_a_named_collection_is_ingested_listed_and_searched(here: Run, tmp_path: Path, embedder: FakeEmbedder) -> None:
    directory = tmp_path / "documents"
    directory.mkdir()
    (directory / "leave.md").write_text("# Leave\n\nLeave is 25 days.\n")
    (directory / "bad.md").write_bytes(b"")
    ended = here("ingest", str(directory), "--collection", "hr")
    assert ended.out == "1 added, 0 changed, 0 removed, 0 unchanged, 1 failed\n"
    listed = here("documents", "--collection", "hr").out
    for words in ("leave.md", "ready", "bad.md", "failed", "Holds no words"):
        assert words in listed
    assert "Leave is 25 days." in here("search", "leave", "--collection", "hr").out
    elsewhere = here("search", "leave", "--collection", "hr", "--filters", '{"tags": ["pay"]}')
    assert (elsewhere.code, elsewhere.out) == (0, "Nothing was found.\nNo document has these words.\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("documents",), "use `selfrag ingest` first"),
        (("documents", "--collection", "x", "--docs", "."), "leave out --docs or --collection"),
        (("documents", "--collection", "a/b"), "is not a name"),
        (("ingest", ".", "--collection", "../x"), "is not a name"),
        (("search", " "), "The query is empty"),
        (("search", "leave", "--docs", "/nowhere/at/all"), "does not exist"),
        (("ask", "leave?", "--collection", "x"), "Nothing of the collection x has been read yet"),
        (("ask", "leave?", "--collection", "x", "--docs", "."), "leave out --docs or --collection"),
        (
            ("ask", "leave?", "--collection", "x", "--endpoint", "http://127.0.0.1:9"),
            "leave out --docs and --collection",
        ),
        (("ask", "leave?", "--collection", "a/b"), "is not a name"),
    ],
)
def test_impossible_ingest_is_reported_in_one_sentence(here: Run, arguments: tuple[str, ...], words: str) -> None:
    ended = here(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert len(ended.err.splitlines()) == 1
