"""The bytecode in the zips: that of the Lambdas' Python, for every module, and nothing of the machine that made it."""

import platform
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from infra.packages.bytecode import MAGIC, NoBytecode, lambda_python, with_bytecode
from infra.packages.libraries import ROOT

PYTHON = lambda_python()
UNCHECKED = (0b01).to_bytes(4, "little")
needs_python = pytest.mark.skipif(PYTHON is None, reason="no Python 3.13 is at hand, which alone makes its bytecode")


def compiled(zip_: Path) -> dict[str, bytes]:
    """Return the bytecode that a zip holds, by name."""
    with zipfile.ZipFile(zip_) as content:
        return {name: content.read(name) for name in content.namelist() if name.endswith(".pyc")}


@needs_python
def test_every_module_has_bytecode_where_the_lambda_s_python_looks_for_it(arm64: Path) -> None:
    for zip_ in arm64.glob("*.zip"):
        with zipfile.ZipFile(zip_) as content:
            sources = [PurePosixPath(name) for name in content.namelist() if name.endswith(".py")]
        expected = {str(source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc") for source in sources}
        assert set(compiled(zip_)) == expected


@needs_python
def test_bytecode_is_python_3_13_and_unchecked(arm64: Path) -> None:
    heads = {data[:8] for zip_ in arm64.glob("*.zip") for data in compiled(zip_).values()}
    assert heads == {MAGIC + UNCHECKED}


@needs_python
def test_bytecode_names_lambda_paths_and_no_local_path(arm64: Path) -> None:
    of_a_step = compiled(arm64 / "retrieve.zip")["selfrag/question/retrieve/__pycache__/handler.cpython-313.pyc"]
    assert b"/var/task/selfrag/question/retrieve/handler.py" in of_a_step
    assert (
        b"/opt/python/selfrag/bootstrap/questions.py"
        in compiled(arm64 / "layer.zip")["python/selfrag/bootstrap/__pycache__/questions.cpython-313.pyc"]
    )
    for place in (f"{ROOT}/", f"{Path.home()}/", f"{tempfile.gettempdir()}/{tempfile.gettempprefix()}"):
        held = [name for zip_ in arm64.glob("*.zip") for name, data in compiled(zip_).items() if place.encode() in data]
        assert held == []


@needs_python
def test_bytecode_does_not_depend_on_what_is_compiled_beside_it() -> None:
    files = {
        "a.py": b"WORDS = {'one', 'two'}\nasync def f(): return 'three' in {'three', 'four'}\n",
        "b.py": b"x = 'one'",
    }
    assert PYTHON
    together = with_bytecode(files, PYTHON, "/opt")
    alone = with_bytecode({"a.py": files["a.py"]}, PYTHON, "/opt")
    assert alone.items() <= together.items()


@needs_python
def test_a_module_that_does_not_compile_is_named() -> None:
    assert PYTHON
    with pytest.raises(NoBytecode, match=r"broken\.py"):
        with_bytecode({"broken.py": b"def"}, PYTHON, "/opt")


def build_without_bytecode(out: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Return the command on a machine that has this Python and no other."""
    home.mkdir(exist_ok=True)
    nowhere = {"PATH": "", "PYENV_ROOT": str(home), "UV_PYTHON_INSTALL_DIR": str(home), "HOME": str(home)}
    command = ["-m", "infra.packages.package", "--out", str(out), "--libraries", str(home), "--step", "retrieve"]
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=nowhere, capture_output=True, text=True, check=True)


@pytest.mark.skipif(sys.version_info[:2] == (3, 13), reason="the tests run on the Lambdas' own Python")
def test_packages_without_python_3_13_have_no_bytecode_and_a_warning(tmp_path: Path) -> None:
    done = build_without_bytecode(tmp_path, tmp_path / "home")
    assert compiled(tmp_path / "retrieve.zip") == {}
    assert "no bytecode" in done.stderr
    assert "uv python install 3.13" in done.stderr


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a machine without any 3.13, and the folder in which all look for one."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    for name in ("PATH", "PYENV_ROOT", "UV_PYTHON_INSTALL_DIR", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    assert lambda_python() is None
    return tmp_path


@needs_python
@pytest.mark.parametrize(
    "place",
    ["python3.13", "versions/3.13.9/bin/python3.13", f"cpython-3.13.9-linux-{platform.machine()}-gnu/bin/python3.13"],
    ids=["on the path", "of pyenv", "of uv"],
)
def test_a_3_13_is_found(place: str, machine: Path) -> None:
    (machine / place).parent.mkdir(parents=True, exist_ok=True)
    (machine / place).symlink_to(str(PYTHON))
    assert lambda_python() == str(machine / place)


@needs_python
def test_unchosen_pyenv_versions_on_path_are_skipped(machine: Path) -> None:
    (machine / "python3.13").write_text("#!/bin/sh\nexit 127\n")
    (machine / "python3.13").chmod(stat.S_IRWXU)
    assert lambda_python() is None
