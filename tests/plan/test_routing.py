"""The plan's reaction to answers of little use, incomplete answers and follow-ups."""

from typing import Any

import pytest

from selfrag.plan.reports import NO_VERDICT
from tests.support import steps
from tests.workflow.asking import ANSWER, ASKED, SEARCH, ahead, run

LITTLE = steps.utility(2)
FULL, PARTLY, NONE = map(steps.support, ("fully_supported", "partially_supported", "no_support"))


def lacking(text: str = "25 days.") -> dict[str, Any]:
    """Return an answer that names a gap in the documents."""
    return {**steps.answer(text), "not_said": ["The documents do not say what is carried over."]}


@pytest.mark.parametrize("speculate", ["off", "draft", "full"])
@pytest.mark.parametrize("lacks", [False, True])
@pytest.mark.parametrize("support", [FULL, PARTLY])
def test_little_use_for_ever_ends_within_nine_rounds_and_twenty_one_calls(
    speculate: str, lacks: bool, support: dict[str, Any], record_property: Any
) -> None:
    script: dict[str, Any] = {"grade_support": [support], "grade_utility": [steps.utility(1)]}
    response, _ = run(ahead(speculate), generate=[lacking() if lacks else steps.answer()], **script)
    usage = response["usage"]
    record_property("figures", f"{speculate}: {usage['model_calls']} calls, {usage['rounds']} rounds")
    assert response["status"] == "partial"
    assert (usage["rounds"] <= 9, usage["model_calls"] <= 21) == (True, True)
    assert any("little use" in warning for warning in usage["warnings"])


def test_better_one_of_two_answers_of_little_use_is_returned() -> None:
    response, _ = run(
        generate=[steps.answer("The first."), steps.answer("The second.")],
        grade_support=[FULL, PARTLY],
        grade_utility=[LITTLE, steps.utility(1)],
    )
    assert (response["status"], response["answer"]) == ("partial", "The first.")


@pytest.mark.parametrize("support", [FULL, PARTLY])
def test_supported_answer_of_low_utility_is_partial_with_reason(support: dict[str, Any]) -> None:
    nothing = {"rewrite_question": [steps.rewrite("", new=False)], "search_web": [steps.found()]}
    response, _ = run(grade_support=[support], grade_utility=[LITTLE], **nothing)
    assert (response["status"], response["answer"]) == ("partial", "25 days.")
    assert any("little use: 2 of 5" in warning for warning in response["usage"]["warnings"])


def test_an_answer_of_little_use_without_support_is_not_returned() -> None:
    response, _ = run(grade_support=[NONE], grade_utility=[LITTLE])
    assert response["status"] == "abstained"


@pytest.mark.parametrize("use", [None, 1])
def test_an_answer_without_support_ends_no_question_while_new_evidence_is_found(use: int | None) -> None:
    response, scripted = run(grade_support=[NONE], grade_utility=[steps.utility(use)])
    assert response["status"] == "abstained"
    assert (scripted.count("rewrite_question"), scripted.count("search_web")) == (2, 1)


@pytest.mark.parametrize(("lacks", "web", "searches"), [(False, True, 1), (False, False, 1), (True, False, 2)])
def test_two_answers_without_support_from_the_same_evidence_end_the_search(
    lacks: bool, web: bool, searches: int
) -> None:
    request = {**ASKED, "policy": {**ASKED["policy"], "web_search": web}}
    response, scripted = run(request, grade_support=[NONE], generate=[lacking() if lacks else steps.answer()])
    assert (response["status"], scripted.count("retrieve")) == ("abstained", searches)
    assert (scripted.count("search_web"), "twice from the same" in str(response["passes"])) == (int(web), True)


def test_a_repair_of_an_unsupported_answer_may_still_pass() -> None:
    response, _ = run(grade_support=[NONE, FULL], generate=from_passages(steps.answer("30 days."), MENDED))
    assert (response["status"], response["answer"]) == ("answered", MENDED["answer"])


def test_a_verdict_that_counts_again_is_no_second_failure() -> None:
    rewrite = [steps.rewrite("", new=False)]
    response, scripted = run(grade_support=[NONE, FULL], generate=[lacking(), MENDED], rewrite_question=rewrite)
    assert (response["answer"], scripted.count("retrieve")) == (MENDED["answer"], 1)


MENDED = steps.answer("25 days, 5 of them carried over.")


def from_passages(*answers: dict[str, Any]) -> list[Any]:
    """Script answers from passages in this order; the answer without documents may be written concurrently."""
    scripted = iter(answers)
    return [lambda event: steps.answer() if event["mode"] == "direct" else next(scripted)]


