"""`selfrag eval --from`: recorded answers are judged again, and the terminal says what changed."""

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Run
from tests.support.command import ROOT
from tests.support.doubles.model_server import ModelServer
from tests.support.local import QUESTION, local_stack


def test_prompt_without_a_rule_fails_the_gate_and_the_former_one_passes(
    here: Run, server: ModelServer, tmp_path: Path
) -> None:
    own = ROOT / "functions" / "selfrag" / "question" / "grade_support" / "prompt.md"
    rule = "- Changed number: "
    worse = tmp_path / "worse.md"
    worse.write_text("\n".join(line for line in own.read_text().splitlines() if not line.startswith(rule)))
    server.answers["grade_support"] = lambda body: {
        "claims": [
            {
                "claim": "It is 14 days.",
                "support": "contradicted" if rule in body["system"][0]["text"] else "full",
                "passages": [1],
                "missing": "",
            }
        ]
    }
    with local_stack(server) as stack:
        execution = stack.execute(QUESTION)
    history = tmp_path / "history.json"
    history.write_text(json.dumps(execution.history), encoding="utf-8")
    server.counts.clear()
    conditions = ("eval", "--from", str(history), "--fail-if", "changed > 0.03")
    same = here(*conditions, "--variant", f"grade_support={own}")
    assert (same.code, server.counts) == (0, {})
    assert same.err.splitlines()[-1] == "| replay | changed > 0.03 | 0 | holds |"
    failed = here(*conditions, "--variant", f"grade_support={worse}")
    assert failed.code == 3
    assert "1 traces" in failed.out
    assert "1 of 1 questions have a verdict that differs." in failed.out
    assert f": {QUESTION['question']}  {execution.id}" in failed.out
    assert set(server.counts) == {"grade_support"}, "what is asked as before is not paid"
    assert failed.err.splitlines()[-3:] == [
        "| replay | changed > 0.03 | 1 | **fails** |",
        "",
        f"- {QUESTION['question']}",
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["set.results.jsonl", "--max-cost", "0"], "--max-cost is a number of dollars above 0."),
        (["set.results.jsonl", "--variant", "generate=a.md"], "There is no step generate to change"),
        (["set.results.jsonl", "--docs", "."], "leave out QUESTIONS, --docs"),
    ],
)
def test_unusable_replay_is_refused_in_one_sentence(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.results.jsonl").touch()
    ended = here("eval", "--from", *arguments)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.err.count("selfrag: ") == 1
