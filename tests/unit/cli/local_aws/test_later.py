"""What the interpreter does not need is not loaded with it, and is there for who asks."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from cli.local.aws.lighter.later import load_later


def test_the_local_stack_starts_without_what_moto_knows_of_ec2_and_batch_is_whole_for_who_wants_it() -> None:
    code = (
        "import sys, cli.local.aws.stack; print('moto.ec2' in sys.modules)\n"
        "import moto.batch; print(type(moto.batch.batch_backends).__name__, 'moto.ec2' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert told == ["False", "BackendDict", "True"]


def test_a_module_of_a_package_is_imported_without_the_packages_own_code_until_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "left_for_later"
    package.mkdir()
    (package / "__init__.py").write_text("from left_for_later.heavy import VALUE\n")
    (package / "heavy.py").write_text("VALUE = 1\n")
    (package / "light.py").write_text("VALUE = 2\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    load_later("left_for_later")
    assert importlib.import_module("left_for_later.light").VALUE == 2
    assert "left_for_later.heavy" not in sys.modules
    whole = importlib.import_module("left_for_later")
    with pytest.raises(AttributeError, match="NOTHING"):
        _ = whole.NOTHING
    assert whole.VALUE == 1
