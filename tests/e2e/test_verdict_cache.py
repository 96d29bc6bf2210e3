"""The same question twice: the second time the model is not called at all."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Command
from tests.support.doubles.model_server import ModelServer

GRADERS = ("grade_relevance", "grade_support", "grade_utility")


def graded(model: ModelServer) -> int:
    return sum(model.counts[step] for step in GRADERS)


def verdicts(response: dict[str, Any]) -> list[bool]:
    reflection = response["reflection"]
    return [v["cached"] for v in [*reflection["relevance"], reflection["support"], reflection["utility"]]]


@pytest.mark.long
def test_second_command_reuses_cached_verdicts_without_model_calls(fresh: Command, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "fee.md").write_text("# Fees\n\nThe fee is 5 euros.\n\n## Time\n\nOpen at 9.\n", encoding="utf-8")
    with ModelServer() as model:
        real = Command(fresh.home, (("ANTHROPIC_BASE_URL", model.url),))
        first = real("ask", "--json", "--docs", str(documents), "--", "How much is the fee?").response
        before = graded(model)
        second = real("ask", "--json", "--docs", str(documents), "--", "How much is the fee?").response
    assert before == first["usage"]["model_calls"] - 2
    assert graded(model) == before
    assert not any(verdicts(first))
    assert all(verdicts(second))
    # The decision and the draft are remembered, too.
    assert second["usage"]["cached_verdicts"] == len(verdicts(second)) + 2
    assert second["answer"] == first["answer"]
    assert (second["usage"]["model_calls"], second["usage"]["cost_usd"]) == (0, 0)
