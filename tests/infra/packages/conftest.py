"""The zips of this checkout, built once for the tests from libraries that `make` fetched."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.packages.bytecode import lambda_python
from infra.packages.libraries import ROOT
from infra.packages.package import FUNCTIONS
from tests.support.cold_start import packed


def libraries(target: str) -> Path:
    """Return the folder of libraries; the test is skipped where none were fetched."""
    folder = ROOT / "build" / "libraries" / target
    if not folder.exists():
        pytest.skip(f"no build/libraries/{target}: `make install` fetches them")
    return folder


def build(out: Path, target: str, *options: str, checkout: Path = ROOT, **settings: object) -> str:
    """Return a function that runs the build in a checkout, and returns its output."""
    command = ["-m", "infra.packages.package", "--out", str(out), "--libraries", str(libraries(target)), *options]
    done = subprocess.run(
        [sys.executable, *command], cwd=checkout, capture_output=True, text=True, **{"env": {}, **settings}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session", name="build")
def build_fixture() -> Callable[..., str]:
    """Return the command, for tests that build in another checkout."""
    return build


@pytest.fixture(scope="session")
def arm64(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the zips that are deployed."""
    out = tmp_path_factory.mktemp("arm64")
    (out / "printed").write_text(build(out, "arm64"))
    return out


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the zips' contents for this machine, or for Lambda's Python if the benches are set up."""
    out, bench = tmp_path_factory.mktemp("unpacked"), ROOT / "build" / "libraries" / "bench"
    python = (bench.exists() and lambda_python()) or sys.executable
    for part, files in packed(FUNCTIONS, bench if bench.exists() else libraries("host"), python):
        for name, data in files.items():
            (out / part / name).parent.mkdir(parents=True, exist_ok=True)
            (out / part / name).write_bytes(data)
    return out
