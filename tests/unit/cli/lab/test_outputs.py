"""The report of a run: its lines in the terminal, the order of its questions, and its file of all answers."""

import csv
from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.findings import Findings, JudgeReport
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.report import check_outputs, judge_line, verdict_lines, write_outputs
from selfrag_cli.lab.runs.results import RunResult
from selfrag_cli.lab.runs.variants import read_variants
from tests.unit.cli.lab.conftest import gold, response, result

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
    lines = verdict_lines(Findings(QUESTIONS[:6], variants, Stored().find).report())
    assert lines == ["6 questions are too few to compare variants: 20 say whether one is better."]


def test_the_questions_whose_answers_differ_come_first_and_then_those_that_are_not_right() -> None:
    assert all(number % 2 for number in numbers(findings())[:12])
    assert numbers(Findings(QUESTIONS[:4], VARIANTS[1:], Stored().find)) == [1, 3, 0, 2]


def numbers(of: Findings) -> list[int]:
    return [int(one.question.rstrip("?").split()[-1]) for one in of.report().most_different]


def test_a_judge_by_rule_is_named_as_no_judgement() -> None:
    report = JudgeReport(model="rule", judged_by="rule", judged=1, missing=0)
    assert judge_line(report).endswith("1 answers written from passages, judged by rule, which is no judgement")


def test_the_table_has_a_line_for_each_answer(tmp_path: Path) -> None:
    write_outputs(findings(), [tmp_path / "answers.csv"])
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48
    assert (rows[0]["match"], rows[0]["citation_recall"], rows[0]["abstention_recall"]) == ("1.0", "0.0", "")


def test_the_folder_of_a_file_is_made_before_anything_is_asked(tmp_path: Path) -> None:
    check_outputs([tmp_path / "new" / "folder" / "answers.csv"])
    assert (tmp_path / "new" / "folder").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="its folder cannot be made"):
        check_outputs([tmp_path / "file" / "answers.csv"])


def test_a_file_of_no_such_kind_is_refused_before(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"name a file that ends in \.csv"):
        check_outputs([tmp_path / "report.pdf"])


def test_a_file_that_cannot_be_written_is_named_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").mkdir()
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_outputs(findings(), [tmp_path / "answers.csv"])
