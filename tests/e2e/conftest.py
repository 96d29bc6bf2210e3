"""A home for a command, empty or with the handbook in it, and a served API."""

import fcntl
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from selfrag.domain.questions import read_request
from selfrag_cli.local.asking import ask_question
from selfrag_cli.local.index import E5Embedder
from selfrag_cli.local.sources.source import source_to_ask
from selfrag_cli.main import main
from tests.support.command import HANDBOOK, Command, Ended
from tests.support.doubles.model_server import ModelServer
from tests.support.fakes import FakeEmbedder
from tests.support.serving import ServedStack, serving_stack

Ask = Callable[..., dict[str, Any]]
Run = Callable[..., Ended]


@pytest.fixture
def fresh(tmp_path: Path) -> Command:
    """Return a command with an empty home."""
    return Command(tmp_path)


@pytest.fixture(scope="session")
def handbook_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home that has read the handbook; the workers of a run share it: to embed it takes ten seconds."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    home, is_read = shared / "handbook", shared / "handbook.read"
    with (shared / "handbook.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_read.exists():
            home.mkdir(exist_ok=True)
            ended = Command(home)("ingest", str(HANDBOOK))
            assert ended.code == 0, ended.err
            is_read.touch()
    return home


@pytest.fixture
def read(tmp_path: Path, handbook_home: Path) -> Command:
    """Return a command whose home knows the handbook, and which no other test uses."""
    shutil.copytree(handbook_home, tmp_path, dirs_exist_ok=True)
    return Command(tmp_path)


@contextmanager
def unseen_steps() -> Iterator[Callable[[str], None]]:
    yield lambda step: None


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return what `selfrag ask --json` does, in this process, with an empty home: the packages are loaded once."""
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))

    def asked(question: str, documents: Path | None = None, previous: str = "", policy: str = "") -> dict[str, Any]:
        request = read_request(question, policy, previous)
        execution, _ = ask_question(request, source_to_ask(documents, ""), lambda reading: None, unseen_steps)
        assert execution.output is not None
        return execution.output

    return asked


@pytest.fixture
def ask_handbook(ask: Ask, tmp_path: Path, handbook_home: Path) -> Ask:
    """Return the same with a home that has read the handbook already."""
    shutil.copytree(handbook_home / "state", tmp_path / "state")
    return ask


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a runner of the command in this process with an empty home, faster than starting Python."""
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))

    def run(*arguments: str | bytes) -> Ended:
        words = [os.fsdecode(argument) for argument in arguments]
        monkeypatch.setattr(sys, "argv", ["selfrag", *words])
        code: Any = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        printed = capsys.readouterr()
        return Ended(code, printed.out, printed.err)

    return run


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    """Return a fast embedder in the place of the real one."""
    fake = FakeEmbedder("fast")

    def query(self: E5Embedder, text: str) -> list[float]:
        return fake.query(text)

    def passages(self: E5Embedder, texts: Sequence[str]) -> list[list[float]]:
        return fake.passages(texts)

    monkeypatch.setattr(E5Embedder, "query", query)
    monkeypatch.setattr(E5Embedder, "passages", passages)
    return fake


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Return a model's service that commands in this process are connected with."""
    with ModelServer() as running:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-nobody")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        yield running


@pytest.fixture(scope="module")
def served_stack() -> Iterator[ServedStack]:
    """Return a served API that the tests of a module share."""
    with ModelServer() as running, serving_stack(running) as served:
        yield served


@pytest.fixture
def model(served_stack: ServedStack) -> ModelServer:
    """Return the model of the served API, which knows no question of an earlier test."""
    served_stack.reset()
    return served_stack.model


@pytest.fixture
def api(served_stack: ServedStack, model: ModelServer) -> httpx2.Client:
    """Return a client of the served API, which knows no question of an earlier test."""
    return served_stack.client


@pytest.fixture
def held(model: ModelServer) -> Iterator[threading.Event]:
    """Keep questions at their last step until this event is set."""
    release = threading.Event()
    model.answers["grade_utility"] = lambda body: (release.wait(30), {"reason": "r", "score": 5})[1]
    yield release
    release.set()
