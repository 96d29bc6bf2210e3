"""The languages of questions."""

from cli.lab.metrics.languages import OTHER, languages_of

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
