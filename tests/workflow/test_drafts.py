"""The draft of a running question: its answer as it is written, at each moment of its history."""

from typing import Any

import pytest

from selfrag.api.logic import DraftAnswer, unfinished
from selfrag.domain.history import steps_of
from tests.support import steps
from tests.support.aws.stack import Execution
from tests.workflow.asking import ASKED, NONE, POLICY, SOME, ahead, executed
from tests.workflow.test_speculation import relevant, writer

PARTLY, FULLY = steps.support("partially_supported"), steps.support("fully_supported")


def drafts(execution: Execution, status: Any = "running") -> list[DraftAnswer | None]:
    """Return each draft that a caller could see, in order."""
    seen: list[DraftAnswer | None] = []
    for at in range(1, len(execution.history) + 1):
        draft = unfinished("a", status, steps_of(execution.history[:at])).draft
        if not seen or seen[-1] != draft:
            seen.append(draft)
    return seen


def told(execution: Execution) -> list[Any]:
    """Return the text of each draft with its support."""
    return [draft and (draft.answer, draft.support and draft.support.level) for draft in drafts(execution)]


def test_draft_has_citations_at_once_and_verdicts_later() -> None:
    execution, _ = executed()
    assert execution.output is not None
    assert told(execution) == [None, ("25 days.", None), ("25 days.", "fully_supported")]
    last = drafts(execution)[-1]
    assert last is not None
    assert last.model_dump(mode="json")["citations"] == execution.output["citations"]
    assert last.support is not None
    assert [claim.claim for claim in last.support.claims] == ["claim 0"]


def test_repair_replaces_the_draft_without_its_verdicts() -> None:
    texts = [steps.answer("25 days, or 30."), steps.answer("25 days.")]
    asked = {**ASKED, "policy": {**POLICY, "web_search": False, "max_rewrites": 0}}
    execution, _ = executed(asked, generate=texts, grade_support=[PARTLY, FULLY])
    first = "25 days, or 30."
    assert told(execution) == [
        None, (first, None), (first, "partially_supported"), ("25 days.", None), ("25 days.", "fully_supported"),
    ]  # fmt: skip


def test_speculative_draft_is_withdrawn_if_it_cites_irrelevant_passages() -> None:
    execution, _ = executed(
        ahead("draft"), generate=[writer], grade_relevance=[relevant("p1-1")], retrieve=[steps.found("p1-0", "p1-1")]
    )
    assert told(execution) == [
        None, ("As p1-0 says.", None), None, ("As p1-1 says.", None), ("As p1-1 says.", "fully_supported"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decision", "text", "level"), [("no", "Hello.", None), ("yes", "As p1-0 says.", "fully_supported")]
)
def test_shown_draft_is_the_one_selected_by_retrieval_decision(decision: str, text: str, level: str | None) -> None:
    execution, _ = executed(ahead("full"), generate=[writer], decide_retrieval=[steps.retrieval(decision)])
    assert told(execution)[-1] == (text, level)


def test_unanswered_or_failed_question_has_no_draft() -> None:
    assert told(executed(grade_relevance=[NONE])[0]) == [None]
    assert told(executed(generate=[steps.answer(is_found=False)], grade_relevance=[SOME])[0]) == [None]
    assert drafts(executed()[0], "failed") == [None]


@pytest.mark.parametrize("strategy", ["candidates", "segments"])
def test_no_candidate_is_shown_before_one_is_chosen(strategy: str) -> None:
    execution, _ = executed({**ASKED, "policy": {**POLICY, "strategy": strategy}})
    assert execution.output is not None
    seen = drafts(execution)
    assert [draft and draft.answer for draft in seen] == [None, execution.output["answer"]]
    assert seen[-1] is not None
    assert seen[-1].support is not None
    assert seen[-1].support.model_dump() == execution.output["reflection"]["support"]
