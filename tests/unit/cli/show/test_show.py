"""The terminal output of a response and its passages."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from selfrag.domain.answers import BY_RULE
from selfrag.domain.history import Step
from selfrag_cli.local.asking import SearchHit
from selfrag_cli.show.answers import NOT_READ, show_response
from selfrag_cli.show.documents import show_passages
from tests.support.paper.compared import answers


def hits(*passages: dict[str, Any]) -> list[SearchHit]:
    return [SearchHit.model_validate({"passage_id": "p", **passage}) for passage in passages]


def printed(show: Any, *arguments: Any) -> str:
    """Return the output in one line."""
    text = StringIO()
    show(Console(file=text, width=200), *arguments)
    return " ".join(text.getvalue().split())


def failed(name: str, cause: str) -> Step:
    return Step(name, 0.0, 0.1, attempts=1, task={}, result=None, error="Misconfigured", cause=cause)


def test_response_of_another_version_still_shows_answer_and_causes() -> None:
    less = {"id": "abc", "status": "failed", "answer": "A step failed: ComposeAnswer."}
    shown = printed(show_response, less, [failed("Generate", "[::1]:9 refused the key: status 401")])
    assert "A step failed: ComposeAnswer." in shown
    assert NOT_READ in shown
    assert "Note Generate: [::1]:9 refused the key: status 401." in shown


def test_a_response_of_another_release_with_more_fields_is_shown_whole() -> None:
    response = response_of([], [])
    nodes = [{**node, "seq": 0.8} for node in answers()["nodes"]]
    more = {"usage": {**response["usage"], "sequences": 4}, "scores": {**answers(), "generator": "x", "nodes": nodes}}
    shown = printed(show_response, {**response, **more}, [], True)
    assert NOT_READ not in shown
    assert "Path" in shown


def test_the_same_cause_of_the_same_step_is_told_once() -> None:
    less = {"id": "abc", "status": "failed", "answer": "No."}
    assert printed(show_response, less, [failed("GradeRelevance", "No key.")] * 4).count("No key.") == 1


@pytest.mark.parametrize(
    ("wasted", "shown"),
    [
        (0, "8 model calls in 2 rounds, 1 cached verdicts"),
        (5, "8 model calls in 2 rounds, of which 5 done ahead and not needed, 1 cached verdicts"),
    ],
    ids=["all needed", "some not needed"],
)
def test_unused_speculative_calls_are_shown_beside_calls(wasted: int, shown: str) -> None:
    usage = {
        "model_calls": 8, "rounds": 2, "cached_verdicts": 1, "input_tokens": 3, "output_tokens": 2,
        "cache_read_input_tokens": 0, "cost_usd": 0.0, "waste": {"model_calls": wasted, "cost_usd": 0.0},
        "by_step": {}, "warnings": [],
    }  # fmt: skip
    response = {
        "id": "abc", "status": "abstained", "answer": "Not found.", "citations": [], "path": [], "queries": [],
        "reflection": {
            "retrieve": {"decision": "yes", "reason": ""}, "relevance": [], "support": None, "utility": None,
        },
        "usage": usage, "execution": {"arn": "arn", "console_url": None},
    }  # fmt: skip
    assert shown in printed(show_response, response, [], True)


def test_a_strategy_without_verdicts_shows_no_table_of_them() -> None:
    usage = {
        "model_calls": 1, "rounds": 1, "cached_verdicts": 0, "input_tokens": 3, "output_tokens": 2,
        "cache_read_input_tokens": 0, "cost_usd": 0.0, "by_step": {}, "warnings": ["Not checked: all."],
    }  # fmt: skip
    response = {
        "id": "abc", "status": "partial", "answer": "25 days.", "citations": [], "queries": [],
        "path": ["Retrieve", "Generate"],
        "reflection": {"retrieve": None, "relevance": [], "support": None, "utility": None},
        "usage": usage, "execution": {"arn": "arn", "console_url": None},
    }  # fmt: skip
    shown = printed(show_response, response, [], True)
    assert "Retrieve → Generate" in shown
    assert "Note Not checked: all." in shown
    assert "Reflection" not in shown


def test_a_passage_is_shown_with_its_page_and_heading() -> None:
    passage = {"document": "fhs.pdf", "page": 23, "heading": "/srv", "text": "Data.", "score": 1.0}
    scores = {"by_text": None, "by_vector": 0.5}
    shown = printed(show_passages, hits({**passage, **scores}))
    assert "1. fhs.pdf, page 23 > /srv" in shown
    assert "by text none, by vector 0.50, together" in shown


def test_meaning_of_search_scores_is_explained_once() -> None:
    passage = {"document": "a.md", "text": "Data.", "score": 1.0, "by_text": 2.0, "by_vector": 0.5}
    shown = printed(show_passages, hits(passage, passage))
    assert shown.count("by text is BM25, by vector the cosine") == 1
    assert "BM25" not in printed(show_passages, [])


def test_search_without_text_matches_says_so() -> None:
    passage = {"document": "a.md", "text": "Data.", "score": 1.0, "by_text": None, "by_vector": 0.5}
    assert "No document has these words. ╭─ 1. a.md" in printed(show_passages, hits(passage), 0)
    assert printed(show_passages, [], 0) == "Nothing was found. No document has these words."
    for text_hits in (1, None):
        assert "No document has" not in printed(show_passages, hits(passage), text_hits)


def test_copies_of_a_passage_are_named_below_it() -> None:
    passage = {"document": "a.md", "text": "Data.", "score": 1.0, "by_text": 2.0, "by_vector": 0.5}
    copies = [{"passage_id": "b", "document": "[b].md"}, {"passage_id": "c", "document": "c.md"}]
    assert "also in 2 copies: [b].md, c.md" in printed(show_passages, hits({**passage, "copies": copies}))
    assert "also in 1 copy: c.md" in printed(show_passages, hits({**passage, "copies": copies[1:]}))
    unnamed = [*copies, {"passage_id": "d", "document": ""}]
    assert "also in 3 copies: [b].md, c.md, ..." in printed(show_passages, hits({**passage, "copies": unnamed}))
    assert "also in" not in printed(show_passages, hits(passage))


def test_copies_of_a_source_are_named_below_its_quotes() -> None:
    quote = {"passage_id": "p", "document": "memo-1.md", "quote": "Book early.", "answer_span": [0, 3]}
    copies = {"copies": ["memo-2.md", "memo-3.md"], "copy_count": 5}
    assert "Book early. also in 5 copies: memo-2.md, memo-3.md, ..." in shown_of([{**quote, **copies}], [])
    assert "also in" not in shown_of([quote], [])


def response_of(citations: list[dict[str, Any]], passages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an answer with these citations, and a verdict on each of these passages."""
    verdicts = [
        {"passage_id": passage["passage_id"], "relevant": True, "score": 0.5, "label": "relevant", "cached": False}
        for passage in passages
    ]
    usage = {
        "model_calls": 1, "rounds": 1, "cached_verdicts": 0, "input_tokens": 3, "output_tokens": 2,
        "cache_read_input_tokens": 0, "cost_usd": 0.0, "by_step": {}, "warnings": [],
    }  # fmt: skip
    return {
        "id": "abc", "status": "answered", "answer": "12.", "citations": citations, "path": [], "queries": [],
        "reflection": {
            "retrieve": {"decision": "yes", "reason": ""}, "relevance": verdicts, "support": None, "utility": None,
        },
        "usage": usage, "execution": {"arn": "arn", "console_url": None},
    }  # fmt: skip


def shown_of(citations: list[dict[str, Any]], passages: list[dict[str, Any]]) -> str:
    """Return the output for an answer with these citations and retrieved passages."""
    search = Step("Retrieve", 0.0, 0.1, attempts=1, task={}, result={"passages": passages}, error="")
    return printed(show_response, response_of(citations, passages), [search], True)


def test_a_citation_says_document_row_and_heading() -> None:
    quote = {"passage_id": "p", "document": "prices.xlsx", "quote": "office: Kobe; capacity: 12", "answer_span": [0, 3]}
    shown = shown_of([{**quote, "page": None, "heading": "Offices", "locator": "sheet Prices, row 14"}], [])
    assert "prices.xlsx, sheet Prices, row 14 > Offices" in shown
    assert "fhs.pdf, page iv" in shown_of([{**quote, "document": "fhs.pdf", "page": 6, "locator": "page iv"}], [])


def test_verdicts_on_passages_of_one_place_can_be_told_apart() -> None:
    one = {"passage_id": "p", "document": "leave.md", "heading": "Leave", "text": "## Leave\n\nFathers get 10 days."}
    two = {**one, "passage_id": "q", "text": "Leave is asked for in the portal, and granted within three days of that."}
    shown = shown_of([], [one, two, {**one, "passage_id": "r", "heading": "Pay"}])
    assert "leave.md > Leave: Fathers get 10 days." in shown
    assert "leave.md > Leave: is asked for in the portal, and granted within three days of ..." in shown
    assert "leave.md > Pay" in shown
    assert "leave.md > Pay:" not in shown


def test_answer_shows_total_time_and_time_per_step() -> None:
    one = {"attempts": 1, "task": {}, "result": None, "error": ""}
    steps = [
        Step("Retrieve", 0.5, 1.0, **one),
        Step("Generate", 0.5, 2.5, **one),
        Step("GradeUtility", 3.0, 0.5, **one),
    ]
    shown = printed(show_response, response_of([], []), steps, True)
    assert "Time 3.00 s in all: Retrieve 1.00 s, Generate 2.50 s, GradeUtility 0.50 s" in shown
    assert "Time" not in printed(show_response, response_of([], []), [], True)
    assert "3.00 s" in printed(show_response, response_of([], []), steps)


def test_legend_explains_given_verdicts_with_threshold() -> None:
    passage = {"passage_id": "p", "document": "leave.md", "heading": "Pay", "text": "10 days."}
    graded = Step("GradeRelevance", 0, 1, attempts=1, task={"relevance_threshold": 0.7}, result=None, error="")
    shown = printed(show_response, response_of([], [passage]), [graded], True)
    assert "IsRel: how far a passage helps to answer, from 0 to 1, relevant from 0.70 up" in shown
    assert "IsSup:" not in shown
    assert "IsUse:" not in shown
    assert "IsRel: how far a passage helps to answer, from 0 to 1 Path" in printed(
        show_response, response_of([], [passage]), [], True
    )


def test_last_line_explains_follow_up_by_command_and_make() -> None:
    assert "id abc: follow up with --previous ID (make: PREVIOUS=ID)" in printed(show_response, response_of([], []), [])


def by(judge: str, notice: str | None) -> dict[str, Any]:
    """Return a response whose verdicts are all of one kind of judge."""
    usage = {
        "model_calls": 4 * (judge == "model"), "replies_by_rule": 4 * (judge == "rule"), "rounds": 2,
        "cached_verdicts": 0, "input_tokens": 3, "output_tokens": 2,
        "cache_read_input_tokens": 0, "cost_usd": 0.0, "by_step": {}, "warnings": [],
    }  # fmt: skip
    relevance = {
        "passage_id": "p1", "relevant": True, "score": 0.9, "label": "relevant", "judged_by": judge,
        "reason": "It states the price." if judge == "model" else "Similarity 0.90, not a judgement.",
    }  # fmt: skip
    claims = [{"claim": "A berth costs 34 euros.", "support": "full", "passage_ids": ["p1"]}]
    return {
        "id": "abc", "status": "answered", "notice": notice, "answer": "A berth costs 34 euros.", "citations": [],
        "path": [], "queries": [], "usage": usage, "execution": {"arn": "arn", "console_url": None},
        "reflection": {
            "retrieve": {"decision": "yes", "reason": "", "judged_by": judge}, "relevance": [relevance],
            "support": {"level": "fully_supported", "claims": claims, "judged_by": judge},
            "utility": {"score": 5, "reason": "useful", "judged_by": judge},
        },
    }  # fmt: skip


def test_rule_findings_are_grey_and_not_shown_as_judgements() -> None:
    coloured = StringIO()
    show_response(
        Console(file=coloured, width=200, force_terminal=True, color_system="standard"), by("rule", BY_RULE), [], True
    )
    shown = printed(show_response, by("rule", BY_RULE), [], True)
    assert BY_RULE in shown
    assert "Found word for word in the source. No model checked whether it answers the question." in shown
    assert "IsRel │ by rule │ Similarity 0.90, not a judgement." in " ".join(shown.split())
    assert "4 replies by rule" in shown
    assert not any(word in shown for word in ("supported", "relevant", "It states", "IsUse", "5 of 5"))
    assert "\x1b[32m" not in coloured.getvalue(), "nothing is green"
    assert "\x1b[1;32m" not in coloured.getvalue(), "nothing is green"


def test_model_verdict_is_one_line_and_complete_on_request() -> None:
    shown = printed(show_response, by("model", None), [])
    assert shown.startswith("A berth costs 34 euros. 1 of 1 claims supported id abc")
    assert not any(word in shown for word in ("fully_supported", "IsUse", "Path"))
    shown = printed(show_response, by("model", None), [], True)
    assert all(word in shown for word in ("fully_supported", "relevant 0.90", "It states the price.", "5 of 5"))


def test_answer_comes_before_sources_and_unsupported_claims() -> None:
    said = by("model", None)
    cited = {"document": "rules.md", "heading": "Berths", "page": None}
    quotes = [("p1", "34 euros", 23), ("p2", "12 tonnes", 47), ("p1", "34 euros", 47)]
    said["answer"] = "A berth costs 34 euros. The crane lifts 12 tons."
    said["citations"] = [
        {**cited, "passage_id": name, "quote": quote, "answer_span": [0, end]} for name, quote, end in quotes
    ]
    said["reflection"]["support"]["claims"].append(
        {"claim": "The crane lifts 12 tons.", "support": "none", "passage_ids": []}
    )
    assert printed(show_response, said, []).startswith(
        "A berth costs 34 euros. [1] The crane lifts 12 tons [2] [1]. [1] rules.md > Berths 34 euros "
        "[2] rules.md > Berths 12 tonnes 1 of 2 claims supported · 1 source not supported: The crane lifts 12 tons."
    )


def test_an_abstention_names_its_status_and_the_nearest_passages() -> None:
    near = {"passage_id": "p", "document": "rules.md", "heading": "Berths", "text": "A berth costs 34 euros."}
    said = {**response_of([], []), "status": "abstained", "answer": "Not found in the documents.", "nearest": [near]}
    shown = printed(show_response, said, [])
    assert shown.startswith("abstained Not found in the documents.")
    assert "nearest: rules.md > Berths" in shown
