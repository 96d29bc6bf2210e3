"""The response: status, verdicts and cost."""

from typing import Any

import pytest

from selfrag.domain.answers import BY_RULE, AnswerResponse
from selfrag.question.compose_answer.logic import compose
from selfrag.question.compose_answer.task import ComposeAnswerTask, Draft
from tests.support import steps

ARN = "arn:aws:states:eu-west-1:123456789012:execution:selfrag:abc"
EXPRESS = "arn:aws:states:eu-west-1:123456789012:express:selfrag:abc:def"


def draft(level: str = "fully_supported", score: int | None = 5, **more: Any) -> Draft:
    support = steps.support(level)["verdict"]
    utility = steps.utility(score)["verdict"]
    citations = steps.answer()["citations"]
    return Draft.model_validate(
        {"answer": "25 days.", "citations": citations, "support": support, "utility": utility, **more}
    )


def composed(**fields: Any) -> AnswerResponse:
    given = {"id": "abc", "retrieval": {"decision": "yes", "reason": "because"}, "execution_arn": ARN, **fields}
    return compose(ComposeAnswerTask.model_validate(given), {}, console_links=True)


def test_a_supported_and_useful_answer_is_answered() -> None:
    response = composed(best=draft())
    assert (response.status, response.answer) == ("answered", "25 days.")
    assert response.reflection.support is not None
    assert response.reflection.support.level == "fully_supported"
    assert response.usage.warnings == []


def test_citation_has_its_span_in_utf16() -> None:
    citations = [{**steps.answer()["citations"][0], "answer_span": span} for span in ((0, 4), (5, 11))]
    response = composed(best=draft(answer="🎉🎉a. 25 day.", citations=citations))
    assert [citation.answer_span_utf16 for citation in response.citations] == [(0, 6), (7, 13)]


@pytest.mark.parametrize(
    ("level", "score", "note"),
    [
        ("partially_supported", 5, None),
        ("ungraded", 5, "Not checked: whether the passages support the answer."),
        ("fully_supported", None, "Not checked: whether the answer is of use."),
    ],
)
def test_answer_failing_some_check_is_partial_and_names_it(level: str, score: int | None, note: str | None) -> None:
    response = composed(best=draft(level, score))
    assert response.status == "partial"
    assert note is None or note in response.usage.warnings


def test_number_that_no_passage_has_is_named_in_a_warning() -> None:
    claims = [{"claim": "512 seats.", "support": "partial", "unfound": ["512"]}]
    response = composed(best=draft(support={"level": "partially_supported", "claims": claims}))
    assert (response.status, response.usage.warnings) == ("partial", ["Not found in the passages: 512."])


def test_sentence_of_a_draft_that_was_searched_for_is_not_shown() -> None:
    response = composed(queries=["How many seats?", "It has 512 seats."], statements=["It has 512 seats."])
    assert response.queries == ["How many seats?", "a statement of the draft"]
    assert "512" not in response.answer


@pytest.mark.parametrize(("level", "score"), [("no_support", 5), ("fully_supported", 2), ("ungraded", 1)])
def test_an_unsupported_or_useless_answer_never_goes_out(level: str, score: int) -> None:
    response = composed(draft=draft(level, score), queries=["leave"])
    assert response.status == "abstained"
    assert "25 days" not in response.model_dump_json()
    assert response.answer == 'Not found in the documents. Searched for: "leave".'


def test_only_abstentions_have_nearest_passages() -> None:
    judged = [steps.relevance(name, label)["verdict"] for name, label in (("a", "irrelevant"), ("b", "ambiguous"))]
    found = [
        {"passage_id": name, "document": f"{name}.md", "text": f"Text of {name}.", "score": 0.5} for name in "abcd"
    ]
    found.insert(0, {**found[0], "passage_id": "web", "collection": "web"})
    given = {"relevance": judged, "passages": found}
    assert [one.text for one in composed(**given).nearest] == ["Text of b.", "Text of a.", "Text of c."]
    assert composed(**given, best=draft()).nearest == []


NOTHING = {"step": "Retrieve", "hits": 0}


