"""The example of a CI gate: its commands run unchanged, without a key, and pay only for changed prompts."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import ROOT, Command, Ended

WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "prompts.yml").read_text(encoding="utf-8"))
STEPS = [step for step in WORKFLOW["jobs"]["gate"]["steps"] if "run" in step]
PROMPT = Path("functions", "selfrag", "question", "grade_support", "prompt.md")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    path = tmp_path / "checkout"
    path.mkdir()
    for name in ("functions", "cli", "infra", "docs"):
        shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__", ".terraform"))
    (path / ".venv").symlink_to(ROOT / ".venv")
    return path


def run(event: str, checkout: Path) -> Ended:
    """Run the workflow's commands for an event, after the installation."""
    (script,) = (step["run"] for step in STEPS if step.get("if") == f"github.event_name == '{event}'")
    own = {"GITHUB_STEP_SUMMARY": str(checkout / "summary.md"), "SELFRAG_HOME": str(checkout / "build/prompts/home")}
    environment = {**Command(checkout).env(), **own, "PYTHONPATH": f"{checkout}/functions:{checkout}/cli"}
    shell = ["bash", "-e", "-o", "pipefail", "-c", script]
    ended = subprocess.run(shell, cwd=checkout, env=environment, capture_output=True, text=True, timeout=300)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def judged_anew(shown: Ended) -> dict[str, int]:
    """Return the verdicts that were asked for, by step, from the table."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.out.splitlines() if "│" in line]
    return {row[0]: int(row[5]) for row in rows}


def test_prompts_workflow_watches_existing_paths_with_read_permission_and_pinned_install() -> None:
    events = WORKFLOW[True]  # YAML 1.1 reads `on` so
    assert events["pull_request"]["paths"] == events["push"]["paths"]
    assert all(list(ROOT.glob(path)) for path in events["push"]["paths"])
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert STEPS[0]["run"].endswith(".venv/bin/pip install --constraint constraints.txt --editable .")


@pytest.mark.long
def test_a_pull_request_pays_for_the_verdicts_of_a_changed_prompt_alone(checkout: Path) -> None:
    asked = run("push", checkout)
    assert asked.code == 0, asked.err
    same = run("pull_request", checkout)
    assert same.code == 0, same.err
    assert set(judged_anew(same).values()) == {0}
    prompt = checkout / PROMPT
    prompt.write_text(prompt.read_text(encoding="utf-8") + "\nBe strict.\n", encoding="utf-8")
    changed = run("pull_request", checkout)
    assert changed.code == 0, changed.err
    assert {step for step, count in judged_anew(changed).items() if count} == {"grade_support"}
    summary = (checkout / "summary.md").read_text(encoding="utf-8")
    assert "| replay | changed > 0.1 | 0 | holds |" in summary
