"""`selfrag replay`: what was asked here is judged again, and the terminal says what changed and what it took."""

from pathlib import Path

import pytest

from selfrag_cli.local.stores.histories import ExecutionHistory, keep_history
from tests.e2e.conftest import Run
from tests.support.command import ROOT
from tests.support.doubles.model_server import ModelServer
from tests.support.local import QUESTION, local_stack


@pytest.fixture
def stricter(tmp_path: Path) -> str:
    path = tmp_path / "stricter.md"
    rubric = (ROOT / "functions" / "selfrag" / "question" / "grade_support" / "prompt.md").read_text(encoding="utf-8")
    path.write_text(f"{rubric}\nBe strict.\n", encoding="utf-8")
    return f"grade_support={path}"


def test_the_last_questions_are_judged_again_and_shown_with_each_verdict_that_differs(
    here: Run, server: ModelServer, stricter: str
) -> None:
    with local_stack(server) as stack:
        execution = stack.execute(QUESTION)
    keep_history(ExecutionHistory(execution.id, execution.history))
    server.counts.clear()
    server.answers["grade_support"] = lambda body: {
        "claims": [{"claim": "It is 40 days.", "support": "none", "passages": [], "missing": ""}]
    }
    ended = here("replay", "--prompt", stricter)
    assert ended.code == 0
    assert "1 traces" in ended.out
    assert "1 of 1 questions have a verdict that differs." in ended.out
    assert f"grade_support fully_supported → no_support: {QUESTION['question']}  {execution.id}" in ended.out
    assert server.counts == {"grade_support": 2}
    report = here("replay", "--prompt", stricter, "--json").response
    assert report["steps"]["grade_support"] == {
        "verdicts": 1, "same": 0, "changed": 1,
        "ungraded": 0, "judged": 0, "calls": 0, "usd": 0, "missing": 0,
    }  # fmt: skip
    assert server.counts == {"grade_support": 2}


def test_a_prompt_without_one_of_its_rules_fails_the_gate_and_the_prompt_of_before_passes_without_a_request(
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
    keep_history(ExecutionHistory(execution.id, execution.history))
    server.counts.clear()
    conditions = ("--fail-if", "changed > 0.03")
    same = here("replay", "--prompt", f"grade_support={own}", *conditions)
    assert (same.code, server.counts) == (0, {})
    assert same.err.splitlines()[-1] == "| replay | changed > 0.03 | 0 | holds |"
    failed = here("replay", "--prompt", f"grade_support={worse}", *conditions)
    assert failed.code == 3
    assert set(server.counts) == {"grade_support"}, "what is asked as before is not paid"
    assert failed.err.splitlines()[-3:] == [
        "| replay | changed > 0.03 | 1 | **fails** |",
        "",
        f"- {QUESTION['question']}",
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "There is no trace to judge again: ask questions first, or name a file of traces."),
        (["nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["--max-cost", "0"], "--max-cost is a number of dollars above 0."),
        (["--prompt", "generate=a.md"], "There is no step generate to change"),
    ],
)
def test_what_cannot_be_judged_again_is_refused_in_one_sentence(here: Run, arguments: list[str], sentence: str) -> None:
    ended = here("replay", *arguments)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.err.count("selfrag: ") == 1
