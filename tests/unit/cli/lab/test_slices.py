"""The slices of a set: kind, length, document and language of the question, each with its interval."""

import pytest

from selfrag_cli.lab.metrics.slices import OTHER, classes_of, languages_of
from selfrag_cli.lab.report import Findings
from selfrag_cli.lab.runs.results import Result
from selfrag_cli.lab.runs.variants import read_variants
from tests.unit.cli.lab.conftest import gold, response

ENGLISH = ["How many weeks of parental leave does each parent receive?", "How long does the probation period last?"]
JAPANESE = "時間単位の有給休暇は年間何時間まで取得できますか。"
KOREAN = "육아휴직은 얼마나 되나요?"
GERMAN = "Wie viele Urlaubstage habe ich im Jahr?"


def test_the_language_of_each_question_is_told() -> None:
    assert languages_of([*ENGLISH, JAPANESE, KOREAN, GERMAN]) == ["en", "en", "ja", "ko", "de"]


def test_a_language_of_hardly_any_questions_is_other() -> None:
    assert languages_of([*ENGLISH * 30, GERMAN]) == ["en"] * 60 + [OTHER]


def test_of_no_question_there_is_no_language() -> None:
    assert languages_of([]) == []


def test_a_class_is_what_the_row_says_and_nothing_where_it_says_nothing() -> None:
    questions = [
        gold("?" * 50, kind="follow_up", documents=("a.md",)),
        gold("?" * 51, kind="follow_up", documents=("a.md", "b.md")),
        gold("?" * 101),
    ]
    assert classes_of(questions) == {
        "kind": ["follow_up", "follow_up", ""],
        "length": ["up to 50 characters", "up to 100 characters", "longer"],
        "document": ["a.md", "several", ""],
    }


def test_a_slice_says_how_many_questions_it_has_and_a_small_one_has_a_wide_interval() -> None:
    known = {"answers": ("18 weeks",)}
    questions = [gold(f"{at}?", kind="single_fact" if at < 30 else "follow_up", **known) for at in range(33)]

    class Found:
        def find(self, variant: str, question_id: str) -> Result:
            said = response("18 weeks." if question_id != "32?" else "No.")
            return Result(variant=variant, policy={}, question_id=question_id, question="q", seconds=1, response=said)

    slices = Findings(questions, read_variants(["one={}"]), Found()).report()["slices"]
    assert list(slices) == ["kind"], "all are as long, and no document is known"
    many, few = slices["kind"]
    assert (many["name"], many["questions"], many["measures"]["one"]["match"]) == ("single_fact", 30, 1)
    assert (few["name"], few["questions"]) == ("follow_up", 3)
    assert few["intervals"]["one"] == (pytest.approx(0.208, abs=1e-3), pytest.approx(0.939, abs=1e-3))