@pytest.mark.parametrize(
    ("filters", "ledger", "reason"),
    [
        ({"tags": ["hr"]}, [NOTHING, NOTHING], "No document meets the filters."),
        ({"tags": ["hr"]}, [NOTHING, {**NOTHING, "hits": 4, "waste": True}], "No document meets the filters."),
        ({"tags": ["hr"]}, [NOTHING, {**NOTHING, "hits": 1}], "Not found in the documents."),
        ({"tags": ["hr"]}, [{**NOTHING, "warnings": ["by full text alone"]}], "Not found in the documents."),
        ({"tags": ["hr"]}, [], "Not found in the documents."),
        ({}, [NOTHING], "Not found in the documents."),
    ],
)
def test_filters_that_no_document_meets_are_told_from_documents_that_say_nothing(
    filters: Any, ledger: Any, reason: str
) -> None:
    response = composed(queries=["leave"], filters=filters, ledger=ledger)
    assert (response.status, response.answer) == ("abstained", f'{reason} Searched for: "leave".')


def test_an_unchecked_draft_goes_out_at_the_deadline_as_partial() -> None:
    response = composed(draft=draft("ungraded", None), late=True)
    assert (response.status, response.answer) == ("partial", "25 days.")
    assert "The deadline was reached." in response.usage.warnings


@pytest.mark.parametrize("late", [{"late": True}, {"ledger": [{"step": "Generate", "error": "DeadlineExceeded"}]}])
def test_without_any_answer_the_deadline_gives_an_honest_partial(late: dict[str, Any]) -> None:
    response = composed(**late)
    assert (response.status, response.citations) == ("partial", [])
    assert "time" in response.answer


@pytest.mark.parametrize("step", ["Retrieve", "Generate"])
def test_a_fault_is_not_passed_off_as_not_found(step: str) -> None:
    response = composed(ledger=[{"step": step, "error": "TemporarilyUnavailable"}])
    assert response.status == "failed"
    assert step in response.answer
    assert "Try again in a minute;" in response.answer


def test_when_no_passage_could_be_graded_the_question_failed() -> None:
    verdicts = [steps.relevance(i, "ungraded")["verdict"] for i in ("a", "b")]
    response = composed(relevance=verdicts)
    assert response.status == "failed"
    assert "2 passages could not be graded and were not used." in response.usage.warnings


def test_a_direct_answer_claims_no_support() -> None:
    response = composed(best=draft("ungraded", 5, direct=True))
    assert (response.status, response.reflection.support) == ("answered", None)


def test_usage_adds_up_by_step_and_in_dollars() -> None:
    million = {
        **steps.call("generate"),
        "model": "claude-sonnet-5-5",
        "input_tokens": 1_000_000,
        "output_tokens": 100_000,
    }
    cached = {
        **steps.call("grade_utility"),
        "cache_read_input_tokens": 1_000_000,
        "input_tokens": 0,
        "output_tokens": 0,
    }
    ledger = [steps.entry("Generate", calls=[million]), steps.entry("GradeUtility", calls=[cached])]
    usage = composed(best=draft(), ledger=ledger).usage
    assert (usage.input_tokens, usage.cache_read_input_tokens) == (1_000_000, 1_000_000)
    assert usage.by_step["generate"].cost_usd == 3.0
    assert usage.by_step["grade_utility"].cost_usd == 0.01
    assert usage.cost_usd == 3.01
    assert usage.by_step["generate"].seconds == 1.0


def test_the_cost_of_an_unknown_model_is_unknown_and_not_zero() -> None:
    unknown = steps.entry("Generate", calls=[{**steps.call("generate"), "model": "someone-elses"}])
    assert composed(best=draft(), ledger=[unknown]).usage.cost_usd is None


@pytest.mark.parametrize(
    ("arn", "place"),
    [
        (ARN, f"/v2/executions/details/{ARN}"),
        # The console finds an Express execution in its log, by when it began.
        (EXPRESS, f"/express-executions/details/{EXPRESS}?startDate=1795348800500"),
    ],
)
def test_the_console_link_leads_to_the_execution(arn: str, place: str) -> None:
    url = composed(best=draft(), execution_arn=arn, began_ms=1795348801500.0).execution.console_url
    assert url == f"https://eu-west-1.console.aws.amazon.com/states/home?region=eu-west-1#{place}"


