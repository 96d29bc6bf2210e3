"""While documents are read, stderr says how far it is."""

import pytest

from selfrag_cli.terminal import Progress, reading_progress


def test_reading_progress_without_terminal_prints_every_ten_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 100.0
    with reading_progress(lambda: now) as show:
        for second in range(25):
            now = 100.0 + second
            show(Progress(second, 50, "a.md"))
    assert capsys.readouterr() == ("", "selfrag: 10 of 50 documents read\nselfrag: 20 of 50 documents read\n")


def test_the_lines_of_embedding_count_passages(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with reading_progress(lambda: now) as show:
        for share in (0.0, 0.01, 0.02):
            now = share * 6000
            show(Progress(int(share * 5000), 5000, "a.md", "Embedding", share))
    lines = ["50 of 5,000 passages embedded", "100 of 5,000 passages embedded"]
    assert capsys.readouterr().err == "".join(f"selfrag: {line}\n" for line in lines)
