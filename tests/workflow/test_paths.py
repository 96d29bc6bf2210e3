"""The paths of the workflow, by name, through the real definition in the emulator."""

import time
from typing import Any

import boto3
import pytest

from selfrag.api.logic import unfinished
from selfrag.domain.errors import BudgetExceeded, RequestRejected, TemporarilyUnavailable
from selfrag.domain.history import steps_of
from tests.support import steps
from tests.support.aws.resources import TABLES
from tests.support.aws.stack import running_stack
from tests.support.steps import Scripted
from tests.workflow.asking import ANSWER, ASKED, NONE, SEARCH, SOME, ahead, executed, run


def test_the_happy_path_takes_four_rounds_and_eight_calls() -> None:
    response, _ = run()
    assert response["path"] == ["DecideRetrieval", *SEARCH, *ANSWER]
    assert (response["status"], response["usage"]["rounds"], response["usage"]["model_calls"]) == ("answered", 4, 8)
    assert response["queries"] == ["How many days?"]
    assert len(response["reflection"]["relevance"]) == 4


def test_logged_execution_link_begins_at_execution_start() -> None:
    before = time.time()
    _, scripted = run()
    [given] = scripted.events_of("compose_answer")
    assert before - 1 < given["began_ms"] / 1000 < time.time() + 1


def test_no_search_takes_three_rounds() -> None:
    response, _ = run(decide_retrieval=[steps.retrieval("no")])
    assert response["path"] == ["DecideRetrieval", "Generate", "GradeUtility"]
    assert (response["usage"]["rounds"], response["queries"]) == (3, [])


def test_a_direct_answer_of_little_use_is_searched_for_after_all() -> None:
    response, scripted = run(
        decide_retrieval=[steps.retrieval("no")], grade_utility=[steps.utility(2), steps.utility(5)]
    )
    assert response["path"] == ["DecideRetrieval", "Generate", "GradeUtility", *SEARCH, *ANSWER]
    assert [event["mode"] for event in scripted.events_of("generate")] == ["direct", "grounded"]
    assert response["status"] == "answered"


def test_irrelevant_results_lead_to_another_query() -> None:
    response, _ = run(grade_relevance=[NONE, NONE, NONE, NONE, SOME])
    assert response["path"] == ["DecideRetrieval", *SEARCH, "RewriteQuestion", *SEARCH, *ANSWER]
    assert (response["status"], response["queries"]) == ("answered", ["How many days?", "query 1"])
    assert response["usage"]["rounds"] == 6


def test_two_searches_in_a_row_with_nothing_relevant_end_the_rewriting() -> None:
    response, _ = run(grade_relevance=[NONE], search_web=[steps.found()])
    assert response["path"] == ["DecideRetrieval", *SEARCH, "RewriteQuestion", *SEARCH, "SearchWeb"]
    assert response["status"] == "abstained"
    assert response["answer"].startswith("Not found in the documents.")


def test_abstention_shows_nearest_passages_even_after_web_search() -> None:
    response, _ = run(grade_relevance=[NONE])
    assert (response["status"], response["path"][-1]) == ("abstained", "GradeRelevance")
    first = [one["passage_id"] for one in response["reflection"]["relevance"]][:3]
    assert [one["passage_id"] for one in response["nearest"]] == first


@pytest.mark.parametrize("strategy", ["self_rag", "naive", "corrective", "adaptive"])
@pytest.mark.parametrize("speculate", ["off", "draft", "full"])
def test_unmatched_filters_are_named_as_reason_by_every_strategy(strategy: str, speculate: str) -> None:
    policy = {**ASKED["policy"], "strategy": strategy, "speculate": speculate}
    filtered = {**ASKED, "policy": policy, "filters": {"tags": ["no such"]}}
    response, _ = run(filtered, retrieve=[steps.found()], search_web=[steps.found()])
    assert response["answer"].startswith("No document meets the filters.")


def test_passage_with_failed_grader_is_still_named_by_document() -> None:
    response, _ = run(grade_relevance=[RequestRejected("too long")], search_web=[steps.found()])
    verdicts = {(verdict["label"], verdict["document"]) for verdict in response["reflection"]["relevance"]}
    assert (response["status"], verdicts) == ("failed", {("ungraded", "people/leave.md")})


def test_the_web_is_the_last_resort_and_is_graded() -> None:
    response, scripted = run(grade_relevance=[NONE] * 8 + [SOME])
    assert response["path"][-6:] == ["RewriteQuestion", *SEARCH, "SearchWeb", "GradeRelevance", *ANSWER][-6:]
    assert response["status"] == "answered"
    assert [p["passage_id"] for p in scripted.events_of("generate")[0]["passages"]] == ["w0", "w1", "w2", "w3"]


def test_without_the_web_nothing_found_is_said_so() -> None:
    response, scripted = run({**ASKED, "policy": {"web_search": False}}, grade_relevance=[NONE])
    assert (response["status"], scripted.count("search_web")) == ("abstained", 0)


