"""The environments of the readers, one for each, so that nothing of theirs is with ours."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements")


def environment(name: str, directory: Path, told: Callable[[str], None]) -> Path:
    """Return the Python of the environment, made at first; raises RuntimeError if it cannot be."""
    python, requirements = directory / name / "bin" / "python", REQUIREMENTS / f"{name}.txt"
    done = directory / name / "made-of.txt"
    if done.exists() and done.read_bytes() == requirements.read_bytes():
        return python
    told(f"Setting up {name} in an environment of its own.")
    _run([sys.executable, "-m", "venv", "--clear", str(directory / name)])
    _run([str(python), "-m", "pip", "install", "--quiet", "--requirement", str(requirements)])
    done.write_bytes(requirements.read_bytes())
    return python


def _run(command: list[str]) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr.strip()[-300:])
