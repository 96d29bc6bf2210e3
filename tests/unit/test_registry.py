"""The entry of a release in the registry of the Model Context Protocol."""

import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_registry_entry_names_this_release_and_package() -> None:
    entry = json.loads((ROOT / "server.json").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    [package] = entry["packages"]
    assert {entry["version"], package["version"]} == {project["version"]}
    assert package["runtimeArguments"][0]["value"] == f"{project['name']}[agents]=={project['version']}"
    # The registry proves by this line that the package is of the same owner, and cuts no description.
    assert f"mcp-name: {entry['name']} " in (ROOT / project["readme"]).read_text()
    assert len(entry["description"]) <= 100
