"""While documents are read, stderr says how far it is, how fast, and for how long yet."""

from collections.abc import Callable, Iterator

import pytest

from cli.pace import Reading, in_words
from cli.terminal import reading_progress


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tell(clock: Clock) -> Iterator[Callable[[Reading], None]]:
    with reading_progress(clock) as on_document:
        yield on_document


@pytest.mark.parametrize(
    ("seconds", "passages", "share", "words"),
    [
        (10, 43, 0.1, "4.3 passages/s, about 90 s left"),
        (10, 43, 0.0, "4.3 passages/s"),
        (10, 43, 1.0, "4.3 passages/s"),
        (60, 258, 0.05, "4.3 passages/s, about 19 min left"),
        (600, 2580, 0.05, "4.3 passages/s, about 3 h left"),
        (1, 4, 0.1, ""),
        (10, 0, 0.0, ""),
    ],
)
def test_the_time_left_follows_from_the_pace_so_far(seconds: float, passages: int, share: float, words: str) -> None:
    assert in_words(Reading(1, 10, "a.md", passages, share), seconds) == words


def test_without_a_terminal_a_line_is_written_every_ten_seconds_and_not_more_often(
    tell: Callable[[Reading], None], clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    for second in range(25):
        clock.now = 100.0 + second
        tell(Reading(second, 50, "a.md", 5 * second, second / 50))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "selfrag: 10 of 50 documents read, 5.0 passages/s, about 40 s left",
        "selfrag: 20 of 50 documents read, 5.0 passages/s, about 30 s left",
    ]


def test_what_is_done_in_a_moment_writes_nothing(
    tell: Callable[[Reading], None], capsys: pytest.CaptureFixture[str]
) -> None:
    tell(Reading(1, 1, "a.md", 3, 1.0))
    assert capsys.readouterr() == ("", "")
