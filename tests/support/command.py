"""The `selfrag` command as a separate process with an empty home."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
HANDBOOK = ROOT / "cli" / "selfrag_cli" / "sample" / "handbook"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def response(self) -> dict[str, Any]:
        assert self.code == 0, self.err
        value: dict[str, Any] = json.loads(self.out)
        return value


@dataclass(frozen=True)
class Command:
    """The command with a home; `environment` is added to an otherwise clean one."""

    home: Path
    environment: tuple[tuple[str, str], ...] = ()

    def env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYENV_ROOT") if name in os.environ}
        own = {"HOME": str(self.home), "SELFRAG_HOME": str(self.home / "state"), "COLUMNS": "120"}
        return {**kept, **own, "PYTHONPATH": f"{ROOT / 'functions'}:{ROOT / 'cli'}", **dict(self.environment)}

    def start(self, *arguments: str | bytes) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "selfrag_cli.main", *arguments],
            cwd=self.home,
            env=self.env(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str | bytes) -> Ended:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        return Ended(process.returncode, out, err)

    def make(self, *arguments: str, **environment: str) -> Ended:
        """Run make in the checkout, as the README says."""
        ended = subprocess.run(
            ["make", "--no-print-directory", *arguments],
            cwd=ROOT,
            env={**self.env(), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)
