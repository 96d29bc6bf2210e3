"""The laboratory's commands are listed without its libraries, and say how to install them where one needs them."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from selfrag.domain.errors import Misconfigured
from selfrag_cli.lab.commands import COMMANDS
from selfrag_cli.lab.commands.extra import in_lab
from selfrag_cli.main import app
from tests.support.command import ROOT


def test_the_help_lists_them_where_the_extra_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("jinja2", "matplotlib", "py3langid", "scipy"):
        monkeypatch.setitem(sys.modules, name, None)
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert all(f" {name} " in shown for name in COMMANDS)


def test_a_report_is_refused_before_anything_is_asked_with_the_command_that_installs_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.chdir(tmp_path)
    asked = ["eval", str(ROOT / "cli" / "selfrag_cli" / "sample" / "questions.jsonl"), "--report", "report.html"]
    ended = CliRunner().invoke(app, asked)
    assert isinstance(ended.exception, Misconfigured)
    assert "matplotlib, which the extra `lab` brings: .venv/bin/pip install" in str(ended.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_module_of_our_own_that_is_missing_is_a_defect_and_no_matter_of_the_extra() -> None:
    def broken() -> None:
        import selfrag_cli.lab.nowhere  # noqa: F401

    with pytest.raises(ModuleNotFoundError):
        in_lab(broken)()
