"""The strategies: other ways through the same steps, each held to the same rules."""

from typing import Any

import pytest

from selfrag.domain.errors import DeadlineExceeded
from selfrag.question.compose_answer.messages import MESSAGES
from tests.support import steps
from tests.workflow.asking import ASKED, run

UNCHECKED = ["Not checked: whether the passages support the answer.", "Not checked: whether the answer is of use."]


def by(strategy: str, speculate: str = "off", **policy: Any) -> dict[str, Any]:
    """Return the question under a strategy."""
    return {**ASKED, "policy": {**ASKED["policy"], "strategy": strategy, "speculate": speculate, **policy}}


@pytest.mark.parametrize("speculate", ["off", "draft", "full"])
def test_naive_searches_and_answers_in_one_call_whatever_is_done_ahead(speculate: str) -> None:
    response, scripted = run(by("naive", speculate))
    assert response["path"] == ["Retrieve", "Generate"]
    usage = response["usage"]
    assert (usage["model_calls"], usage["rounds"], usage["waste"]["model_calls"]) == (1, 1, 0)
    assert [p["passage_id"] for p in scripted.events_of("generate")[0]["passages"]] == [f"p1-{n}" for n in range(4)]
    assert (response["queries"], len(response["citations"])) == (["How many days?"], 1)


def test_naive_reports_unchecked_verdicts_as_missing() -> None:
    response, _ = run(by("naive"))
    assert response["reflection"] == {"retrieve": None, "relevance": [], "support": None, "utility": None}
    assert (response["status"], response["usage"]["warnings"]) == ("partial", UNCHECKED)


@pytest.mark.parametrize(
    "script",
    [{"retrieve": [steps.found()]}, {"generate": [steps.answer(is_found=False)]}],
    ids=["nothing found", "not in what was found"],
)
def test_naive_abstains_without_results(script: dict[str, list[Any]]) -> None:
    response, scripted = run(by("naive"), **script)
    assert (response["status"], response["citations"]) == ("abstained", [])
    assert response["answer"] == 'Not found in the documents. Searched for: "How many days?".'
    assert (scripted.count("retrieve"), scripted.count("search_web"), scripted.count("rewrite_question")) == (1, 0, 0)


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ({"retrieve": [TimeoutError("a step that dies")]}, "failed"),
        ({"generate": [steps.answer(is_found=False, flaw="refused")]}, "failed"),
        ({"generate": [DeadlineExceeded("no time")]}, "partial"),
    ],
    ids=["search fails", "refused", "no time"],
)
def test_a_fault_is_told_by_naive_as_by_any_strategy(script: dict[str, list[Any]], status: str) -> None:
    response, _ = run(by("naive"), **script)
    assert (response["status"], response["citations"]) == (status, [])


@pytest.mark.parametrize("speculate", ["off", "draft", "full"])
def test_search_reaching_deadline_gives_partial_answer_with_hint(speculate: str) -> None:
    response, _ = run(by("self_rag", speculate, web_search=False), retrieve=[DeadlineExceeded("no time")])
    assert (response["status"], response["citations"]) == ("partial", [])
    assert MESSAGES["en"]["search_timed_out"] in response["usage"]["warnings"]


def graded(**labels: str) -> Any:
    """Return a grader that gives the passages of a search these labels, by the letter that their ids begin with."""
    return lambda event: steps.relevance(
        event["passage"]["passage_id"], labels.get(event["passage"]["passage_id"][0], "irrelevant")
    )


# After relevant passages the answer is written at once; the other two ways search the web, and keep different passages.
BY_THE_WEB = ["Retrieve", "GradeRelevance", "SearchWeb", "GradeRelevance", "Generate"]
DOCUMENTS, WEB = [f"p1-{n}" for n in range(4)], [f"w{n}" for n in range(4)]
CORRECTIVE: dict[str, tuple[Any, list[str], list[str]]] = {
    "correct": (graded(p="relevant"), ["Retrieve", "GradeRelevance", "Generate"], DOCUMENTS),
    "ambiguous": (graded(p="ambiguous", w="relevant"), BY_THE_WEB, [*DOCUMENTS, *WEB]),
    "incorrect": (graded(p="irrelevant", w="relevant"), BY_THE_WEB, WEB),
    "ambiguous, and nothing on the web": (graded(p="ambiguous", w="irrelevant"), BY_THE_WEB, DOCUMENTS),
    "ambiguous, and so is the web": (graded(p="ambiguous", w="ambiguous"), BY_THE_WEB, [*DOCUMENTS, *WEB]),
}


