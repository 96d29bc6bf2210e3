"""What is seen of a question whose answers are compared, while it is at work and in its trace."""

from collections.abc import Sequence
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from selfrag.api.logic import unfinished
from selfrag.domain.history import steps_of
from selfrag_cli.histories import ExecutionHistory
from selfrag_cli.show.traces import show_trace
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
    assert (view.scores and view.scores.model_dump()) == execution.output["scores"]


def test_the_tree_is_told_level_by_level_with_what_was_kept_until_then() -> None:
    history = asked("segments by a decision model").history
    ranks = [at for at, event in enumerate(history) if _named(event, "Exited", "RankPaths")]
    views = [unfinished("a", "running", steps_of(history[: at + 1])).scores for at in ranks]
    told = [[(one.id, one.state) for one in view.nodes] for view in views if view]
    first = [("1", "kept"), ("2", "kept"), ("3", "pruned")]
    second = [*first, ("1.1", "kept"), ("1.2", "pruned")]
    assert told == [first, second, second]
    assert {view.scale for view in views if view} == {"probabilities"}


def test_of_several_answers_no_verdict_is_told_as_that_of_the_answer_before_one_is_chosen() -> None:
    history = asked("candidates").history
    begun, ended = (next(at for at, event in enumerate(history) if _named(event, end)) for end in ("Entered", "Exited"))
    before, after = (unfinished("a", "running", steps_of(history[: at + 1])).reflection for at in (begun, ended))
    assert before is not None
    assert after is not None
    assert (len(before.relevance), before.support, before.utility) == (4, None, None)
    assert after.support is not None
    assert after.support.level == "fully_supported"


def test_the_trace_draws_the_tree_and_with_full_the_sentences_that_were_left_out() -> None:
    history = asked("segments by a decision model").history
    short, full = _printed(history, full=False), _printed(history, full=True)
    assert "chosen, score 2.33: s(Rel) 0.90, s(Sup) 1.00, s(Use) 0.90, from people/leave.md" in short
    assert "out (its passage does not support it), score 1.38" in short
    trees = [printed.split("Segments, each below the one that it follows")[1] for printed in (short, full)]
    assert [EXAMPLE["1.2"][1] in tree for tree in trees] == [False, True]


def _named(event: dict[str, Any], end: str, name: str = "PickCandidate") -> bool:
    return bool(event.get(f"state{end}EventDetails", {}).get("name") == name)


def _printed(history: Sequence[dict[str, Any]], full: bool) -> str:
    text = StringIO()
    show_trace(Console(file=text, width=200), ExecutionHistory("abc", history), full=full)
    return text.getvalue()
