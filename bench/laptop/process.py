"""The measured commands as separate processes, and the questions to ask them."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
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


def started(home: Path, *arguments: str, errors: bool = False, has_input: bool = False) -> "subprocess.Popen[str]":
    """Start a command with this home; the stand-in answers, whatever keys are set.

    With `errors` stderr is a pipe, with `has_input` stdin is one.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SELFRAG_", "ANTHROPIC_", "TAVILY_", "AWS_"))
    }
    return subprocess.Popen(
        [sys.executable, "-m", "selfrag_cli.main", *arguments],
        cwd=ROOT,
        env={**environment, "SELFRAG_HOME": str(home)},
        stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if errors else None,
        text=True,
    )