@pytest.mark.parametrize("way", CORRECTIVE)
@pytest.mark.parametrize("speculate", ["off", "full"])
def test_corrective_takes_one_of_three_ways_by_the_best_passage(way: str, speculate: str) -> None:
    grader, path, evidence = CORRECTIVE[way]
    response, scripted = run(by("corrective", speculate), grade_relevance=[grader])
    assert response["path"] == path
    assert [p["passage_id"] for p in scripted.events_of("generate")[0]["passages"]] == evidence
    assert (response["status"], response["usage"]["warnings"]) == ("partial", UNCHECKED)
    assert response["usage"]["waste"]["model_calls"] == 0
    reflection = response["reflection"]
    assert (reflection["retrieve"], reflection["support"], reflection["utility"]) == (None, None, None)
    assert reflection["relevance"]


def test_one_relevant_passage_suffices_and_ambiguous_ones_are_dropped() -> None:
    def grader(event: dict[str, Any]) -> dict[str, Any]:
        passage_id = event["passage"]["passage_id"]
        return steps.relevance(passage_id, "relevant" if passage_id == "p1-2" else "ambiguous")

    _, scripted = run(by("corrective"), grade_relevance=[grader])
    assert [p["passage_id"] for p in scripted.events_of("generate")[0]["passages"]] == ["p1-2"]
    assert scripted.count("search_web") == 0


def test_corrective_passes_thresholds_to_grader_and_strips_to_writer() -> None:
    grader = lambda e: steps.relevance(e["passage"]["passage_id"], "relevant", strips=[(0, 5), (9, 24)])  # noqa: E731
    response, scripted = run(by("corrective", lower_threshold=0.2), grade_relevance=[grader])
    asked = scripted.events_of("grade_relevance")[0]
    assert (asked["relevance_threshold"], asked["lower_threshold"]) == (0.5, 0.2)
    kept = [{"start": 0, "end": 5}, {"start": 9, "end": 24}]
    assert list(scripted.events_of("generate")[0]["strips"].values()) == [kept] * 4
    assert [verdict["strips"] for verdict in response["reflection"]["relevance"]] == [kept] * 4


def test_self_rag_asks_for_no_strips() -> None:
    _, scripted = run(by("self_rag"))
    assert {event["lower_threshold"] for event in scripted.events_of("grade_relevance")} == {None}


def test_corrective_uses_only_the_web_if_documents_have_no_results() -> None:
    response, scripted = run(by("corrective"), retrieve=[steps.found()])
    assert response["path"] == ["Retrieve", "SearchWeb", "GradeRelevance", "Generate"]
    assert [p["passage_id"] for p in scripted.events_of("generate")[0]["passages"]] == WEB


@pytest.mark.parametrize("label", ["ambiguous", "irrelevant"])
def test_corrective_uses_only_documents_if_the_web_is_disabled(label: str) -> None:
    response, scripted = run(by("corrective", web_search=False), grade_relevance=[graded(p=label)])
    assert (scripted.count("retrieve"), scripted.count("search_web"), scripted.count("rewrite_question")) == (1, 0, 0)
    assert response["status"] == ("partial" if label == "ambiguous" else "abstained")


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ({"grade_relevance": [graded()]}, "abstained"),
        ({"retrieve": [steps.found()], "search_web": [steps.found()]}, "abstained"),
        ({"generate": [steps.answer(is_found=False)]}, "abstained"),
        ({"grade_relevance": [graded(p="ungraded")]}, "failed"),
        ({"retrieve": [TimeoutError("a step that dies")]}, "failed"),
    ],
    ids=["nothing of use", "nothing found", "not in what was found", "grader down", "search fails"],
)
def test_without_evidence_corrective_answers_nothing(script: dict[str, list[Any]], status: str) -> None:
    response, _ = run(by("corrective"), **script)
    assert (response["status"], response["citations"]) == (status, [])


