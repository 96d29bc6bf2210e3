"""Views and traces of a question with compared answers."""

from typing import Any

import pytest

from selfrag.api.logic import unfinished
from selfrag.domain.history import steps_of
from tests.support import steps
from tests.support.aws.stack import Execution
from tests.support.paper.segments import EXAMPLE, by_decider, next_sentence, passages_of_path
from tests.workflow.asking import ASKED, NONE, executed

TWO_LEVELS = {"strategy": "segments", "top_k": 2, "max_segments": 2}
CASES: dict[str, tuple[dict[str, Any], dict[str, list[Any]]]] = {
    "candidates": ({"strategy": "candidates"}, {}),
    "candidates, drafted": ({"strategy": "candidates", "speculate": "full"}, {}),
    "candidates, from the web": ({"strategy": "candidates"}, {"grade_relevance": [NONE]}),
    "candidates, of little use": ({"strategy": "candidates"}, {"grade_utility": [steps.utility(2)]}),
    "candidates, directly": ({"strategy": "candidates"}, {"decide_retrieval": [steps.retrieval("no")]}),
    "segments": (TWO_LEVELS, {"generate": [next_sentence], "retrieve": [passages_of_path]}),
    "segments, directly": (TWO_LEVELS, {"decide_retrieval": [steps.retrieval("no")]}),
    "segments by a decision model": ({"strategy": "segments"}, by_decider(EXAMPLE)),
}


def asked(name: str) -> Execution:
    policy, script = CASES[name]
    execution, _ = executed({**ASKED, "policy": {**ASKED["policy"], "max_cost_usd": None, **policy}}, **script)
    assert execution.output is not None, execution.error
    return execution


@pytest.mark.parametrize("name", CASES)
def test_the_path_at_work_is_the_one_of_the_response(name: str) -> None:
    execution = asked(name)
    assert execution.output is not None
    view = unfinished("a", "running", steps_of(execution.history))
    assert view.path == execution.output["path"]
    assert view.reflection is not None


def test_trace_hides_support_and_utility_until_answer_is_chosen() -> None:
    history = asked("candidates").history
    begun, ended = (next(at for at, event in enumerate(history) if _named(event, end)) for end in ("Entered", "Exited"))
    before, after = (unfinished("a", "running", steps_of(history[: at + 1])).reflection for at in (begun, ended))
    assert before is not None
    assert after is not None
    assert (len(before.relevance), before.support, before.utility) == (4, None, None)
    assert after.support is not None
    assert after.support.level == "fully_supported"


def _named(event: dict[str, Any], end: str, name: str = "PickCandidate") -> bool:
    return bool(event.get(f"state{end}EventDetails", {}).get("name") == name)
