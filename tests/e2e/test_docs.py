"""Every command of the documentation runs, and every path that docs/strategies.md promises is seen."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra.packages.zips import LAYERS, steps_of
from tests.e2e.conftest import Ask
from tests.support.command import HANDBOOK, ROOT, Command, Ended

README = (ROOT / "README.md").read_text(encoding="utf-8")
STRATEGIES = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def commands(text: str) -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


COMMANDS = [
    line
    for page in (
        "README.md",
        "docs/api.md",
        "docs/use.md",
        "docs/evaluation.md",
        "docs/strategies.md",
        "CONTRIBUTING.md",
        "SKILL.md",
    )
    for line in commands((ROOT / page).read_text(encoding="utf-8"))
]
# CI runs the first one. Other tests run these: this run itself, test_any_endpoint.py, test_serve.py,
# clients/test_generated.py and test_local_model.py.
ELSEWHERE = {
    "make install",
    "make test",
    "SELFRAG_TEST_OPENSEARCH=http://127.0.0.1:9200 .venv/bin/pytest tests/contract",
    "make serve",
    'SELFRAG_MODEL=qwen3:8b .venv/bin/selfrag ask "What is the hotel limit per night in London?"',
    ".venv/bin/selfrag serve",
    ".venv/bin/selfrag serve --docs notes --collection notes --writable",
    "make .venv-clients/.done",
    "PATH=$PWD/.venv-clients/bin:$PATH openapi-python-client generate --path functions/selfrag/api/openapi.json "
    "--meta none --output-path selfrag_client",
}
ROWS = re.findall(r"^\| ([^|]+) \| `make ask ([^`]+)` \| `(\w+)` \|$", STRATEGIES, re.M)
LOOP = "DecideRetrieval → Retrieve → GradeRelevance → Generate → GradeSupport"
CHECKED = f"{LOOP} → GradeUtility"
REWRITTEN = "RewriteQuestion → Retrieve → GradeRelevance → Generate → SearchWeb → GradeRelevance"
# The steps of each row, by its name.
PATHS = {
    "an answer from the documents": CHECKED,
    "no search needed": "DecideRetrieval → Retrieve → GradeRelevance → Generate → Generate → GradeUtility",
    "an answer in Japanese": CHECKED,
    "another query, then the web": f"DecideRetrieval → Retrieve → GradeRelevance → Generate → {REWRITTEN}"
    " → Generate → GradeSupport → GradeUtility",
    "an abstention": f"DecideRetrieval → Retrieve → GradeRelevance → Generate → {REWRITTEN}",
    "a current page preferred to an older one": CHECKED,
    "naive": "Retrieve → Generate",
    "corrective: correct": "Retrieve → GradeRelevance → Generate",
    "corrective: ambiguous": "Retrieve → GradeRelevance → SearchWeb → GradeRelevance → Generate",
    "corrective: incorrect": "Retrieve → GradeRelevance → SearchWeb → GradeRelevance → Generate",
    "adaptive: no search": "DecideRetrieval → Generate → GradeUtility",
    "adaptive: simple": "DecideRetrieval → Retrieve → Generate",
    "adaptive: complex": CHECKED,
    "candidates": f"{CHECKED} → PickCandidate",
    "segments: two sentences": f"{LOOP} → RankPaths → {LOOP} → RankPaths → DecideRetrieval → RankPaths"
    " → GradeUtility → PickCandidate",
    "the question before a follow-up": CHECKED,
    "a follow-up from the earlier evidence": "DecideRetrieval → Retrieve → Generate → GradeSupport → GradeUtility",
}


def run(command: Command, line: str) -> Any:
    words = shlex.split(line)
    if words[0] == "make":
        return command.make(*words[1:])
    if words[0] == ".venv/bin/pytest":
        argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words[1:]]
        ended = subprocess.run(argv, cwd=ROOT, env=command.env(), capture_output=True, text=True, timeout=120)
        return Ended(ended.returncode, ended.stdout, ended.stderr)
    assert words[0] == ".venv/bin/selfrag"
    return Command(ROOT, tuple(command.env().items()))(*words[1:])


@pytest.mark.long
@pytest.mark.parametrize("line", [line for line in COMMANDS if line not in ELSEWHERE])
def test_every_command_of_the_documentation_works(read: Command, line: str) -> None:
    if "selfrag trace" in line or " replay " in line:
        assert read.make("ask", "Q=Hello!").code == 0
    if "COLLECTION=handbook" in line:
        assert read("ingest", str(HANDBOOK), "--collection", "handbook").code == 0
    ended = run(read, line)
    assert ended.code == 0, ended.err
    assert "125 EUR" in ended.out if "FILTERS" in line else ended.out


@pytest.mark.long
def test_deploying_goes_as_its_page_says_until_credentials_are_needed(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("functions", "cli", "infra", "docs"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__", ".terraform"))
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, checkout)
    (checkout / "build").mkdir()
    for name in (".venv", "build/libraries"):
        (checkout / name).symlink_to(ROOT / name)
    *lines, traced = commands((ROOT / "docs" / "deploy.md").read_text(encoding="utf-8"))
    assert traced.startswith("OTEL_EXPORTER_OTLP_ENDPOINT="), "tests of traces run it"
    assert lines == ["cp infra/example.tfvars infra/terraform.tfvars", "make package"]
    for line in lines:
        ended = subprocess.run(shlex.split(line), cwd=checkout, capture_output=True, text=True, timeout=120)
        assert ended.returncode == 0, ended.stderr
    packed = {file.stem for file in (checkout / "build").glob("*.zip")}
    assert packed == {*LAYERS, *steps_of(ROOT / "functions")}


def test_the_readme_names_the_two_commands() -> None:
    assert "make test" in COMMANDS
    assert COMMANDS[0].startswith('make ask Q="')
    assert len(ROWS) >= 7


def test_readme_first_screen_shows_page_and_command_to_open_it() -> None:
    first = README.splitlines()[:20]
    assert any(line.startswith("![") and line.endswith("(docs/page-repair.webp)") for line in first)
    assert any("simulated model" in line for line in first)
    assert any("`make serve`" in line for line in first)
    assert (ROOT / "docs" / "page-repair.webp").stat().st_size < 1_500_000


@pytest.mark.long
def test_the_readme_shows_what_its_first_command_prints(read: Command) -> None:
    [shown] = re.findall(r"```text\n(.*?)```", README, re.S)
    asked = next(line for line in COMMANDS if line.startswith("make ask"))
    printed = Command(read.home, (("COLUMNS", "80"),))("ask", question_of(asked)).out
    assert mask_id_and_seconds(printed) == mask_id_and_seconds(shown)


def mask_id_and_seconds(text: str) -> list[str]:
    same = re.sub(r"\d+\.\d+ s\b", "0.00 s", re.sub(r"[0-9a-f]{32}", "ID", text))
    return [line.rstrip() for line in same.splitlines()]


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(ROWS)), ids=[row[0] for row in ROWS])
def test_every_path_of_the_strategies_is_seen_with_its_question(ask_handbook: Ask, number: int) -> None:
    name, asked, status = ROWS[number]
    # The row above a follow-up asks the question that it follows.
    previous = ask_handbook(question_of(ROWS[number - 1][1]))["id"] if "PREVIOUS=ID" in asked else ""
    response = ask_handbook(question_of(asked), previous=previous, policy=word_of("POLICY", asked))
    assert response["status"] == status
    assert response["path"] == PATHS[name].split(" → ")


def question_of(asked: str) -> str:
    return word_of("Q", asked)


def word_of(name: str, asked: str) -> str:
    return next((word.removeprefix(f"{name}=") for word in shlex.split(asked) if word.startswith(f"{name}=")), "")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_link_of_the_documentation_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
