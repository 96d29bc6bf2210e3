"""The cost of a question, from its ledger."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.answers import AnswerResponse
from selfrag.question.compose_answer.logic import compose
from selfrag.question.compose_answer.task import ComposeAnswerTask
from tests.support import steps

STEPS = ["DecideRetrieval", "Retrieve", "GradeRelevance", "GradeSupport", "GradeUtility", "SearchWeb"]


def composed(*ledger: dict[str, Any]) -> AnswerResponse:
    given = {"id": "abc", "retrieval": {"decision": "yes", "reason": ""}, "ledger": list(ledger)}
    return compose(ComposeAnswerTask.model_validate(given), {}, console_links=False)


def test_the_path_names_the_steps_of_the_ledger_and_not_each_passage() -> None:
    ledger = [steps.entry("Retrieve", 0), *[steps.entry("GradeRelevance")] * 4, steps.entry("Generate", turn=6)]
    assert composed(*ledger).path == ["Retrieve", "GradeRelevance", "Generate"]


def test_call_without_reply_counts_as_call_without_tokens() -> None:
    lost = {"step": "Generate", "turn": 1, "error": "TemporarilyUnavailable", "attempts": 4}
    usage = composed(steps.entry("DecideRetrieval"), lost).usage
    assert (usage.model_calls, usage.rounds, usage.input_tokens) == (5, 2, 10)


def test_a_step_that_asked_two_models_names_both() -> None:
    judged = steps.entry("GradeSupport", 2)
    judged["calls"] = [{**judged["calls"][0], "model": model} for model in ("small", "strong")]
    assert composed(judged).usage.by_step["grade_support"].model == "small, strong"


def test_each_step_says_when_it_began_counted_from_the_first_call() -> None:
    began, later = steps.entry("DecideRetrieval"), steps.entry("Generate")
    for entry, at in ((began, 100.0), (later, 101.5)):
        entry["calls"] = [{**entry["calls"][0], "started_at": at, "ended_at": at + 2}]
    by_step = composed(later, began).usage.by_step
    assert {name: (step.started, step.seconds) for name, step in by_step.items()} == {
        "decide_retrieval": (0.0, 2.0),
        "generate": (1.5, 2.0),
    }


def test_parallel_graders_count_as_one_round_and_search_as_none() -> None:
    searched = [steps.entry("Retrieve", 0), steps.entry("GradeRelevance"), steps.entry("GradeRelevance")]
    judged = [steps.entry("GradeSupport", turn=3), steps.entry("GradeUtility", turn=3)]
    assert composed(*searched, *judged).usage.rounds == 2


def test_verdicts_from_the_cache_are_counted_and_cost_no_round() -> None:
    kept = steps.entry("GradeRelevance", 0, cached=True)
    usage = composed(kept, kept, steps.entry("Generate")).usage
    assert (usage.cached_verdicts, usage.model_calls, usage.rounds) == (2, 1, 1)


def test_unneeded_early_work_is_in_totals_and_reported_as_waste() -> None:
    needed, ahead = steps.entry("DecideRetrieval"), steps.entry("Generate", waste=True)
    usage = composed(needed, ahead).usage
    assert (usage.model_calls, usage.waste.model_calls) == (2, 1)
    assert usage.cost_usd == 2 * (usage.waste.cost_usd or 0)


def test_each_problem_is_warning_with_step_after_step_warnings() -> None:
    warned = steps.entry("Retrieve", 0, warnings=["Too many passages."])
    lost = {"step": "GradeSupport", "error": "Misconfigured"}
    assert composed(lost, warned, warned).usage.warnings == [
        "Too many passages.",
        "GradeSupport gave no result (Misconfigured).",
    ]


def test_the_flaw_of_a_reply_that_is_no_answer_is_its_problem() -> None:
    response = composed(steps.entry("Generate", error="refused"))
    assert (response.status, response.usage.warnings) == ("failed", ["Generate gave no result (refused)."])
    assert response.usage.model_calls == 1


def ledgers(*turns: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Ledgers of steps that ran in these turns."""
    entry = st.builds(
        lambda step, turn, asked, cached, lost: steps.entry(
            step, asked, turn=turn, cached=cached, attempts=asked + lost
        ),
        st.sampled_from(STEPS),
        st.sampled_from(turns),
        st.integers(0, 2),
        st.booleans(),
        st.integers(0, 3),
    )
    return st.lists(entry, max_size=8)


LEDGERS = ledgers(0, 1)


@given(LEDGERS, ledgers(3, 4))
def test_the_parts_before_and_after_an_answer_add_up_to_the_whole(
    before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    parts = [composed(*part) for part in (before, [steps.entry("Generate", turn=2)], after)]
    whole = composed(*before, steps.entry("Generate", turn=2), *after)
    assert whole.path == [step for part in parts for step in part.path]
    for field in ("model_calls", "rounds", "cached_verdicts", "input_tokens", "output_tokens"):
        assert getattr(whole.usage, field) == sum(getattr(part.usage, field) for part in parts), field


@given(LEDGERS)
def test_there_are_no_more_rounds_than_calls_and_no_more_replies(ledger: list[dict[str, Any]]) -> None:
    usage = composed(*ledger).usage
    assert usage.rounds <= usage.model_calls
    assert sum(step.calls for step in usage.by_step.values()) <= usage.model_calls