def test_contradicted_answer_is_repaired() -> None:
    response, scripted = run(grade_support=[steps.support("no_support"), steps.support("fully_supported")])
    assert response["path"] == ["DecideRetrieval", *SEARCH, *ANSWER, *ANSWER]
    assert scripted.events_of("generate")[1]["failed_claims"] == ["claim 0"]
    assert response["status"] == "answered"


def test_gap_is_searched_in_documents_and_web_and_the_answer_repaired() -> None:
    response, scripted = run(grade_support=[steps.missing("carry-over"), steps.support("fully_supported")])
    assert response["path"] == [
        "DecideRetrieval", *SEARCH, *ANSWER, "Retrieve", "SearchWeb", "GradeRelevance", *ANSWER
    ]  # fmt: skip
    assert scripted.events_of("retrieve")[1]["queries"] == ["carry-over"]
    assert scripted.events_of("search_web")[0]["query"] == "carry-over"
    mended = scripted.events_of("generate")[1]
    assert (mended["failed_claims"], len(mended["passages"])) == (["claim 1"], 12)
    assert (response["status"], response["queries"]) == ("answered", ["How many days?", "carry-over"])


def test_claims_without_evidence_are_removed_from_the_answer() -> None:
    response, scripted = run(
        grade_support=[steps.missing(), steps.support("fully_supported")], grade_relevance=[SOME] * 4 + [NONE]
    )
    assert response["path"] == [
        "DecideRetrieval", *SEARCH, *ANSWER, "Retrieve", "SearchWeb", "GradeRelevance", *ANSWER
    ]  # fmt: skip
    assert [p["passage_id"] for p in scripted.events_of("generate")[1]["passages"]] == [f"p1-{n}" for n in range(4)]
    assert response["status"] == "answered"


def test_gap_is_searched_for_once() -> None:
    response, scripted = run(grade_support=[lambda e: steps.missing(f"more than {len(e['passages'])}")])
    assert (scripted.count("retrieve"), scripted.count("search_web"), scripted.count("generate")) == (2, 1, 3)
    assert response["status"] == "partial"


def test_two_unsupported_answers_from_same_evidence_leave_only_web_search() -> None:
    response, scripted = run(grade_support=[steps.support("no_support")])
    web = ["SearchWeb", "GradeRelevance", *ANSWER]
    assert response["path"] == ["DecideRetrieval", *SEARCH, *ANSWER, *ANSWER, *web]
    assert (len(response["queries"]), scripted.count("search_web")) == (1, 1)
    assert response["status"] == "abstained"


def test_evidence_of_all_searches_stays_and_no_passage_is_graded_twice() -> None:
    _, scripted = run(grade_utility=[steps.utility(2), steps.utility(5)])
    evidence = [p["passage_id"] for p in scripted.events_of("generate")[-1]["passages"]]
    assert evidence == [*(f"p1-{n}" for n in range(4)), *(f"p2-{n}" for n in range(4))]
    graded = [event["passage"]["passage_id"] for event in scripted.events_of("grade_relevance")]
    assert len(graded) == len(set(graded)) == 8


def test_the_same_passages_again_are_no_progress() -> None:
    same = steps.found("a", "b")
    response, scripted = run(
        {**ASKED, "policy": {"web_search": False}}, retrieve=[same], grade_utility=[steps.utility(2)]
    )
    assert (scripted.count("retrieve"), scripted.count("rewrite_question")) == (2, 1)
    assert (response["status"], response["answer"]) == ("partial", "25 days.")


def test_a_query_that_was_tried_is_no_progress() -> None:
    _, scripted = run(
        grade_relevance=[NONE], rewrite_question=[steps.rewrite("", new=False)], search_web=[steps.found()]
    )
    assert (scripted.count("retrieve"), scripted.count("search_web")) == (1, 1)


def test_the_best_answer_so_far_goes_out_when_nothing_is_left() -> None:
    response, _ = run(
        {**ASKED, "policy": {"max_rewrites": 0, "web_search": False}},
        generate=[steps.answer("The better one."), steps.answer("The worse one.")],
        grade_support=[steps.support("partially_supported"), steps.support("no_support")],
    )
    assert (response["status"], response["answer"]) == ("partial", "The better one.")


def test_the_policys_threshold_reaches_the_step_that_decides_by_it() -> None:
    _, scripted = run({**ASKED, "policy": {**ASKED["policy"], "relevance_threshold": 0.3}})
    assert {event["relevance_threshold"] for event in scripted.events_of("grade_relevance")} == {0.3}


