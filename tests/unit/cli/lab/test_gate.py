"""A run fails by conditions: what is worse than a baseline, or than a figure, is named for a pull request."""

from dataclasses import replace
from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.gate import Check, Gate, check_figures, check_findings, checked_conditions, read_baseline
from selfrag_cli.lab.gold.question_sets import repeated
from selfrag_cli.lab.report import Findings
from selfrag_cli.lab.runs.results import Result
from selfrag_cli.lab.runs.variants import read_variants
from tests.unit.cli.lab.conftest import gold, response

QUESTIONS = [gold(f"Question {at}|?", id=f"{at}", answers=("18 weeks",)) for at in range(30)]


class Found:
    """A variant that answers the first so many questions right."""

    def __init__(self, right: int) -> None:
        self._right = right

    def find(self, variant: str, question_id: str) -> Result:
        said = response("18 weeks." if int(question_id.split(".")[0]) < self._right else "No.")
        return Result(variant=variant, policy={}, question_id=question_id, question="q", seconds=1, response=said)


def findings(right: int, name: str = "default") -> Findings:
    return Findings(QUESTIONS, read_variants([f"{name}={{}}"]), Found(right))


def gate(right: int, baseline: Path | None = None, margin: float = 0.03, conditions: tuple[str, ...] = ()) -> Gate:
    before = read_baseline(baseline, "match") if baseline else None
    return check_findings(findings(right), conditions, before, margin)


@pytest.fixture
def before(tmp_path: Path) -> Path:
    findings(27).write_csv(tmp_path / "before.csv")
    return tmp_path / "before.csv"


def test_a_condition_that_is_so_fails_and_the_questions_are_named() -> None:
    (check,) = gate(27, conditions=("match < 0.9",)).checks
    assert check == Check("default", "match < 0.9", "0.9", False)
    failed = gate(26, conditions=("match < 0.9", "rounds > 5"))
    assert [check.failed for check in failed.checks] == [True, False]
    assert failed.questions == ["Question 26|?", "Question 27|?", "Question 28|?", "Question 29|?"]
    assert failed.markdown().splitlines() == [
        "| Of | Fails if | Found | |",
        "| --- | --- | --- | --- |",
        "| default | match < 0.9 | 0.8667 | **fails** |",
        "| default | rounds > 5 | 2 | holds |",
        "",
        *(f"- Question {at}\\|?" for at in range(26, 30)),
    ]


def test_answers_may_be_worse_than_those_of_before_by_no_more_than_a_margin(before: Path) -> None:
    same, little, much = (gate(right, before, margin=0.05) for right in (27, 26, 25))
    assert [one.failed for one in (same, little, much)] == [False, False, True]
    assert much.questions == ["Question 25|?", "Question 26|?"]
    assert much.checks[0].condition == "match is more than 0.05 worse than before"
    assert much.checks[0].found == "-0.06667 (-0.1667 to +0) over 30 questions"
    assert same.markdown().count("\n") == 3, "a gate that holds names no question"


def test_answers_to_the_same_question_are_told_by_round_and_count_as_one_question() -> None:
    rounds = repeated(QUESTIONS[:20], 2)
    report = Findings(rounds, read_variants(["default={}"]), Found(15)).report()
    assert (report["questions"], report["compared"], len({question.id for question in rounds})) == (20, 20, 40)
    assert report["variants"][0]["repeats"] == {"rounds": [0.75, 0.75], "always": 0.75, "ever": 0.75}
    follow_up = repeated([QUESTIONS[0], replace(QUESTIONS[1], after="0")], 2)
    assert [(one.id, one.after) for one in follow_up] == [("0", None), ("1", "0"), ("0.2", None), ("1.2", "0.2")]


def test_the_baseline_of_another_variants_name_is_its_first_one(before: Path) -> None:
    assert check_findings(findings(20, "stricter"), [], read_baseline(before, "match"), 0.03).failed


def test_what_is_not_known_fails() -> None:
    assert next(check_figures("a", {"supported": None}, ["supported < 0.5"])).failed


def test_a_condition_or_a_baseline_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"'match' is no condition: --fail-if 'supported < 0\.9'"):
        checked_conditions(["match"])
    with pytest.raises(InvalidInput, match="There is no 'mach' to fail by; there are match"):
        list(check_figures("a", {"match": 1.0}, ["mach < 1"]))
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    for name in ("other.csv", "nowhere.csv"):
        with pytest.raises(InvalidInput, match="has no match by question: it is to be what --csv wrote"):
            gate(27, tmp_path / name)
