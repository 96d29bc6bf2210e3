"""The commands of the laptop load no package of an extra, and name it where they need one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from selfrag_cli.main import main

# Modules of ours that import such a package as they are loaded.
USERS = ("selfrag_cli.deployment.releases", "selfrag_cli.local.serving.agents")
PROGRAM = """
import json, sys
from selfrag_cli.main import app
documents, question = sys.argv[1], "How much is the fee?"
for arguments in (
    ["ingest", documents], ["documents", "--docs", documents], ["search", "fee", "--docs", documents],
    ["ask", question, "--docs", documents], ["ask", question, "--docs", documents], ["trace"],
    ["collections"],
):
    app(arguments, standalone_mode=False)
print(json.dumps(sorted(sys.modules)))
"""


def test_laptop_answers_without_importing_moto_boto3_or_anthropic(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "fee.md").write_text("# Fees\n\nThe fee is 5 euros.\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC", "TAVILY"))}
    environment |= {"SELFRAG_HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", PROGRAM, str(documents)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stderr
    assert "5 euros" in ended.stdout
    loaded = json.loads(ended.stdout.splitlines()[-1])
    # Powertools looks at the package botocore alone, for the headers of requests that nothing here makes.
    assert {"moto", "boto3", "anthropic", "opensearchpy", "mcp", "mcp_types"}.isdisjoint(loaded)
    assert [name for name in loaded if name.startswith("botocore.")] == []


@pytest.mark.parametrize(
    ("arguments", "package", "extra"),
    [
        (["rollback", "--name", "selfrag", "--region", "eu-west-1"], "boto3", "aws"),
        (["mcp"], "mcp", "agents"),
        (["ingest", "https://example.com/"], "scrapy", "sites"),
    ],
)
def test_a_command_without_its_package_names_the_extra_to_install(
    arguments: list[str], package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["selfrag", *arguments])
    for name in [name for name in sys.modules if name.partition(".")[0] == package or name in USERS]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SystemExit):
        main()
    assert f"pip install '.[{extra}]'" in capsys.readouterr().err


def test_a_missing_module_that_no_extra_has_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def fail_to_import() -> None:
        raise ModuleNotFoundError("No module named 'unheard_of'", name="unheard_of")

    monkeypatch.setattr("selfrag_cli.main.app", fail_to_import)
    with pytest.raises(SystemExit):
        main()
    assert "Unexpected ModuleNotFoundError: No module named 'unheard_of'" in capsys.readouterr().err
