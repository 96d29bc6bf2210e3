"""While documents are read, stderr says how far it is."""

import pytest

from selfrag_cli.local.sources.sync import Progress
from selfrag_cli.terminal import reading_progress


def test_without_a_terminal_a_line_is_written_every_ten_seconds_and_not_more_often(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 100.0
    with reading_progress(lambda: now) as show:
        for second in range(25):
            now = 100.0 + second
            show(Progress(second, 50, "a.md"))
    assert capsys.readouterr() == ("", "selfrag: 10 of 50 documents read\nselfrag: 20 of 50 documents read\n")
