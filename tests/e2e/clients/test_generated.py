"""A client that openapi-python-client generates from the API's description, in its own environment."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.e2e.clients.conftest import ran
from tests.e2e.test_serve import served
from tests.support.command import ROOT, Command

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8").split("## A client in Python")[1]
LINES = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
SCRIPT = ROOT / "tests" / "support" / "clients" / "generated.py"


@pytest.fixture(scope="module")
def generated(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that holds the client which the page's line writes."""
    assert LINES[0] == "make .venv-clients/.done"
    path, program, *words = shlex.split(LINES[1])
    assert path == "PATH=$PWD/.venv-clients/bin:$PATH"
    folder = tmp_path_factory.mktemp("generated")
    words[words.index("--path") + 1] = str(ROOT / words[words.index("--path") + 1])
    done = ran(tools, [program, *words], folder)
    assert (done.returncode, "WARNING" in done.stdout + done.stderr) == (0, False), done.stdout + done.stderr
    return folder


def said(tools: Path, folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Return the output of a program that uses the client."""
    done = ran(tools, ["python", *arguments], folder)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.long
def test_the_description_is_sound_and_has_no_name_that_generators_take(tools: Path) -> None:
    done = ran(tools, ["openapi-spec-validator", "--errors", "all", "functions/selfrag/api/openapi.json"], ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    described = json.loads((ROOT / "functions" / "selfrag" / "api" / "openapi.json").read_text(encoding="utf-8"))
    assert "Response" not in described["components"]["schemas"]
    operations = [one for path in described["paths"].values() for one in path.values()]
    assert len({one["operationId"] for one in operations}) == len(operations)


@pytest.mark.long
def test_the_example_of_the_page_uploads_polls_asks_lists_and_deletes(
    tools: Path, generated: Path, fresh: Command
) -> None:
    (fresh.home / "notes").mkdir()
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    with served(fresh, *shlex.split(LINES[2])[2:]) as url:
        (generated / "example.py").write_text(
            example.replace("http://127.0.0.1:8080", url).replace("KEY", url.token), encoding="utf-8"
        )
        answer, listed = said(tools, generated, "example.py").stdout.splitlines()
    assert answer.startswith("partial")
    assert "12 tonnes" in answer
    assert answer.endswith("['crane.md']")
    assert listed == "[('notes/crane.md', 'ready')]"
    assert not list((fresh.home / "notes").iterdir())


@pytest.mark.long
def test_generated_client_returns_described_types(tools: Path, generated: Path, fresh: Command) -> None:
    (fresh.home / "notes").mkdir()
    (fresh.home / "notes" / "crane.md").write_text("# Cranes\n\nThe harbour crane lifts 12 tonnes.\n")
    with served(fresh, *shlex.split(LINES[2])[2:]) as url:
        told = json.loads(said(tools, generated, str(SCRIPT), url, url.token).stdout)
    assert told == {
        "answer": "AnswerResponse",
        "status": "AnswerResponseStatus.ANSWERED",
        # The stand-in judges by rule, without a level or a score.
        "support": "None",
        "score": "NoneType",
        "span": "list",
        "page": None,
        "same again": True,
        "kept until": "datetime",
        "updated": "datetime",
        "refused": [400, "Problem", "filters was not accepted"],
        "unknown": [404, "Problem", "There is no such question."],
        "unread": [400, "Problem", "key was not accepted"],
        "health": 200,
    }


@pytest.mark.long
def test_the_client_and_what_uses_it_pass_its_users_type_checker(tools: Path, generated: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    (generated / "example.py").write_text(example, encoding="utf-8")
    # The generator's boilerplate is not checked.
    words = ["--strict", "--follow-imports", "silent", "example.py", "selfrag_client/models", "selfrag_client/api"]
    done = ran(tools, ["mypy", *words], generated)
    assert done.returncode == 0, done.stdout
