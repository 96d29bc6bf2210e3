"""What a question comes to where an answer is of little use, lacks something, or follows another."""

from typing import Any

import pytest

from selfrag.plan.reports import NO_VERDICT
from tests.support import steps
from tests.workflow.asking import ANSWER, ASKED, SEARCH, ahead, run

LITTLE = steps.utility(2)
FULL, PARTLY, NONE = map(steps.support, ("fully_supported", "partially_supported", "no_support"))


def lacking(text: str = "25 days.") -> dict[str, Any]:
    """Return an answer that says what the documents do not hold."""
    return {**steps.answer(text), "not_said": ["The documents do not say what is carried over."]}


@pytest.mark.parametrize("speculate", ["off", "draft", "full"])
@pytest.mark.parametrize("lacks", [False, True])
@pytest.mark.parametrize("support", [FULL, PARTLY])
def test_little_use_for_ever_ends_within_nine_rounds_and_twenty_calls(
    speculate: str, lacks: bool, support: dict[str, Any], record_property: Any
) -> None:
    script: dict[str, Any] = {"grade_support": [support], "grade_utility": [steps.utility(1)]}
    response, _ = run(ahead(speculate), generate=[lacking() if lacks else steps.answer()], **script)
    usage = response["usage"]
    record_property("figures", f"{speculate}: {usage['model_calls']} calls, {usage['rounds']} rounds")
    assert response["status"] == "partial"
    assert (usage["rounds"] <= 9, usage["model_calls"] <= 20) == (True, True)
    assert any("little use" in warning for warning in usage["warnings"])


def test_of_two_answers_of_little_use_the_better_one_goes_out() -> None:
    response, _ = run(
        generate=[steps.answer("The first."), steps.answer("The second.")],
        grade_support=[FULL, PARTLY],
        grade_utility=[LITTLE, steps.utility(1)],
    )
    assert (response["status"], response["answer"]) == ("partial", "The first.")


def test_one_answer_of_little_use_is_no_answer() -> None:
    response, _ = run(
        grade_utility=[LITTLE], rewrite_question=[steps.rewrite("", new=False)], web_search=[steps.found()]
    )
    assert response["status"] != "answered"


@pytest.mark.parametrize("use", [None, 5, 1])
def test_an_answer_without_support_ends_no_question_while_a_search_is_left_whatever_its_use(use: int | None) -> None:
    response, scripted = run(grade_support=[NONE], grade_utility=[steps.utility(use)])
    assert response["status"] == "abstained"
    assert (scripted.count("rewrite_question"), scripted.count("search_web")) == (2, 1)


def test_after_the_search_for_what_an_answer_lacks_other_queries_are_tried_where_the_web_is_not() -> None:
    response, scripted = run(
        {**ASKED, "policy": {**ASKED["policy"], "web_search": False}}, grade_support=[NONE], generate=[lacking()]
    )
    assert response["status"] == "abstained"
    assert scripted.count("rewrite_question") == 2


def test_what_an_answer_lacks_is_searched_for_and_no_query_is_prepared_beside_its_judges() -> None:
    response, scripted = run(ahead("full"), generate=[lacking(), steps.answer()])
    assert response["queries"] == ["How many days?", "The documents do not say what is carried over."]
    assert scripted.count("rewrite_question") <= 1
    assert response["status"] == "answered"


@pytest.mark.parametrize("decision", ["yes", "no", "continue"])
def test_the_first_search_of_a_follow_up_is_worded_so_that_it_stands_alone(decision: str) -> None:
    worded = steps.retrieval(decision)
    worded["verdict"]["query"] = "How many days in May?"
    nothing = steps.answer(is_found=False)
    response, scripted = run(
        {**ASKED, "previous": "earlier"},
        steps.earlier("e1"),
        decide_retrieval=[worded],
        # The evidence is gone, and there is no answer without a search.
        retrieve=[lambda event: steps.found(*([] if event["passage_ids"] else ["a"]))],
        generate=[lambda event: nothing if event["mode"] == "direct" else steps.answer(cites="a")],
    )
    searched = [event["queries"] for event in scripted.events_of("retrieve") if not event["passage_ids"]]
    assert searched == [["How many days in May?"]]
    assert response["status"] == "answered"
    assert response["path"][-5:] == [*SEARCH, *ANSWER]


def test_a_judge_of_use_that_was_lost_is_named_as_the_reason_for_want_of_a_verdict() -> None:
    response, _ = run(ahead("off"), grade_utility=[RuntimeError("lost")])
    assert response["reflection"]["utility"] == {
        "score": None, "reason": NO_VERDICT, "cached": False, "judged_by": "model",
    }  # fmt: skip
