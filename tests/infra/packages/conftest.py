"""The zips of this checkout, built once for the tests from libraries that `make` fetched."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.packages.libraries import ROOT
from tests.support.cold_start import trees


def build(out: Path, target: str, *options: str, checkout: Path = ROOT, **settings: object) -> str:
    """Run the command in a checkout; returns what it prints. The test is skipped where no libraries were fetched."""
    libraries = ROOT / "build" / "libraries" / target
    if not libraries.exists():
        pytest.skip(f"no build/libraries/{target}: `make install` fetches them")
    command = ["-m", "infra.packages.package", "--out", str(out), "--libraries", str(libraries), *options]
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
    """The zips for this machine, unpacked, with bytecode; for the Lambdas' Python where the benchmarks are set up."""
    out = tmp_path_factory.mktemp("unpacked")
    build(out, "bench" if (ROOT / "build/libraries/bench").exists() else "host")
    _, compiled = trees(out, out)
    return compiled
