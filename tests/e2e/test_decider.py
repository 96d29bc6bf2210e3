"""`selfrag ask` with a decision model and without a key for Claude: a model judges quotes chosen by a rule."""

from pathlib import Path

from tests.support.command import Command
from tests.support.doubles.systemone import SystemOneServer

TEXT = "# Harbour office\n\nThe fee for a guest berth is 34 euros per night. Berths are given out at noon.\n"
QUESTION = "What is the fee for a guest berth?"


def test_a_decision_model_judges_the_quotes_and_the_answer_says_so(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "harbour.md").write_text(TEXT)
    with SystemOneServer() as server:
        settings = {"SELFRAG_DECIDER_URL": server.url, "SELFRAG_DECIDER_MODEL": "judge-1"}
        command = Command(tmp_path, tuple(settings.items()))
        response = command("ask", QUESTION, "--docs", str(tmp_path / "docs"), "--json").response
        shown = command("ask", QUESTION, "--docs", str(tmp_path / "docs"), "--verdicts").out
    assert server.requests
    assert response["status"] == "answered"
    assert "a decision model judged them" in response["notice"]
    support = response["reflection"]["support"]
    assert (support["level"], support["judged_by"], support["model"]) == ("fully_supported", "decider", "judge-1")
    assert (support["probability"], response["usage"]["model_calls"]) == (0.96, 0)
    assert "fully_supported 0.96" in " ".join(shown.split())


def test_insecure_decider_address_is_refused_by_setting_name(tmp_path: Path) -> None:
    settings = {"SELFRAG_DECIDER_URL": "http://llm.example.com", "SELFRAG_DECIDER_MODEL": "judge-1"}
    ended = Command(tmp_path, tuple(settings.items()))("ask", QUESTION)
    assert ended.code == 2
    assert "SELFRAG_DECIDER_URL" in ended.err
    assert "https://" in ended.err
