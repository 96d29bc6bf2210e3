"""Debian's packages, fetched and laid out below build/: nothing is installed, and no root is needed."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path


def missing_programs() -> list[str]:
    """Return the programs of Debian that are needed here and are not found."""
    return [name for name in ("apt-get", "apt-cache", "dpkg-deb") if shutil.which(name) is None]


def laid_out(packages: Sequence[str], debs: Path, root: Path) -> Path:
    """Fetch packages that are not in `debs` yet, and lay their files out below `root`; raises RuntimeError.

    apt-get takes the version of the release that the machine has; its sources have to be up to date.
    """
    debs.mkdir(parents=True, exist_ok=True)
    wanted = [package for package in packages if not _fetched(package, debs)]
    if wanted:
        _run(["apt-get", "download", "-q", *wanted], debs)
    for package in packages:
        mark = root / f".{package}"
        if not mark.exists():
            root.mkdir(parents=True, exist_ok=True)
            _run(["dpkg-deb", "-x", str(_fetched(package, debs)), str(root)], debs)
            mark.touch()
    return root


def version(package: str, debs: Path) -> str:
    """Return the version that was fetched."""
    found = _fetched(package, debs)
    return found.name.split("_")[1].replace("%3a", ":") if found else ""


def with_dependencies(packages: Sequence[str]) -> list[str]:
    """Return the packages and their dependencies that this machine lacks."""
    told = _run(["apt-get", "install", "-s", "--no-install-recommends", *packages], Path.cwd())
    return re.findall(r"^Inst (\S+)", told, flags=re.M) or list(packages)


def _fetched(package: str, debs: Path) -> Path | None:
    return next(iter(sorted(debs.glob(f"{package}_*.deb"))), None)


def _run(command: Sequence[str], directory: Path) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:3])} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout
