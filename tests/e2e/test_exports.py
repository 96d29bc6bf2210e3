"""`selfrag eval --export`: what is written is loaded by the tools themselves, in an environment that has them."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients import loaded
from tests.support.command import ROOT, Command
from tests.support.doubles.model_server import ModelServer
from tests.support.infra.tools import needed

FACT = "The harbour crane lifts 12 tonnes."
SET = [
    {"question": "How much does the crane lift?", "answer": "12 tonnes", "documents": ["facts.md"], "passages": [FACT]},
    {"question": "クレーンは何トンを持ち上げますか。", "answers": ["12トン", "12 tonnes"], "kind": "single_fact"},
    {"question": "What does it cost?", "answerable": False},
]


@pytest.fixture
def python() -> str:
    """Return the interpreter that has the tools."""
    found = os.environ.get("SELFRAG_TOOLS_PYTHON") or ROOT / ".venv-tools/bin/python"
    return needed(found, "ragas, deepeval and langfuse are not installed: make .venv-tools/.done")


@pytest.fixture
def exported(fresh: Command) -> Path:
    """Return what a run of these questions has written for every tool."""
    (fresh.home / "documents").mkdir()
    (fresh.home / "documents" / "facts.md").write_text(f"{FACT}\n", encoding="utf-8")
    (fresh.home / "set.jsonl").write_text("\n".join(map(json.dumps, SET)))
    tools = [word for tool in loaded.LOADERS for word in ("--export", tool)]
    with ModelServer() as server:
        service = {"ANTHROPIC_API_KEY": "sk-of-nobody", "ANTHROPIC_BASE_URL": server.url}
        patient = 'plain={"deadline_seconds": 240}'
        command = Command(fresh.home, tuple(service.items()))
        ended = command("eval", "set.jsonl", "--docs", "documents", "--policy", patient, *tools)
    assert ended.code == 0, ended.err
    assert "selfrag: the answers are in set.plain.ragas.jsonl, set.plain.deepeval.json, set.plain" in ended.err
    return fresh.home


def loaded_by(python: str, tool: str, path: Path) -> Any:
    """Return what the tool's own classes hold; nothing is sent to anybody."""
    quiet = {"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "RAGAS_DO_NOT_TRACK": "true", "HF_HUB_OFFLINE": "1"}
    nowhere = {f"{scheme}_proxy": "http://127.0.0.1:9" for scheme in ("http", "https", "all")}
    env = {"PATH": os.environ["PATH"], "HOME": str(path.parent), "LANG": "C.UTF-8", **quiet, **nowhere}
    script = str(ROOT / "tests" / "support" / "clients" / "loaded.py")
    done = subprocess.run(
        [python, script, tool, str(path)],
        cwd=path.parent,
        env=env,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.long
def test_ragas_deepeval_and_langfuse_load_what_is_written_for_them(python: str, exported: Path) -> None:
    files = {"ragas": "set.plain.ragas.jsonl", "deepeval": "set.plain.deepeval.json"}
    files |= {"langfuse": "set.plain.langfuse.jsonl"}
    # Each takes seconds to load its libraries.
    with ThreadPoolExecutor() as threads:
        loads = [threads.submit(loaded_by, python, tool, exported / name) for tool, name in files.items()]
    ragas, deepeval, langfuse = (load.result() for load in loads)
    assert [one["user_input"] for one in ragas] == [row["question"] for row in SET]
    assert ragas[0]["retrieved_contexts"] == [FACT]
    assert ragas[0]["reference_contexts"] == [FACT]
    assert [one["reference"] for one in ragas] == ["12 tonnes", "12トン", "The documents do not hold the answer."]
    assert FACT in ragas[0]["response"]

    names = {"user_input": "input", "response": "actual_output", "reference": "expected_output"}
    names |= {"retrieved_contexts": "retrieval_context"}
    for one, other in zip(ragas, deepeval, strict=True):
        assert {name: one[name] for name in names} == {name: other[field] for name, field in names.items()}
    assert [one["context"] for one in deepeval] == [[FACT], None, None]
    assert [one["metadata"]["kind"] for one in deepeval] == [None, "single_fact", None]

    said = {one["input"]: (one["output"], one["expected_output"]) for one in langfuse}
    assert said == {one["user_input"]: (one["response"], one["reference"]) for one in ragas}
    scores = {one["input"]: one["scores"] for one in langfuse}
    assert scores[SET[0]["question"]]["match"] == 1
    assert scores["What does it cost?"]["abstention_recall"] == 0