def test_the_largest_corrective_policy_stays_within_forty_calls() -> None:
    response, _ = run(by("corrective", top_k=10), grade_relevance=[graded(p="ambiguous", w="relevant")])
    assert response["usage"]["model_calls"] == 21


SIMPLE, COMPLEX = steps.retrieval("yes", "simple"), steps.retrieval("yes", "complex")
LOOP = ["DecideRetrieval", "Retrieve", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility"]
# The steps of each of the three ways: without a search, in one pass, or as Self-RAG does.
ADAPTIVE: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no search": (steps.retrieval("no"), ["DecideRetrieval", "Generate", "GradeUtility"]),
    "one pass": (SIMPLE, ["DecideRetrieval", "Retrieve", "Generate"]),
    "the full loop": (COMPLEX, LOOP),
    "no verdict": (steps.retrieval("ungraded"), LOOP),
}


@pytest.mark.parametrize("way", ADAPTIVE)
def test_adaptive_takes_one_of_three_ways_by_the_complexity(way: str) -> None:
    decision, path = ADAPTIVE[way]
    response, scripted = run(by("adaptive"), decide_retrieval=[decision])
    assert response["path"] == path
    assert response["status"] == ("partial" if way == "one pass" else "answered")
    assert response["reflection"]["retrieve"] == {
        **decision["verdict"],
        "aggregate": False,
        "ratio": None,
        "query": "",
        "judged_by": "model",
        "model": "",
    }
    assert scripted.events_of("decide_retrieval")[0]["complexity"] is True


def test_in_one_pass_adaptive_checks_nothing_and_says_so() -> None:
    response, _ = run(by("adaptive"), decide_retrieval=[SIMPLE])
    reflection = response["reflection"]
    assert (reflection["relevance"], reflection["support"], reflection["utility"]) == ([], None, None)
    assert (response["usage"]["warnings"], response["usage"]["model_calls"]) == (UNCHECKED, 2)


@pytest.mark.parametrize(
    "script",
    [{"retrieve": [steps.found()]}, {"generate": [steps.answer(is_found=False)]}],
    ids=["nothing found", "not in what was found"],
)
@pytest.mark.parametrize("speculate", ["off", "draft"])
def test_adaptive_single_pass_abstains_without_results(speculate: str, script: dict[str, list[Any]]) -> None:
    response, scripted = run(by("adaptive", speculate), decide_retrieval=[SIMPLE], **script)
    assert (response["status"], scripted.count("retrieve"), scripted.count("search_web")) == ("abstained", 1, 0)


@pytest.mark.parametrize("decision", [SIMPLE, COMPLEX, steps.retrieval("no")], ids=["simple", "complex", "no search"])
@pytest.mark.parametrize("label", ["relevant", "irrelevant", "ungraded"])
def test_adaptive_speculation_saves_rounds_without_changing_answer(decision: dict[str, Any], label: str) -> None:
    script: dict[str, list[Any]] = {"decide_retrieval": [decision], "grade_relevance": [graded(p=label)]}
    slower, *faster = (run(by("adaptive", way, web_search=False), **script)[0] for way in ("off", "draft", "full"))
    for response in faster:
        for part in ("status", "answer", "citations", "reflection", "queries"):
            assert response[part] == slower[part]
        assert response["usage"]["rounds"] <= slower["usage"]["rounds"]
        needed = response["usage"]["model_calls"] - response["usage"]["waste"]["model_calls"]
        assert needed == slower["usage"]["model_calls"]


def test_ahead_a_simple_question_is_answered_in_one_round() -> None:
    response, _ = run(by("adaptive", "draft"), decide_retrieval=[SIMPLE])
    assert (response["usage"]["rounds"], response["usage"]["waste"]["model_calls"]) == (1, 4)


def test_only_adaptive_has_the_complexity_judged() -> None:
    response, scripted = run(by("self_rag"), decide_retrieval=[SIMPLE])
    assert scripted.events_of("decide_retrieval")[0]["complexity"] is False
    assert response["path"] == LOOP
