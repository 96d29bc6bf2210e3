"""A run fails by conditions: what is worse than before, or than a figure, is named for a pull request."""

from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.findings import Findings
from selfrag_cli.lab.gate import (
    Condition,
    Gate,
    GateCheck,
    check_figures,
    check_findings,
    read_conditions,
)
from selfrag_cli.lab.outputs import write_outputs
from selfrag_cli.lab.runs.results import RunResult
from selfrag_cli.lab.runs.variants import read_variants
from tests.unit.cli.lab.conftest import gold, response, result

QUESTIONS = [gold(f"Question {at}|?", id=f"{at}", answers=("18 weeks",)) for at in range(30)]


class Stored:
    """A variant that answers the first so many questions right."""

    def __init__(self, right: int) -> None:
        self._right = right

    def find(self, variant: str, question_id: str) -> RunResult:
        return result(variant, question_id, response("18 weeks." if int(question_id) < self._right else "No."))


def findings(right: int, name: str = "default") -> Findings:
    return Findings(QUESTIONS, read_variants([f"{name}={{}}"]), Stored(right).find)


def gate(right: int, *conditions: str, name: str = "default") -> Gate:
    return check_findings(findings(right, name), read_conditions(conditions, compares=True))


@pytest.fixture
def before(tmp_path: Path) -> str:
    path = tmp_path / "before.csv"
    write_outputs(findings(27), [path])
    return str(path)


def test_a_condition_that_is_so_fails_and_the_questions_are_named() -> None:
    (check,) = gate(27, "match < 0.9").checks
    assert check == GateCheck("default", "match < 0.9", "0.9", False)
    failed = gate(26, "match < 0.9", "rounds > 5")
    assert [check.failed for check in failed.checks] == [True, False]
    assert failed.markdown().splitlines() == [
        "| Of | Fails if | Figure | |",
        "| --- | --- | --- | --- |",
        "| default | match < 0.9 | 0.8667 | **fails** |",
        "| default | rounds > 5 | 2 | holds |",
        "",
        *(f"- Question {at}\\|?" for at in range(26, 30)),
    ]


def test_answers_may_be_worse_than_those_of_before_by_no_more_than_a_margin(before: str) -> None:
    same, little, much = (gate(right, f"match < {before} - 0.05") for right in (27, 26, 25))
    assert [of.failed for of in (same, little, much)] == [False, False, True]
    assert much.questions == ["Question 25|?", "Question 26|?"]
    assert much.checks[0].condition == f"match < {before} - 0.05"
    assert much.checks[0].figure == "-0.06667 (-0.1667 to +0) over 30 questions"
    assert same.markdown().count("\n") == 3, "a gate that holds names no question"
    assert gate(26, f"match < {before}").failed, "no margin is none"


def test_answers_of_another_variants_name_are_compared_with_the_first_one(before: str) -> None:
    assert gate(20, f"match < {before}", name="stricter").failed


def test_a_figure_without_a_value_fails() -> None:
    (condition,) = read_conditions(["supported < 0.5"])
    assert next(check_figures("a", {"supported": None}, [condition])).failed


def test_a_condition_or_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for text in ("match", "match < nowhere.txt"):
        with pytest.raises(InvalidInput, match=r"is no condition: --fail-if 'supported < 0\.9'"):
            read_conditions([text], compares=True)
    with pytest.raises(InvalidInput, match="is no condition"):
        read_conditions(["match < before.csv"])
    with pytest.raises(InvalidInput, match="There is no 'mach' to fail by; there are match"):
        list(check_figures("a", {"match": 1.0}, [Condition("mach < 1", "mach", "<", 1.0)]))
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    for name in ("other.csv", "nowhere.csv"):
        with pytest.raises(InvalidInput, match="has no match by question: it is to be what --output wrote"):
            read_conditions([f"match < {tmp_path / name}"], compares=True)
