"""`selfrag eval` asks by the paper's own inference, and measures it beside the loop."""

import json
from pathlib import Path

import pytest

from tests.support.command import Command

pytestmark = pytest.mark.long
FACTS = {
    "cranes.md": "The harbour crane lifts 12 tonnes. It was built in 1987 by the yard in Setubal.",
    "ferries.md": "The night ferry leaves at 22:40. It carries 60 cars.",
}
QUESTIONS = [
    {"question": "How many tonnes does the harbour crane lift?", "answer": "12 tonnes", "documents": ["cranes.md"]},
    {"question": "When does the night ferry leave?", "answer": "22:40", "documents": ["ferries.md"]},
    {"question": "What is the name of the mayor's dog?", "answerable": False},
]
PATIENT = '"deadline_seconds": 180'
VARIANTS = (
    *("--policy", f"self_rag={{{PATIENT}}}"),
    *("--policy", f'candidates={{"strategy": "candidates", {PATIENT}}}'),
    *("--policy", f'segments={{"strategy": "segments", {PATIENT}}}'),
)


def test_both_strategies_are_compared_with_the_loop_and_what_their_graders_said_is_judged_again(
    fresh: Command, tmp_path: Path
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    for name, text in FACTS.items():
        (documents / name).write_text(text, encoding="utf-8")
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)))
    report = fresh("eval", "set.jsonl", "--docs", str(documents), *VARIANTS, "--json").response
    assert report["compared"] == len(QUESTIONS)
    measures = {variant["name"]: variant["measures"] for variant in report["variants"]}
    assert list(measures) == ["self_rag", "candidates", "segments"]
    for of in measures.values():
        assert (of["match"], of["citation_recall"], of["citation_precision"]) == (1, 1, 1)
        assert (of["answered"], of["abstained"], of["failed"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3), 0)
        assert (of["abstention_recall"], of["usd"]) == (1, 0)
        assert of.get("supported_claims") is None, "the stand-in's rules judge nothing"
    # An answer for each of two passages, and a sentence for each: more calls than one answer for both.
    assert measures["self_rag"]["model_calls"] < measures["candidates"]["model_calls"]
    assert {(one["base"], one["variant"]) for one in report["comparisons"]} == {
        ("self_rag", "candidates"),
        ("self_rag", "segments"),
    }
    again = fresh("replay", "set.traces.jsonl", "--json").response
    assert (again["traces"], again["changed"], again["missing"]) == (9, [], 0)
