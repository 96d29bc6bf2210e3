"""The strategies compared on questions in other languages, from a file in SQuAD's format."""

from pathlib import Path

import pytest

from cli.lab.gold.withheld import make_set
from tests.support.command import Command

SQUAD = Path(__file__).parent / "squad"
STRATEGIES = ("naive", "corrective", "adaptive", "self_rag")
PATIENT = '{{"strategy": "{0}", "deadline_seconds": 240}}'


@pytest.mark.long
@pytest.mark.parametrize("language", ["ja", "ko"])
def test_the_strategies_are_compared_on_a_file_in_another_language(
    fresh: Command, tmp_path: Path, language: str
) -> None:
    make_set(SQUAD / f"{language}.json", tmp_path / "set", questions=8, withheld=2)
    variants = [option for name in STRATEGIES for option in ("--policy", f"{name}={PATIENT.format(name)}")]
    documents, results = str(tmp_path / "set" / "documents"), str(tmp_path / "results.jsonl")
    asked = ("eval", str(tmp_path / "set" / "questions.jsonl"), "--docs", documents, "--results", results)
    report = fresh(*asked, *variants, "--json").response
    measures = {variant["name"]: variant["measures"] for variant in report["variants"]}
    assert (report["compared"], tuple(measures)) == (8, STRATEGIES)
    for name, of_it in measures.items():
        assert of_it["abstention_recall"] == 1, name
        # What is right is some characters of a sentence: it is in it, but it is not the sentence.
        assert of_it["exact_match"] == pytest.approx(0.25), name
        assert 0.25 < of_it["f1"] < of_it["match"], name
    assert (measures["naive"]["match"], measures["naive"]["citation_recall"]) == (1, 1)
    assert measures["self_rag"]["search_recall"] == 1
    assert [comparison["variant"] for comparison in report["comparisons"]] == list(STRATEGIES[1:])
