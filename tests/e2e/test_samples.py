"""The sample questions, asked of the sample handbook."""

from tests.support.command import ROOT, Command


def test_the_sample_questions_are_answered_by_the_stand_in_for_nothing(read: Command) -> None:
    questions = str(ROOT / "cli" / "selfrag_cli" / "sample" / "questions.jsonl")
    # A machine that has much else to do may not make the usual deadline.
    report = read("eval", questions, "--variant", 'patient={"deadline_seconds": 240}', "--json").response
    measures = report["variants"][0]["measures"]
    assert report["compared"] == 10
    assert measures["usd"] == 0
    assert measures["abstention_recall"] == 1
    assert measures["match"] >= 0.7