@pytest.mark.parametrize("step", ["retrieve", "search_web"])
@pytest.mark.parametrize("error", [TemporarilyUnavailable("busy"), KeyError("a bug")], ids=["busy", "bug"])
def test_steps_without_a_model_fail_into_an_honest_end_too(step: str, error: Exception) -> None:
    script: dict[str, list[Any]] = {step: [error]}
    if step == "search_web":
        script["grade_relevance"] = [NONE]
    response, scripted = run(**script)
    attempts = {"retrieve": 7}.get(step, 4)
    assert scripted.count(step) == (attempts if isinstance(error, TemporarilyUnavailable) else 1)
    assert response["status"] == ("abstained" if step == "search_web" else "failed")
    assert any(step.title().replace("_", "") in w for w in response["usage"]["warnings"])
    assert set(response) == {
        "id", "status", "question", "answer", "notice", "citations", "not_said", "complete", "selection", "nearest",
        "reflection", "path", "passes", "queries", "usage", "execution", "scores",
    }  # fmt: skip


@pytest.mark.parametrize("error", [TemporarilyUnavailable("busy"), KeyError("a bug")], ids=["busy", "bug"])
def test_failed_composition_fails_the_execution_and_is_overdue(error: Exception) -> None:
    with running_stack({}, {}, handlers=Scripted(compose_answer=[error]).handlers(), pause=lambda s: None) as stack:
        execution = stack.execute(ASKED, "my-question")
        table, key = TABLES["answers_table"][0], {"id": {"S": "my-question"}}
        kept = boto3.client("dynamodb").get_item(TableName=table, Key=key)["Item"]
    # Without a response, and overdue: a look shows the execution's end.
    assert kept.keys() == {"id", "question", "collections", "request", "due_at", "expires_at"}
    assert kept["question"] == {"S": ASKED["question"]}
    assert (kept["collections"], int(kept["due_at"]["N"]) <= time.time()) == ({"L": [{"S": "c"}]}, True)
    assert execution.output is None
    assert execution.error == (
        f"ComposeFailed: The response to question my-question could not be composed ({type(error).__name__}); "
        "its trace shows how far it came."
    )
    view = unfinished(execution.id, "failed", steps_of(execution.history))
    assert (view.status, view.path) == ("failed", ["DecideRetrieval", *SEARCH, *ANSWER])
    assert view.trace
    composing = view.trace[-2]
    assert (composing.state, composing.error) == ("ComposeAnswer", type(error).__name__)


@pytest.mark.parametrize(
    "script",
    [
        {},
        {"decide_retrieval": [steps.retrieval("no")], "grade_utility": [steps.utility(2), steps.utility(5)]},
        {"grade_support": [steps.support("partially_supported")] * 2 + [steps.support("fully_supported")]},
        {"grade_relevance": [NONE], "search_web": [steps.found()]},
    ],
    ids=["straight", "direct, then searched", "repaired, then searched again", "nothing found"],
)
def test_running_question_path_equals_its_response_path(script: dict[str, list[Any]]) -> None:
    execution, _ = executed(**script)
    assert execution.output is not None
    history = steps_of(execution.history)
    assert unfinished("a", "running", history).path == execution.output["path"]


def test_the_policys_bounds_are_kept() -> None:
    policy = {"max_rewrites": 1, "max_regenerations": 0, "top_k": 2, "web_search": False}
    response, scripted = run(ahead("off", **policy), grade_utility=[steps.utility(2)])
    assert scripted.count("rewrite_question") == 1
    assert scripted.count("generate") == 2
    assert len(response["reflection"]["relevance"]) == 4


def test_without_tries_and_web_missing_evidence_is_not_searched_for() -> None:
    policy = {"max_rewrites": 0, "web_search": False}
    response, _ = run(ahead("off", **policy), grade_support=[steps.missing(), steps.support("fully_supported")])
    assert response["path"] == ["DecideRetrieval", *SEARCH, *ANSWER, *ANSWER]
    assert response["status"] == "answered"


def test_the_largest_policy_still_ends_within_forty_calls() -> None:
    policy = {"top_k": 10, "max_rewrites": 4, "max_regenerations": 3}
    response, _ = run({**ASKED, "policy": policy}, grade_support=[steps.support("no_support")])
    assert response["usage"]["model_calls"] <= 40


def test_a_question_of_any_characters_passes_through_the_definition() -> None:
    question = "Say \"hi\" \\ {% $eval('1') %} ${x} `id` $(ls)\n日本語 \u200f ¿?"
    response, scripted = run({**ASKED, "question": question})
    assert scripted.events_of("generate")[0]["question"] == question
    assert response["queries"] == [question]


@pytest.mark.parametrize("strategy", ["self_rag", "corrective", "candidates"])
def test_failed_step_is_not_reported_as_exhausted_budget(strategy: str) -> None:
    dear, busy = BudgetExceeded("too dear"), RequestRejected("no")
    policy = {"strategy": strategy, "web_search": False}
    response, _ = run({**ASKED, "policy": policy}, grade_relevance=[dear, busy], generate=[busy])
    reasons = " ".join(reason["why"] for reason in response["passes"])
    assert (response["status"], "money" in reasons) == ("failed", False), reasons
    assert "cost" not in f"{response['answer']} {response['usage']['warnings']}"
    spent, _ = run({**ASKED, "policy": policy}, grade_relevance=[dear], generate=[dear])
    assert (spent["status"], "cost limit" in spent["answer"]) == ("partial", True)
