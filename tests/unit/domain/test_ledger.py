"""The ledger: the path and the rounds that its entries make, and what of it was waste."""

from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.ledger import Entry, is_waste, path_of, rounds, turns
from tests.support import steps

STEPS = ["DecideRetrieval", "Retrieve", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility", "RewriteQuestion"]
TAKEN = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(STEPS))).map(sorted)


def entry(turn: int, step: str, asked: int = 1) -> Entry:
    return Entry.model_validate({**steps.entry(step, asked), "turn": turn})


def test_path_keeps_repeats_and_lists_grading_once_per_search() -> None:
    taken = [(0, "Retrieve"), (1, "Retrieve"), *[(1, "GradeRelevance")] * 4, (2, "RewriteQuestion"), (3, "Retrieve")]
    assert path_of(taken) == ["Retrieve", "Retrieve", "GradeRelevance", "RewriteQuestion", "Retrieve"]


def test_concurrent_steps_have_a_stable_order() -> None:
    first = [(0, step) for step in ("Generate", "GradeRelevance", "Retrieve", "DecideRetrieval", "Generate")]
    judged = [(1, step) for step in ("RewriteQuestion", "GradeUtility", "GradeSupport")]
    assert path_of(first + judged) == [
        "DecideRetrieval", "Retrieve", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility", "RewriteQuestion",
    ]  # fmt: skip


def test_path_omits_fetching_earlier_answer_and_handling_response() -> None:
    names = ["RecallAnswer", "DecideRetrieval", "Generate", "GradeUtility", "ComposeAnswer", "RememberAnswer"]
    assert path_of(enumerate(names)) == ["DecideRetrieval", "Generate", "GradeUtility"]


def test_concurrent_calls_are_one_round_and_searches_none() -> None:
    drafted = [entry(0, step) for step in ("DecideRetrieval", "GradeRelevance", "GradeRelevance", "Generate")]
    assert rounds([entry(0, "Retrieve", 0), *drafted]) == 1
    assert rounds([entry(0, "Retrieve", 0), *drafted, entry(5, "GradeSupport"), entry(5, "GradeUtility")]) == 2


def item(first: int, *names: str) -> list[Entry]:
    """Return the sequential ledger entries of one item of a Map."""
    return [entry(first + place, name) for place, name in enumerate(names)]


def test_map_items_run_in_parallel_and_steps_within_item_in_sequence() -> None:
    first, last = item(2, "GradeRelevance", "Generate", "GradeSupport"), entry(4, "GradeUtility")
    ledger = [entry(0, "DecideRetrieval"), entry(1, "Retrieve", 0), *first, last, *item(2, "GradeRelevance"), *first]
    assert rounds(ledger) == 4
    assert path_of((one.turn, one.step) for one in ledger) == [
        "DecideRetrieval", "Retrieve", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility",
    ]  # fmt: skip


def test_each_level_of_a_tree_takes_rounds_of_its_own() -> None:
    names = ["DecideRetrieval", "GradeRelevance", "Generate", "GradeSupport"]
    level = [*item(5, *names), *item(5, *names)]
    assert rounds([*item(1, *names[1:]), *item(1, *names[1:]), *level]) == 7


def test_a_step_that_asks_one_model_after_another_takes_as_many_rounds() -> None:
    assert rounds([entry(0, "GradeSupport", 2), entry(0, "GradeUtility")]) == 2


def test_a_step_that_asked_and_got_no_reply_took_a_round() -> None:
    assert rounds([Entry(step="Generate", attempts=4)]) == 1


def test_a_query_that_was_prepared_is_waste_unless_it_was_searched() -> None:
    prepared = Entry(step="RewriteQuestion", prepared=True, query="annual leave")
    assert not is_waste(prepared, ["How many days?", "annual leave"])
    assert is_waste(prepared, ["How many days?"])
    assert not is_waste(Entry(step="RewriteQuestion", query="annual leave"), [])


@given(TAKEN)
def test_turns_lose_no_entry_and_keep_the_order(taken: list[tuple[int, str]]) -> None:
    ledger = [entry(turn, step) for turn, step in taken]
    assert [one for together in turns(ledger[::-1]) for one in together[::-1]] == ledger
    assert len({turn for turn, _ in taken}) == rounds(ledger) <= len(path_of(taken))
