"""While documents are read, stderr says how far it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag_cli.local.sources.progress import Progress
from selfrag_cli.terminal import TimeLeft, reading_progress


def test_without_a_terminal_a_line_is_written_every_ten_seconds_and_not_more_often(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 100.0
    with reading_progress(lambda: now) as show:
        for second in range(25):
            now = 100.0 + second
            show(Progress(second, 50, "a.md"))
    assert capsys.readouterr() == ("", "selfrag: 10 of 50 documents read\nselfrag: 20 of 50 documents read\n")


def test_the_time_left_of_embedding_is_told_by_the_work_that_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with reading_progress(lambda: now) as show:
        for share in (0.0, 0.01, 0.02):
            now = share * 6000
            show(Progress(int(share * 5000), 5000, "a.md", "Embedding", share))
    lines = ["50 of 5,000 passages embedded, 99 min left", "100 of 5,000 passages embedded, 98 min left"]
    assert capsys.readouterr().err == "".join(f"selfrag: {line}\n" for line in lines)


@given(speeds=st.lists(st.floats(0.8, 1.25), min_size=20, max_size=200))
def test_the_time_left_is_right_within_a_third_where_the_speed_changes_by_a_quarter(speeds: list[float]) -> None:
    seconds = [1 / speed for speed in speeds]
    now = 0.0
    time_left = TimeLeft(lambda: now)
    for number, took in enumerate(seconds, start=1):
        now += took
        left = time_left.seconds_after(number / len(seconds))
        assert left == pytest.approx(sum(seconds[number:]), rel=1 / 3 + 0.25)
