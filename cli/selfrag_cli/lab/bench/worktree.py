"""The tree of code that is measured, this one or another commit's, and the questions that it is asked."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parents[3]
_QUESTIONS = (
    "How many weeks of parental leave does each parent receive?",
    "How long is probation?",
    "How much does the company pay for a chair at home?",
    "Who approves a business trip?",
    "What is the daily allowance abroad?",
    "When is the office closed?",
    "How many days of annual leave does an employee have?",
    "What must be done when a laptop is lost?",
)


def question(number: int) -> str:
    """Return a question about the sample handbook that differs for each number, so no verdict on it is kept."""
    return f"{_QUESTIONS[number % len(_QUESTIONS)]} (case {number})"


@dataclass(frozen=True)
class Code:
    """A tree of selfrag's code and the home that its commands use; the stand-in answers, whatever keys are set."""

    directory: Path
    home: Path

    def begin(self, *arguments: str) -> "subprocess.Popen[str]":
        """Begin a command of this tree, with this Python."""
        known = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SELFRAG_", "ANTHROPIC_", "TAVILY_", "AWS_"))
        }
        paths = os.pathsep.join(map(str, (self.directory, self.directory / "functions")))
        return subprocess.Popen(  # noqa: S603 (our own command)
            [sys.executable, "-m", "selfrag_cli.main", *arguments],
            cwd=self.directory,
            env={**known, "PYTHONPATH": paths, "SELFRAG_HOME": str(self.home)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
