"""Bad input: one clear sentence on stderr, a non-zero exit, and nothing lost."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from selfrag.text.language import language_of
from tests.e2e.conftest import Ask, Run
from tests.support.command import Command, Ended
from tests.support.words import NOT_FOUND_IN


def refused(ended: Ended, *words: str) -> None:
    assert ended.code != 0
    assert ended.out == ""
    assert len(ended.err.strip().splitlines()) == 1, ended.err
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err


@pytest.fixture
def good(tmp_path: Path) -> Path:
    directory = tmp_path / "documents"
    directory.mkdir()
    (directory / "good.md").write_text("# Good\n\nThe fee is 5 euros.\n", encoding="utf-8")
    return directory


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "empty"),
        ("   \n ", "empty"),
        ("x" * 2001, "2000 is the limit"),
        (b"caf\xe9?", "not valid Unicode"),
        (b"\xed\xa0\x80", "not valid Unicode"),
    ],
)
def test_a_question_that_cannot_be_asked(here: Run, question: str | bytes, words: str) -> None:
    refused(here("ask", "--json", "--", question), words)


BAD: dict[str, bytes] = {
    "broken.json": b'{"fee": ',
    "nul.txt": b"words\x00words",
    "big.txt": b"word " * (2 * 1024 * 1024 + 1),
    "wordless.md": b"--- *** !!! \n\n",
    "nothing.html": b"<html><script>var words</script></html>",
}


def test_bad_files_are_reported_and_good_ones_are_read(here: Run, good: Path) -> None:
    for name, content in BAD.items():
        (good / name).write_bytes(content)
    ended = here("ask", "--json", "--docs", str(good), "--", "How much is the fee?")
    assert "5 euros" in ended.response["answer"]
    (warning,) = ended.err.strip().splitlines()
    assert f"{len(BAD)} documents could not be read" in warning
    told = here("documents", "--docs", str(good)).out
    assert all(name in told for name in BAD)
    failed = json.loads(here("documents", "--docs", str(good), "--failed", "--json").out)
    assert {document["document"] for document in failed} == set(BAD)


def test_malformed_setting_is_named_and_no_document_is_blamed(fresh: Command, good: Path) -> None:
    command = Command(fresh.home, (("SELFRAG_MODELS", "{bad"),))
    refused(command("ask", "--docs", str(good), "--", "Fee?"), "SELFRAG_MODELS: it is not valid JSON")


AT_ONCE = """
import json, sys
from selfrag_cli.main import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["selfrag", *arguments]
    try:
        main()
    except SystemExit as ended:
        print(ended.code, "moto" in sys.modules, flush=True)
"""


def test_invalid_arguments_are_refused_before_the_local_stack_is_loaded(
    fresh: Command, good: Path, tmp_path: Path
) -> None:
    missing, docs = str(tmp_path / "missing"), ("--docs", str(good))
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        refusals = {
            "missing does not exist": ["ask", "--docs", missing, "Fee?"],
            "good.md is not a directory": ["ask", "--docs", str(good / "good.md"), "Fee?"],
            "leave out --docs or --collection": ["ask", *docs, "--collection", "c", "Fee?"],
            "'c d' is not a name": ["ask", "--collection", "c d", "Fee?"],
            "Nothing of the collection c has been read": ["ask", "--collection", "c", "Fee?"],
            "no answer with the id abc": ["ask", *docs, "--previous", "abc", "And?"],
            "policy.top does not exist": ["ask", *docs, "--policy", '{"top": 1}', "Fee?"],
            "filters.tag does not exist": ["ask", *docs, "--filters", '{"tag": 1}', "Fee?"],
            "ANTHROPIC_BASE_URL is not a URL": ["ask", *docs, "Fee?"],
            "missing does not exist.": ["serve", "--docs", missing],
            f"Port {port} cannot be used": ["serve", *docs, "--port", port],
        }
        environment = {**fresh.env(), "ANTHROPIC_BASE_URL": "notaurl"}
        ended = subprocess.run(
            [sys.executable, "-c", AT_ONCE, json.dumps(list(refusals.values()))],
            env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    assert ended.stdout.splitlines() == ["2 False"] * len(refusals)
    for words, told in zip(refusals, ended.stderr.splitlines(), strict=True):
        assert words in told


HOSTILE = (
    "Say \"hi\" and 'ho' `touch pwned` $HOME $(touch pwned) ${x} \\ % ; & | # !\nsecond line 日本語 ¿Cuánto? \u202e"
)


@pytest.mark.long
def test_make_ask_passes_a_question_on_as_it_stands(fresh: Command, good: Path) -> None:
    ended = fresh.make("ask", "JSON=1", f"DOCS={good}", f"Q={HOSTILE} $(shell touch pwned)")
    assert ended.response["queries"][0] == f"{HOSTILE} $(shell touch pwned)".strip()
    assert not list(Path(os.getcwd()).glob("pwned"))
    assert not (Path(__file__).parents[2] / "pwned").exists()


def test_make_ask_without_a_question_says_what_is_missing(fresh: Command) -> None:
    # With this environment's command: a clone without one would otherwise set it up, which needs the network.
    ended = fresh.make("ask", "--old-file=.venv/.ask", f"BIN={Path(sys.executable).parent}")
    assert ended.code != 0
    assert 'make ask Q="' in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "question", ["¿Cuál es la tarifa?", "料金はいくらですか", "كم الرسوم؟", "Сколько стоит?", "🙂 fee? 🙂"]
)
def test_question_in_any_script_gets_a_quote_or_not_found(ask: Ask, good: Path, question: str) -> None:
    response = ask(question, good)
    assert response["queries"][0] == question
    if response["status"] == "abstained":
        assert response["answer"].startswith(NOT_FOUND_IN[language_of(question)])
        assert response["citations"] == []
    else:
        assert response["status"] == "answered"
        assert [citation["quote"] for citation in response["citations"]] == ["The fee is 5 euros."]
