"""The zips of this checkout, built once for the tests from wheels that `make` fetched."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.deploy.imports import fits_this_python, unpack
from cli.deploy.wheels import ROOT

WHEELS = ROOT / "build" / "wheels"


def wheels_for(name: str) -> Path:
    """The folder of wheels for a target; the test is skipped where nobody fetched them."""
    if not any((WHEELS / name).glob("*.whl")):
        pytest.skip(f"no wheels in build/wheels/{name}: `python -m cli.deploy.package download` fetches them")
    return WHEELS / name


def build(out: Path, wheels: str, *options: str, checkout: Path = ROOT, **settings: object) -> str:
    """Run the command in a checkout; returns what it prints."""
    told = ["-m", "cli.deploy.package", "--out", str(out), "--wheels", str(wheels_for(wheels)), *options]
    # No index: whatever asks the network for a package fails.
    environment = {"PIP_INDEX_URL": "http://127.0.0.1:9/", **settings.pop("env", {})}
    done = subprocess.run(
        [sys.executable, *told], cwd=checkout, env=environment, capture_output=True, text=True, **settings
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session", name="build")
def build_fixture() -> Callable[..., str]:
    """The command, for tests that build in another checkout."""
    return build


@pytest.fixture(scope="session")
def arm64_wheels() -> Path:
    """The wheels of the layer that is deployed."""
    return wheels_for("arm64")


@pytest.fixture(scope="session")
def arm64(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zips that are deployed."""
    out = tmp_path_factory.mktemp("arm64")
    (out / "printed").write_text(build(out, "arm64"))
    return out


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zips for this machine, unpacked."""
    out = tmp_path_factory.mktemp("host")
    build(out, "host", "--host")
    if not fits_this_python(out):
        pytest.skip("the layer holds wheels for Linux, and this is another system")
    unpack(out, out)
    return out
