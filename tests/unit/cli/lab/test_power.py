"""Before a run it is told which difference so many questions show."""

import pytest

from selfrag_cli.lab.metrics.power import least_difference


@pytest.mark.parametrize(
    ("questions", "discordant", "difference"),
    [(312, 0.1, 0.05), (626, 0.2, 0.05), (870, 0.1, 0.03), (1742, 0.2, 0.03)],
)
def test_so_many_questions_show_a_difference_of_so_many_points(
    questions: int, discordant: float, difference: float
) -> None:
    assert least_difference(questions, discordant) == pytest.approx(difference, abs=1e-4)


def test_few_questions_show_no_difference_at_all() -> None:
    assert least_difference(20) is None
