"""The examples of docs/clients.md: the classes for OpenAI's API of the SDK, LangChain and LlamaIndex."""

import re
from pathlib import Path

import pytest

from tests.e2e.clients.conftest import ran
from tests.e2e.test_serve import served
from tests.support.command import ROOT, Command

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
EXAMPLES = {re.findall(r"from (\w+)", code)[0]: code for code in re.findall(r"```python\n(.*?)```", PAGE, re.S)}


def test_every_client_with_a_class_has_an_example() -> None:
    assert list(EXAMPLES) == ["openai", "langchain_openai", "llama_index"]


@pytest.mark.long
@pytest.mark.parametrize("client", EXAMPLES)
def test_example_prints_the_answer(tools: Path, tmp_path: Path, fresh: Command, client: str) -> None:
    with served(fresh) as url:
        (tmp_path / "example.py").write_text(EXAMPLES[client].replace("http://127.0.0.1:8080", url), encoding="utf-8")
        done = ran(tools, ["python", "example.py"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "four months" in done.stdout