@pytest.mark.parametrize("speculate", ["off", "draft", "full"])
def test_missing_phrase_from_writer_becomes_query_without_paid_rewrite(speculate: str) -> None:
    phrased = {**lacking(), "missing": ["days carried over"]}
    response, scripted = run(ahead(speculate), generate=from_passages(phrased, MENDED))
    assert response["queries"] == ["How many days?", "days carried over"]
    assert (scripted.count("rewrite_question"), response["status"]) == (0, "answered")
    assert (response["not_said"], response["answer"]) == ([], "25 days, 5 of them carried over.")


@pytest.mark.parametrize("speculate", ["off", "draft", "full"])
def test_gap_without_a_phrase_gets_a_generated_query(speculate: str) -> None:
    response, scripted = run(ahead(speculate), generate=from_passages(lacking(), MENDED))
    assert response["queries"] == ["How many days?", "query 1"]
    (asked,) = scripted.events_of("rewrite_question")
    assert asked["not_said"] == ["The documents do not say what is carried over."]
    assert [passage["passage_id"] for passage in asked["passages"]] == [f"p1-{n}" for n in range(4)]
    assert response["status"] == "answered"


def test_searches_for_what_is_missing_count_as_rewrites_and_end_without_progress() -> None:
    def lacks(number: int) -> dict[str, Any]:
        return {**lacking(f"{number} days."), "missing": [f"phrase {number}"]}

    response, scripted = run(generate=[lacks(number) for number in range(6)])
    assert response["queries"] == ["How many days?", "phrase 0", "phrase 1"]
    assert (scripted.count("rewrite_question"), response["status"]) == (0, "answered")
    none, _ = run({**ASKED, "policy": {**ASKED["policy"], "max_rewrites": 0}}, generate=[lacks(0), lacks(1)])
    assert none["queries"] == ["How many days?"]
    stuck, _ = run(generate=[lacks(0)])
    assert stuck["queries"] == ["How many days?", "phrase 0"]


def test_more_complete_one_of_equal_answers_is_returned_with_its_reason() -> None:
    fuller = steps.answer("25 days, 5 of them carried over.")
    response, _ = run(generate=[{**lacking(), "missing": ["carried over"]}, fuller])
    assert (response["answer"], response["not_said"]) == ("25 days, 5 of them carried over.", [])
    assert (
        response["passes"][-1]["why"] == "Fully supported (1 of 1 claim), of use 5 of 5 (3 asked for): it is returned."
    )


def test_equal_answers_are_ranked_by_supported_claims() -> None:
    two = steps.support("fully_supported")
    two["verdict"]["claims"] = [{**two["verdict"]["claims"][0], "claim": f"claim {number}"} for number in range(2)]
    first = {**lacking("Two facts."), "missing": ["more"]}
    response, _ = run(generate=[first, {**lacking("One fact."), "missing": ["more"]}], grade_support=[two, FULL])
    assert (response["answer"], len(response["not_said"])) == ("Two facts.", 1)
    why = response["passes"][-1]["why"]
    assert "the best answer so far is returned: Fully supported (2 of 2 claims)" in why


def test_lower_scored_evidence_does_not_demote_fuller_answer() -> None:
    def graded(event: dict[str, Any]) -> dict[str, Any]:
        verdict = steps.relevance(event["passage"]["passage_id"], "relevant")
        verdict["verdict"]["score"] = 0.9 if event["passage"]["passage_id"].startswith("p1") else 0.6
        return verdict

    fuller = steps.answer("25 days, 5 of them carried over.")
    response, _ = run(generate=[{**lacking(), "missing": ["carried over"]}, fuller], grade_relevance=[graded])
    assert response["answer"] == "25 days, 5 of them carried over."


def test_a_later_search_leaves_out_what_earlier_ones_brought_copies_included() -> None:
    def searched(event: dict[str, Any]) -> dict[str, Any]:
        number = len(event["seen"])
        return {**steps.found(f"p{number}"), "folded": [f"copy of p{number}"]}

    _, scripted = run(retrieve=[searched], grade_utility=[LITTLE, steps.utility(5)])
    assert [event["seen"] for event in scripted.events_of("retrieve")] == [[], ["p0", "copy of p0"]]


def test_standalone_query_is_searched_before_a_rewrite() -> None:
    worded = steps.retrieval("continue")
    worded["verdict"]["query"] = "How many days in May?"
    nothing = steps.answer(is_found=False)
    response, scripted = run(
        {**ASKED, "previous": "earlier"},
        steps.earlier("e1"),
        decide_retrieval=[worded],
        retrieve=[lambda event: steps.found(*(event["passage_ids"] or ["a"]))],
        generate=[nothing, steps.answer(cites="a")],
    )
    assert (response["queries"], scripted.count("rewrite_question")) == (["How many days in May?"], 0)
    assert response["status"] == "answered"


