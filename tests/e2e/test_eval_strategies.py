"""`selfrag eval` compares every strategy with the first one, and replays the verdicts of their graders."""

import json
from pathlib import Path
from typing import get_args

import pytest

from selfrag.domain.strategies import Strategy
from tests.e2e.conftest import Run

FACTS = {
    "cranes.md": "The harbour crane lifts 12 tonnes. It was built in 1987 by the yard in Setubal.",
    "ferries.md": "The night ferry leaves at 22:40. It carries 60 cars. Dogs travel on the upper deck.",
}
QUESTIONS = [
    {"question": "How many tonnes does the harbour crane lift?", "answer": "12 tonnes", "documents": ["cranes.md"]},
    {"question": "When does the night ferry leave?", "answer": "22:40", "documents": ["ferries.md"]},
    {"question": "What is the name of the mayor's dog?", "answerable": False},
]
STRATEGIES = get_args(Strategy)
pytestmark = pytest.mark.long


def variants(*strategies: str) -> list[str]:
    policies = [json.dumps({"strategy": name, "deadline_seconds": 180}) for name in strategies]
    return [
        word for name, policy in zip(strategies, policies, strict=True) for word in ("--variant", f"{name}={policy}")
    ]


def test_every_strategy_is_compared_with_the_first_and_judged_again(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "documents").mkdir()
    for name, text in FACTS.items():
        (tmp_path / "documents" / name).write_text(text, encoding="utf-8")
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)))
    eval_set = ("eval", "set.jsonl", "--docs", "documents", "--json")
    report = here(*eval_set, *variants(*STRATEGIES)).response
    measures = {variant["name"]: variant["measures"] for variant in report["variants"]}
    assert (report["compared"], list(measures)) == (len(QUESTIONS), list(STRATEGIES))
    for of in measures.values():
        assert (of["abstention_recall"], of["failed"], of["usd"]) == (1, 0, 0)
    assert [(one["base"], one["variant"]) for one in report["comparisons"]] == [
        (STRATEGIES[0], other) for other in STRATEGIES[1:]
    ]
    again = here("eval", "--from", "set.results.jsonl", "--json").response
    assert (again["traces"], again["changed"], again["missing"]) == (len(STRATEGIES) * len(QUESTIONS), [], 0)
    assert {step: of["calls"] for step, of in again["steps"].items()} == dict.fromkeys(again["steps"], 0)
