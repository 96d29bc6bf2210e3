"""The table of a run: paired intervals, verdicts, the lines in the terminal, and the file of all answers."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.judge import JudgeReport
from selfrag_cli.lab.question_sets import NOT_FOR_IT, GoldQuestion, Measured, Share, aggregate
from selfrag_cli.lab.records import RunResult
from selfrag_cli.lab.run import read_variants
from selfrag_cli.lab.table import (
    MIN_QUESTIONS,
    Findings,
    check_output,
    compute_differences,
    describe_judge,
    describe_verdicts,
    write_output,
)
from tests.unit.cli.lab.conftest import gold, response, result


def of(*values: float | None, name: str = "match") -> list[Measured]:
    """One measure of some questions; None where it is not for one."""
    return [{name: NOT_FOR_IT if value is None else Share(value)} for value in values]


def test_consistent_difference_is_significant_and_random_one_is_not() -> None:
    base = [float(number % 2) for number in range(200)]
    better = compute_differences(of(*base), of(*(value + 0.1 for value in base)))["match"]
    assert (better.value, better.low, better.high) == (pytest.approx(0.1), pytest.approx(0.1), pytest.approx(0.1))
    assert better.verdict == "real"
    tossed = np.random.default_rng(7).integers(0, 2, 200)
    by_chance = compute_differences(of(*base), of(*map(float, tossed)))["match"]
    assert by_chance.low < 0 < by_chance.high
    assert by_chance.verdict == "may be chance"


def test_interval_matches_paired_bootstrap_of_means() -> None:
    random = np.random.default_rng(3)
    one, other = random.random(60), random.random(60)
    found = compute_differences(of(*one), of(*other))["match"]
    places = random.integers(0, 60, (20_000, 60))
    low, high = np.percentile((other - one)[places].mean(axis=1), (2.5, 97.5))
    assert found.value == pytest.approx(other.mean() - one.mean())
    assert (found.low, found.high) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))


@pytest.mark.parametrize(
    ("won", "lost", "p", "verdict"),
    [
        (4, 0, 0.125, "may be chance"),
        (5, 0, 0.0625, "may be chance"),
        (9, 2, 0.0654, "may be chance"),
        (6, 0, 0.0312, "real"),
    ],
)
def test_binary_differences_use_the_exact_test(won: int, lost: int, p: float, verdict: str) -> None:
    same = [1.0] * (200 - won - lost)
    found = compute_differences(of(*same, *[0.0] * won, *[1.0] * lost), of(*same, *[1.0] * won, *[0.0] * lost))["match"]
    assert (found.won, found.lost, found.p, found.verdict) == (won, lost, pytest.approx(p, abs=1e-4), verdict)


def test_paired_resampling_keeps_shared_variance_out_of_interval() -> None:
    hard = [float(number % 10) for number in range(100)]
    slightly_more = [value + (0.01 if number % 2 else 0.03) for number, value in enumerate(hard)]
    found = compute_differences(of(*hard), of(*slightly_more))["match"]
    assert found.high - found.low < 0.01


def test_few_questions_show_nothing() -> None:
    few = compute_differences(of(*[0.0] * (MIN_QUESTIONS - 1)), of(*[1.0] * (MIN_QUESTIONS - 1)))["match"]
    assert few.verdict == "too few questions"
    # However many there are that it is not for.
    none = [None] * 100
    assert compute_differences(of(0.0, *none), of(1.0, *none))["match"].verdict == "too few questions"
    assert compute_differences([], []) == {}


VALUES = st.lists(
    st.tuples(st.sampled_from([None, 0.0, 0.5, 1.0]), st.floats(0, 1) | st.none()), min_size=1, max_size=30
)


@settings(max_examples=20)
@given(VALUES)
def test_the_difference_is_that_of_the_table_whatever_is_measured(
    values: list[tuple[float | None, float | None]],
) -> None:
    one, other = of(*(first for first, _ in values)), of(*(second for _, second in values))
    found = compute_differences(one, other)
    before, after = aggregate(one)["match"], aggregate(other)["match"]
    if before is None or after is None:
        assert found == {}
    else:
        assert found["match"].value == pytest.approx(after - before)
        assert found["match"].questions == sum(pair != (None, None) for pair in values)


VARIANTS = read_variants(["first={}", 'other={"top_k": 2}'])
QUESTIONS = [
    gold(f"How long is leave {at}?", id=str(at), answers=("18 weeks",), documents=("leave.md",)) for at in range(24)
]


class Stored:
    """The first variant knows the answer to every question, the other one to every second."""

    def find(self, variant: str, question_id: str) -> RunResult:
        knows = variant == "first" or int(question_id) % 2 == 0
        body = response("18 weeks" if knows else "a year", citations=[("other.md", "quote")])
        return result(variant, question_id, {**body, "id": f"{variant}{question_id}"}, seconds=2.0)


def findings(questions: list[GoldQuestion] = QUESTIONS) -> Findings:
    return Findings(questions, VARIANTS, Stored().find)


def test_too_few_questions_are_said_once_whatever_the_number_of_variants() -> None:
    variants = read_variants(["first={}", 'other={"top_k": 2}', 'third={"top_k": 3}'])
    lines = describe_verdicts(Findings(QUESTIONS[:6], variants, Stored().find).report())
    assert lines == ["6 questions are too few to compare variants: 20 say whether one is better."]


def test_a_judge_by_rule_is_named_as_no_judgement() -> None:
    report = JudgeReport(model="rule", judged_by="rule", judged=1, missing=0)
    assert describe_judge(report).endswith("1 answers written from passages, judged by rule, which is no judgement")


def test_a_file_of_no_such_kind_is_refused_before(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"name a file that ends in \.csv"):
        check_output(tmp_path / "report.pdf")


def test_a_file_that_cannot_be_written_is_named_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").mkdir()
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_output(findings(), tmp_path / "answers.csv")
