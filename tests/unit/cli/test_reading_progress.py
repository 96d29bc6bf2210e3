"""While documents are read, stderr says how far it is, how fast, and for how long yet."""

from collections.abc import Callable, Iterator

import pytest

from selfrag_cli.pace import Pace, Reading
from selfrag_cli.terminal import reading_progress


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
    ("seconds", "passages", "letters", "left", "words"),
    [
        (10, 43, 10, 90, "4.3 passages/s, about 90 s left"),
        (10, 43, 0, 90, "4.3 passages/s"),
        (30, 1, 1, 90, "0.0 passages/s"),
        (10, 43, 100, 0, "4.3 passages/s"),
        (60, 258, 5, 95, "4.3 passages/s, about 19 min left"),
        (600, 2580, 5, 95, "4.3 passages/s, about 3 h left"),
        (1, 4, 10, 90, ""),
        (10, 0, 0, 100, ""),
    ],
)
def test_the_time_left_follows_from_the_letters_that_are_left(
    seconds: float, passages: int, letters: int, left: int, words: str
) -> None:
    assert Pace(100).words(Reading(1, 10, "a.md", passages, letters, left), 100 + seconds) == words


def test_a_machine_that_has_become_slow_shows_in_the_time_left() -> None:
    pace, letters, words = Pace(0), 0, ""
    for second in range(0, 1201, 10):
        words = pace.words(Reading(1, 10, "a.md", second, letters, 100_000 - letters), second)
        letters += 1000 if second < 600 else 100
    assert words == "1.0 passages/s, about 57 min left"


def test_without_a_terminal_a_line_is_written_every_ten_seconds_and_not_more_often(
    tell: Callable[[Reading], None], clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    for second in range(25):
        clock.now = 100.0 + second
        tell(Reading(second, 50, "a.md", 5 * second, 100 * second, 100 * (50 - second)))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "selfrag: 10 of 50 documents read, 5.0 passages/s, about 40 s left",
        "selfrag: 20 of 50 documents read, 5.0 passages/s, about 30 s left",
    ]


def test_what_is_done_in_a_moment_writes_nothing(
    tell: Callable[[Reading], None], capsys: pytest.CaptureFixture[str]
) -> None:
    tell(Reading(1, 1, "a.md", 3, 100, 0))
    assert capsys.readouterr() == ("", "")
