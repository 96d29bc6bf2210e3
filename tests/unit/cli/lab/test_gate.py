"""Gate conditions: a run fails if a figure misses its limit, and the summary for a pull request names it."""

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.gate import (
    Condition,
    Gate,
    GateCheck,
    check_figures,
    read_conditions,
)
from selfrag_cli.lab.records import RunResult
from selfrag_cli.lab.run import read_variants
from selfrag_cli.lab.table import Findings
from tests.unit.cli.lab.conftest import gold, response, result

QUESTIONS = [gold(f"Question {at}|?", id=f"{at}", answers=("18 weeks",)) for at in range(30)]


class Stored:
    """A variant that answers the first so many questions right."""

    def __init__(self, right: int) -> None:
        self._right = right

    def find(self, variant: str, question_id: str) -> RunResult:
        return result(variant, question_id, response("18 weeks." if int(question_id) < self._right else "No."))


def gate(right: int, *conditions: str) -> Gate:
    findings = Findings(QUESTIONS, read_variants([]), Stored(right).find)
    return findings.gate(read_conditions(conditions))


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


def test_a_condition_that_cannot_be_read_is_refused() -> None:
    for text in ("match", "match < before.csv"):
        with pytest.raises(InvalidInput, match=r"is no condition: --fail-if 'supported < 0\.9'"):
            read_conditions([text])
    with pytest.raises(InvalidInput, match="There is no 'mach' to fail by; there are match"):
        list(check_figures("a", {"match": 1.0}, [Condition("mach < 1", "mach", "<", 1.0)]))
