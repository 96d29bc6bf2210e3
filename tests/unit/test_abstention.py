"""`bench abstention`: NoMIRACL's rows, and the figures of judges over them."""

import json
from pathlib import Path

import pytest

from bench.abstention.figures import area, choose_threshold, declined_of
from bench.abstention.rows import read_rows, shuffle_passages
from selfrag.domain.errors import InvalidInput

PROMPT = "Instructions.\n\nQUESTION:\n{}\n\nCONTEXTS:\n[1] Crane: Part 1: it lifts 12 t.\n\n[2] {}\n\nOUTPUT:\n"


def write(clone: Path, kind: str, rows: list[tuple[str, str | None]]) -> None:
    path = clone / f"results/baselines/{kind}/en.test.vanilla_prompt.jsonl"
    path.parent.mkdir(parents=True)
    results = {"one": "I don't know.", "two": "Yes, answer is present."}
    lines = [json.dumps({"query_id": name, "prompt": prompt, "results": results}) for name, prompt in rows]
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    write(tmp_path, "relevant", [(str(at), PROMPT.format(f"What is {at}?", f"Title {at}: Text.")) for at in range(12)])
    write(tmp_path, "non_relevant", [("a#0", PROMPT.format("What is a?", "Plain.")), ("b#0", None)])
    return tmp_path


def test_rows_are_read_with_titles_and_recorded_replies(clone: Path) -> None:
    rows = read_rows(clone, "en", None)
    assert len(rows) == 13, "a row without texts is left out"
    row = next(row for row in rows if not row.is_answerable)
    assert (row.question, row.declined) == ("What is a?", {"one": True, "two": False})
    assert [(each.title, each.text) for each in row.passages] == [("Crane", "Part 1: it lifts 12 t."), ("", "Plain.")]
    assert read_rows(clone, "en", 3) == sorted(read_rows(clone, "en", 3), key=lambda row: row.hash)
    with pytest.raises(InvalidInput, match="git clone"):
        read_rows(clone, "ko", None)


def test_control_gives_each_question_passages_of_its_half(clone: Path) -> None:
    rows = read_rows(clone, "en", None)
    halves = {row.passages[1].text + row.passages[1].title: row.is_held_out for row in rows}
    for row, shuffled in zip(rows, shuffle_passages(rows), strict=True):
        assert (row.id, row.question) == (shuffled.id, shuffled.question)
        assert row.passages != shuffled.passages
        assert halves[shuffled.passages[1].text + shuffled.passages[1].title] is row.is_held_out


def test_figures_of_scores_count_ties_half_and_bound_false_declines() -> None:
    scores, labels = [0.9, 0.8, 0.5, 0.5, 0.1], [True, False, True, False, False]
    assert area(scores, labels).auc == pytest.approx((3 + 1.5) / 6)
    answerable = [at / 100 for at in range(100)]
    threshold = choose_threshold([*answerable, 0.0], [*[True] * 100, False])
    declined = declined_of([score >= threshold for score in answerable], [True] * 100)
    assert declined.false
    assert declined.false.share == 0.1
    assert declined.right is None
