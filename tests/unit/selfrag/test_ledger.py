"""The ledger: the path and the rounds that its entries make."""

from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.ledger import Entry, path_of, rounds

STEPS = ["DecideRetrieval", "Retrieve", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility", "RewriteQuestion"]


def entries(*steps: str) -> list[Entry]:
    return [Entry(step=step) for step in steps]


def test_a_path_keeps_its_repeats_and_has_the_grading_of_one_search_once() -> None:
    steps = ["Retrieve", "Retrieve", *["GradeRelevance"] * 4, "RewriteQuestion", "Retrieve", *["GradeRelevance"] * 2]
    assert path_of(steps) == [
        "Retrieve", "Retrieve", "GradeRelevance", "RewriteQuestion", "Retrieve", "GradeRelevance",
    ]  # fmt: skip


def test_graders_at_the_same_time_stand_in_one_order_whichever_began_first() -> None:
    assert path_of(["Generate", "GradeUtility", "GradeSupport", "Generate", "GradeSupport", "GradeUtility"]) == [
        "Generate", "GradeSupport", "GradeUtility", "Generate", "GradeSupport", "GradeUtility",
    ]  # fmt: skip


def test_what_fetches_an_earlier_answer_or_handles_the_response_is_not_in_the_path() -> None:
    steps = ["RecallAnswer", "DecideRetrieval", "Generate", "GradeUtility", "ComposeAnswer", "RememberAnswer"]
    assert path_of(steps) == ["DecideRetrieval", "Generate", "GradeUtility"]


def test_what_runs_at_the_same_time_is_one_round() -> None:
    ledger = entries("DecideRetrieval", "GradeRelevance", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility")
    assert [len(together) for together in rounds(ledger)] == [1, 2, 1, 2]


@given(st.lists(st.sampled_from(STEPS)))
def test_rounds_lose_no_entry_and_keep_the_order(steps: list[str]) -> None:
    ledger = entries(*steps)
    assert [entry for together in rounds(ledger) for entry in together] == ledger
    assert len(path_of(steps)) >= len(list(rounds(ledger)))
