"""Every command of the pages on evaluation works in a fresh clone, with the packages of the set-up alone."""

import json
import re
import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.command import ROOT, Command, Ended

FACT = "The harbour crane lifts 12 tonnes."
FILES = {
    "notes/cranes.md": f"# Cranes\n\n{FACT}\n",
    "questions.jsonl": json.dumps({"question": "How many tonnes does the harbour crane lift?", "answer": "12 tonnes"}),
    "claims.jsonl": json.dumps({"claim": FACT, "passages": [FACT], "label": "supported"}),
    "pairs.jsonl": json.dumps({"question": "What does the crane lift?", "passages": [FACT], "label": "relevant"}),
    "stricter.md": "Be strict.",
    "kinder.md": "Be kind.",
}
# These need an account of AWS, a decision model or the network; test_feedback.py and test_eval_judges.py have doubles.
ELSEWHERE = ("aws ", "--region", "--judge decider", "--adopt", "git clone", "bench labels")


def commands() -> list[str]:
    pages = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("evaluation.md", "graders.md"))
    blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```", pages, re.S | re.M)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [line for line in lines if not any(words in line for words in ELSEWHERE)]


def installed_by_the_set_up() -> set[str]:
    """Return the packages that `pip install -e .` brings, and what they require."""
    names, left = set[str](), [Requirement("selfrag")]
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        if name not in names:
            names.add(name)
            extras = requirement.extras or {""}
            more = [Requirement(text) for text in requires(name) or []]
            left += [r for r in more if not r.marker or any(r.marker.evaluate({"extra": extra}) for extra in extras)]
    return names


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a checkout without `build`, whose Python has no package of the groups."""
    path = tmp_path / "clone"
    (path / ".venv" / "bin").mkdir(parents=True)
    for name in ("functions", "cli", "infra", "docs"):
        (path / name).symlink_to(ROOT / name)
    program = path / ".venv" / "bin" / "selfrag"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m selfrag_cli.main "$@"\n')
    program.chmod(0o755)
    present = installed_by_the_set_up()
    names = [
        module
        for module, of in packages_distributions().items()
        if not {canonicalize_name(name) for name in of} & present and not module.startswith("_")
    ]
    (path / "hook").mkdir()
    (path / "hook" / "sitecustomize.py").write_text(
        "import sys\n"
        f"ABSENT = {sorted(names)!r}\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ABSENT:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
    )
    return path


def run(clone: Path, line: str) -> Ended:
    """Run a line of a page, by a shell."""
    for name, text in FILES.items():
        (clone / name).parent.mkdir(exist_ok=True)
        (clone / name).write_text(text, encoding="utf-8")
    env = {**Command(clone).env(), "PYTHONPATH": f"{clone}/hook:{ROOT}/functions:{ROOT}/cli"}
    shell = ["bash", "-c", line]
    ended = subprocess.run(shell, cwd=clone, env=env, capture_output=True, text=True, timeout=300, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


@pytest.mark.long
def test_every_command_works_in_a_fresh_clone_after_the_set_up(clone: Path) -> None:
    absent = run(clone, f"{sys.executable} -c 'import pytest'")
    assert "No module named 'pytest'" in absent.err, "what the set-up does not bring is not there"
    # The reader has asked something by then, and has the history of it.
    selfrag = ".venv/bin/selfrag"
    before = run(clone, f"{selfrag} ask --docs notes -- 'What lifts?' && {selfrag} trace --json > history.json")
    assert before.code == 0, before.err
    for line in commands():
        ended = run(clone, line)
        assert ended.code in ((0, 3) if "--fail-if" in line else (0,)), f"{line}\n{ended.err}"
    written = {"build/sample.csv", "build/sample.results.jsonl", "graders.json"}
    assert {name for name in written if (clone / name).stat().st_size} == written
