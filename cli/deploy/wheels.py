"""The wheels of the layer: pip fetches them for a Lambda's platform, and chooses among them without network."""

import json
import platform
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

ROOT = Path(__file__).resolve().parents[2]
_MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}


class PipFailed(Exception):
    """pip found no set of wheels; its own words are the message."""


@dataclass(frozen=True)
class Target:
    """What the zips are for: a processor, and a version of Python such as 3.13."""

    architecture: str
    python: str

    @classmethod
    def host(cls) -> "Target":
        """The machine and the Python that run this."""
        architecture = "x86_64" if platform.machine() == "x86_64" else "arm64"
        return cls(architecture, f"{sys.version_info.major}.{sys.version_info.minor}")

    def pip_options(self) -> list[str]:
        """The options that make pip choose wheels for this target, whatever it runs on."""
        machine = _MACHINES[self.architecture]
        # pip matches platform tags literally, and a wheel names as few as one. Amazon Linux 2023 has glibc 2.34.
        tags = [f"manylinux_2_{minor}_{machine}" for minor in range(28, 4, -1)] + [f"manylinux2014_{machine}"]
        platforms = [option for tag in tags for option in ("--platform", tag)]
        return [*platforms, "--python-version", self.python, "--implementation", "cp", "--only-binary", ":all:"]


def download(wheels: Path, target: Target) -> None:
    """Fill a folder with the wheels of [project.dependencies] and what they need, at the pinned versions."""
    _pip("download", "--dest", str(wheels), *target.pip_options(), *_requirements())


@contextmanager
def chosen_wheels(wheels: Path | None, target: Target) -> Iterator[list[Path]]:
    """The wheels of the layer, from a folder and without network; fetched for the occasion if there is no folder."""
    with tempfile.TemporaryDirectory() as scratch:
        if wheels is None:
            wheels = Path(scratch)
            download(wheels, target)
        # Isolated from pip's own configuration, which can name further folders to look in.
        offline = ["--isolated", "--no-index", "--find-links", str(wheels.resolve())]
        dry = ["--dry-run", "--ignore-installed", "--report", "-", "--target", scratch]
        report = json.loads(_pip("install", *offline, *dry, *target.pip_options(), *_requirements()))
        urls = (item["download_info"]["url"] for item in report["install"])
        yield sorted(Path(url2pathname(urlsplit(url).path)) for url in urls)


def _requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return ["--constraint", str(ROOT / "constraints.txt"), *project["dependencies"]]


def _pip(command: str, *arguments: str) -> str:
    told = [sys.executable, "-m", "pip", command, "-qq", "--disable-pip-version-check", *arguments]
    done = subprocess.run(told, capture_output=True, text=True, check=False)  # noqa: S603 (our own arguments)
    if done.returncode:
        raise PipFailed(f"pip {command}: {done.stderr.strip()}")
    return done.stdout