@pytest.mark.parametrize("decision", ["yes", "no", "continue"])
def test_first_search_of_follow_up_uses_standalone_query(decision: str) -> None:
    worded = steps.retrieval(decision)
    worded["verdict"]["query"] = "How many days in May?"
    nothing = steps.answer(is_found=False)
    response, scripted = run(
        {**ASKED, "previous": "earlier"},
        steps.earlier("e1"),
        decide_retrieval=[worded],
        # The passages no longer exist, and no answer is possible without a search.
        retrieve=[lambda event: steps.found(*([] if event["passage_ids"] else ["a"]))],
        generate=[lambda event: nothing if event["mode"] == "direct" else steps.answer(cites="a")],
    )
    searched = [event["queries"] for event in scripted.events_of("retrieve") if not event["passage_ids"]]
    assert searched == [["How many days in May?"]]
    assert response["status"] == "answered"
    assert response["path"][-5:] == [*SEARCH, *ANSWER]


def test_missing_utility_verdict_is_named_as_the_reason() -> None:
    response, _ = run(ahead("off"), grade_utility=[RuntimeError("lost")])
    assert response["reflection"]["utility"] == {
        "score": None, "reason": NO_VERDICT, "cached": False, "judged_by": "model", "model": "",
    }  # fmt: skip


def counting(**more: Any) -> dict[str, Any]:
    """Return the decision on a question that asks for a count."""
    decided = steps.retrieval("yes")
    return {**decided, "verdict": {**decided["verdict"], "aggregate": True, **more}}


@pytest.mark.parametrize("strategy", ["self_rag", "adaptive", "candidates", "segments"])
@pytest.mark.parametrize(("hits", "words"), [(102, "4 of 102 full-text hits"), (None, "4 passages")])
def test_count_over_documents_is_answered_as_selection_with_total(strategy: str, hits: int | None, words: str) -> None:
    def searched(event: dict[str, Any]) -> dict[str, Any]:
        return {**steps.found(*(f"p{n}" for n in range(event["top_k"]))), "text_hits": hits}

    policy = {**ASKED["policy"], "strategy": strategy, "top_k": 4}
    response, _ = run(
        {**ASKED, "policy": policy}, decide_retrieval=[counting(), steps.retrieval("complete")], retrieve=[searched]
    )
    assert (response["complete"], response["selection"]["passages"]) == (False, 4)
    assert response["selection"]["text_hits"] == hits
    assert words in response["selection"]["note"]
    assert response["selection"]["note"] in response["usage"]["warnings"]
    assert response["reflection"]["support"]["level"] == "fully_supported"
    assert response["reflection"]["retrieve"]["aggregate"] is True


def test_other_answers_are_complete_and_an_abstention_is_no_selection() -> None:
    response, _ = run()
    assert (response["complete"], response["selection"]) == (True, None)
    abstained, _ = run(decide_retrieval=[counting()], grade_support=[NONE])
    assert (abstained["status"], abstained["complete"], abstained["selection"]) == ("abstained", True, None)


def test_a_citation_that_issup_contradicts_is_repaired_counted_and_returned_so() -> None:
    checked = {**FULL, "answer": "25 days.", "repaired": 1, "citations": steps.answer(cites="p1-2")["citations"]}
    response, scripted = run(generate=[steps.answer(cites="p1-3")], grade_support=[checked])
    assert [citation["passage_id"] for citation in response["citations"]] == ["p1-2"]
    assert (response["status"], response["usage"]["repaired_citations"]) == ("answered", 1)
    (event,) = scripted.events_of("grade_support")
    assert [citation["passage_id"] for citation in event["citations"]] == ["p1-3"]


@pytest.mark.parametrize("strategy", ["self_rag", "candidates"])
def test_an_answer_that_cites_nothing_is_partial_and_says_so(strategy: str) -> None:
    bare = {**steps.answer("25 days. [uncited]"), "citations": []}
    response, _ = run({**ASKED, "policy": {**ASKED["policy"], "strategy": strategy}}, generate=[bare])
    assert (response["status"], response["citations"]) == ("partial", [])
    assert "No sentence of the answer cites a passage." in response["usage"]["warnings"]


def test_candidate_answer_lists_unsaid_facts_in_field() -> None:
    response, _ = run({**ASKED, "policy": {**ASKED["policy"], "strategy": "candidates"}}, generate=[lacking()])
    assert response["not_said"] == ["The documents do not say what is carried over."]


def test_question_ending_without_retry_tells_which_earlier_answer_is_returned() -> None:
    response, _ = run(
        generate=[steps.answer("The first."), steps.answer(is_found=False)],
        grade_support=[PARTLY],
        grade_utility=[LITTLE],
        grade_relevance=[lambda e: steps.relevance(e["passage"]["passage_id"], "relevant")] * 4
        + [lambda e: steps.relevance(e["passage"]["passage_id"], "irrelevant")],
    )
    assert (response["status"], response["answer"]) == ("partial", "The first.")
    assert "Partly supported (1 of 2 claims), of use 2 of 5" in response["passes"][-1]["why"]