def test_the_response_has_the_shape_of_the_design() -> None:
    response = composed(best=draft(), relevance=[steps.relevance("a", "relevant")["verdict"]]).model_dump(mode="json")
    assert list(response) == [
        "id", "status", "question", "notice", "answer", "citations", "not_said", "complete", "selection", "nearest",
        "reflection", "path", "passes", "queries", "usage", "execution", "scores",
    ]  # fmt: skip
    assert list(response["reflection"]) == ["retrieve", "relevance", "support", "utility"]
    assert {"passage_id", "relevant", "score", "cached"} <= set(response["reflection"]["relevance"][0])
    assert {"model_calls", "rounds", "cached_verdicts", "input_tokens", "output_tokens"} <= set(response["usage"])
    assert {"cache_read_input_tokens", "cost_usd", "by_step"} <= set(response["usage"])


def test_notice_on_rule_based_answer_is_not_in_its_text() -> None:
    task = ComposeAnswerTask(id="id", best=draft(), question="How many days?")
    by_rule, by_model = (compose(task, {}, False, writer) for writer in ("rule", "model"))
    assert by_rule.notice == BY_RULE
    assert by_rule.answer == by_model.answer == draft().answer
    assert by_model.notice is None


DEAR = {"step": "GradeRelevance", "error": "BudgetExceeded"}


@pytest.mark.parametrize("error", ["TemporarilyUnavailable", "Misconfigured", "malformed", "refused"])
@pytest.mark.parametrize("dear_first", [True, False])
def test_a_step_that_failed_is_the_reason_and_not_the_cost_limit(error: str, dear_first: bool) -> None:
    entries = [DEAR, {"step": "Generate", "error": error}]
    response = composed(ledger=entries if dear_first else entries[::-1])
    assert response.status == "failed"
    assert "cost" not in f"{response.answer} {response.usage.warnings}"


def test_without_a_failed_step_the_cost_limit_is_the_reason() -> None:
    spent = composed(ledger=[DEAR, {"step": "Generate", "error": "BudgetExceeded"}])
    assert (spent.status, "cost limit" in spent.answer) == ("partial", True)
    # Unused speculative work is not a reason.
    ahead = {"step": "Generate", "error": "TemporarilyUnavailable", "waste": True}
    assert "cost limit" in composed(ledger=[DEAR, ahead]).answer


GAP = "The documents do not say who signs."


@pytest.mark.parametrize(
    ("question", "answer", "not_said"),
    [
        (
            "Who signs?",
            '25 days. Not found in the documents: "signature".',
            ['Not found in the documents: "signature".'],
        ),
        ("Wer unterschreibt das?", "25 days. In den Dokumenten nicht gefunden: „signature“.", None),
        ("誰が署名しますか。", "25 days. 文書の中に見つかりませんでした:「signature」。", None),
    ],
)
def test_a_gap_whose_near_hit_was_refused_was_not_found(question: str, answer: str, not_said: list[str] | None) -> None:
    best = draft(answer=f"25 days. {GAP}", not_said=[GAP], missing=["signature"])
    sure, doubtful = (composed(question=question, best=best, doubtful=doubt) for doubt in (False, True))
    assert (sure.answer, sure.not_said) == (f"25 days. {GAP}", [GAP])
    assert (doubtful.answer, doubtful.status) == (answer, "answered")
    assert doubtful.not_said == (not_said or [answer.removeprefix("25 days. ")])


def test_a_claim_after_a_gap_is_never_dropped_with_it() -> None:
    best = draft(answer=f"25 days. {GAP} [uncited] It costs 9 EUR. [uncited]", not_said=[GAP], missing=["signature"])
    assert composed(best=best, doubtful=True).answer == best.answer


def test_the_query_that_was_found_names_a_gap_without_a_phrase() -> None:
    ledger = [{"step": "RewriteQuestion", "query": query} for query in ("who signs", "never searched")]
    best = draft(answer=f"25 days. {GAP}", not_said=[GAP])
    response = composed(best=best, doubtful=True, ledger=ledger, queries=["?", "who signs"])
    assert response.answer == '25 days. Not found in the documents: "who signs".'


@pytest.mark.parametrize(("cited", "warned"), [(["old"], True), (["new"], False), (["old", "new"], False)])
def test_a_cited_passage_with_a_newer_version_is_named(cited: list[str], warned: bool) -> None:
    documents, dates = {"old": "old.md", "new": "new.md"}, {"old": "2024-03-01", "new": "2026-03-01"}
    citations = [{**steps.answer()["citations"][0], "passage_id": name} for name in cited]
    response = composed(best=draft(citations=citations), documents=documents, dates=dates, newer={"old": "new"})
    says = "The answer cites old.md (2024-03-01). A newer version says something else: new.md (2026-03-01)."
    assert response.usage.warnings == [says] * warned
