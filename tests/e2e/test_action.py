"""The GitHub Action: its own script, in a repository whose pull request changes a prompt."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.doubles.model_server import ModelServer, cite_everything

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "eval/action.yml").read_text())
QUESTION = {"question": "How many days of leave are there?", "answers": ["25 days"]}


def by_prompt(body: dict[str, Any]) -> Any:
    """Answer from the passages, unless the prompt asks for something else."""
    return "Nobody knows." if "Answer that nobody knows." in json.dumps(body["system"]) else cite_everything(body)


def git(repository: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=me", "-c", "user.email=me@example.com", *arguments]
    return subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True).stdout.strip()


def gate(repository: Path, home: Path, base: str, model_url: str) -> subprocess.CompletedProcess[str]:
    """Run the Action's last step as GitHub does, with this environment's command for the installed one."""
    temporary = home / "temp"
    if not temporary.exists():
        temporary.mkdir(parents=True)
        (temporary / "selfrag").symlink_to(Path(sys.executable).parents[1])
    given = {"questions": "questions.jsonl", "docs": "notes", "variant": "generate=generate.md", "base": base}
    step = ACTION["runs"]["steps"][-1]
    inputs = {name: given.get(name, spec.get("default", "")) for name, spec in ACTION["inputs"].items()}
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], value)
        for name, value in step["env"].items()
    }
    service = {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": model_url, "SELFRAG_HOME": str(home / "state")}
    return subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=repository,
        env={**os.environ, **environment, **service, "RUNNER_TEMP": str(temporary)},
        capture_output=True,
        text=True,
    )


@pytest.mark.longest(20)
def test_worse_prompt_fails_a_pull_request_and_better_one_passes(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / "notes").mkdir(parents=True)
    (repository / "notes/leave.md").write_text("Every employee has 25 days of leave a year.\n")
    (repository / "questions.jsonl").write_text(json.dumps(QUESTION) + "\n")
    prompt, good, bad = repository / "generate.md", "Answer from the passages.", "Answer that nobody knows."
    git(repository, "init", "--quiet")
    commits = {}
    for text in (good, bad):
        prompt.write_text(f"{text}\n")
        git(repository, "add", ".")
        git(repository, "commit", "--quiet", "--message", text)
        commits[text] = git(repository, "rev-parse", "HEAD")
    with ModelServer() as model:
        model.answers["generate"] = by_prompt
        worse = gate(repository, tmp_path, commits[good], model.url)
        assert (worse.returncode, "match fell from 1.000 to 0.000" in worse.stderr) == (1, True), (
            worse.stdout + worse.stderr
        )
        prompt.write_text(f"{good}\n")
        better = gate(repository, tmp_path, commits[bad], model.url)
    assert better.returncode == 0, better.stderr
    assert "match was 0.000 and is 1.000" in better.stdout
    assert not git(repository, "worktree", "list", "--porcelain").count("detached")
