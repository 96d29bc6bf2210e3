"""Names of files in questions."""

import pytest

from selfrag.text.file_names import MAX_NAMES, find_names, is_named


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("zx-manual-47", "hr/zx-manual-47.md"),
        ("What is in Minutes-2026-06-09.MD?", "minutes-2026-06-09.md"),
        ("What does leave.md say?", "hr/leave.md"),
        ("議事録2026-06を見せて", "議事録2026-06.docx"),
        ("Was steht im Protokoll 2026-03?", "Protokoll 2026-03.docx"),
    ],
)
def test_query_names_file(query: str, document: str) -> None:
    assert is_named(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("How much leave do I get?", "leave.md"),
        ("zx-manual-470", "zx-manual-47.md"),
        ("old-zx-manual-47x", "zx-manual-47.md"),
        ("", "a-1.md"),
        ("How many faults were there in 2026?", "2026.pdf"),
        ("What did 17 people say of LICENSE?", "17"),
        ("What did 17 people say of LICENSE?", "LICENSE"),
    ],
)
def test_other_words_name_no_file(query: str, document: str) -> None:
    assert not is_named(query, document)


def test_names_in_query_are_limited_and_words_and_numbers_are_none() -> None:
    assert find_names("What do 5 people of zx-manual-48.md and A47 say?") == ["zx-manual-48.md", "A47"]
    assert len(find_names(" ".join(f"a-{n}" for n in range(100)))) == MAX_NAMES
