"""Answers of the fine-tuned model with their critique: by the worked examples."""

from dataclasses import replace
from typing import Any

import pytest

from selfrag.domain.errors import RequestRejected
from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import score
from selfrag.domain.scores.paths import Path, path_score
from selfrag.domain.scores.ranking import ranked, voted
from tests.support.doubles.vllm import CANDIDATES_EXAMPLE, SEGMENTS_EXAMPLE, Node, Said, VllmDouble
from tests.support.paper.generating import branch, candidates, decided, running, segments


def counted(double: VllmDouble, *results: dict[str, Any]) -> None:
    """Requests, sequences and tokens of results are those that the server counted."""
    calls = [call for result in results for call in result["calls"]]
    told = (
        sum(result["attempts"] for result in results),
        sum(result["sequences"] for result in results),
        sum(call["input_tokens"] for call in calls),
        sum(call["output_tokens"] for call in calls),
    )
    assert told == (double.requests, double.sequences, double.input_tokens, double.output_tokens)
    assert all(call["cost_usd"] is None for call in calls)


def test_each_passage_has_its_answer_and_the_scores_of_the_worked_example() -> None:
    with running(CANDIDATES_EXAMPLE) as double:
        decision = decided(CANDIDATES_EXAMPLE.question)
        found, result = candidates(CANDIDATES_EXAMPLE)
        counted(double, decision, result)
    assert (decision["verdict"]["decision"], round(decision["verdict"]["ratio"], 4)) == ("yes", 0.2308)
    assert [one.passage_id for one in found] == ["d1", "d2", "d3"]
    assert [round(score(one.terms, Weights()), 6) for one in found] == [2.511099, 2.517188, 2.593171]
    assert [one.support.level for one in found] == ["partially_supported", "fully_supported", "fully_supported"]
    assert [one.utility.score for one in found] == [5, 4, 5]
    assert {mode: ranked(found, Weights(), mode)[0].index for mode in ("hard", "soft")} == {"hard": 1, "soft": 2}
    assert (double.requests, double.sequences, decision["warnings"] + result["warnings"]) == (2, 4, [])


def test_the_segments_of_both_levels_have_the_scores_of_the_worked_example() -> None:
    tree = SEGMENTS_EXAMPLE
    with running(tree) as double:
        decision = decided(tree.question)
        (a, b, c), first = segments(tree, [branch(tree, name) for name in "ABC"])
        (a1, a2), second = segments(tree, [branch(tree, name, a) for name in ("A1", "A2")])
        counted(double, decision, first, second)
    assert (double.requests, double.sequences) == (3, 6)
    assert [one.next for one in (a, b, c, a1, a2)] == ["yes", "complete", "yes", "complete", "complete"]
    paths = [
        Path(segments=segments, finished="complete", use=segments[-1].terms.use) for segments in ([b], [a, a1], [a, a2])
    ]
    assert [round(path_score(path, Weights()), 6) for path in paths] == [2.55, 3.15, 1.85]
    assert a1.raw == "[Relevant]Leave is 25 days a year.[Fully supported]" + (
        "[Relevant]What is left ends in March.[Fully supported][Utility:5]"
    )
    assert (a1.id, a1.parent, a1.answer) == ("A1", "A", "What is left ends in March.")
    assert [one.citations[0].passage_id for one in (a, a1)] == ["d1", "e1"]


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in _keys(inner)}
    return {key for inner in value for key in _keys(inner)} if isinstance(value, list) else set()


def test_an_answer_cites_its_passage_by_a_sentence_that_stands_in_it() -> None:
    with running(CANDIDATES_EXAMPLE):
        found, _ = candidates(CANDIDATES_EXAMPLE)
    for one in found:
        (citation,) = one.citations
        assert citation.passage_id == one.passage_id
        assert citation.quote in CANDIDATES_EXAMPLE.passages[one.passage_id]
        assert one.answer[slice(*citation.answer_span)] == one.answer
    assert found[1].citations[0].quote == "All staff have 30 days of leave."


def test_a_direct_answer_has_its_use_and_no_citation() -> None:
    said = Said("Hello to you too.", use=(0.0, 0.05, 0.05, 0.1, 0.8), q=0.9)
    scenario = replace(CANDIDATES_EXAMPLE, nodes=(Node("hello", None, said),))
    with running(scenario) as double:
        (found,), result = candidates(scenario, mode="direct")
        counted(double, result)
    assert (found.passage_id, found.answer, found.citations) == (None, "Hello to you too.", [])
    assert (found.utility.score, found.relevance, found.support.level) == (5, None, "ungraded")
    assert found.terms.use == pytest.approx(0.825)


@pytest.mark.parametrize(
    ("choices", "said", "option"),
    [
        (["true", "false"], "true", "true"),
        (["Paris", "Rome"], "B", "Rome"),
        (["A", "B"], "A", "A"),
        (["Paris", "Rome"], "Paris", "Paris"),
    ],
)
def test_the_option_that_an_answer_names_gets_its_vote(choices, said, option) -> None:
    nodes = tuple(Node(name, name, Said(said, (0.9, 0.1), (0.9, 0.05, 0.05))) for name in CANDIDATES_EXAMPLE.passages)
    scenario = replace(CANDIDATES_EXAMPLE, nodes=nodes)
    with running(scenario) as double:
        found, _ = candidates(scenario, choices=choices)
    vote = voted(found, ranked(found, Weights(), "hard"), choices)
    assert vote is not None
    assert (vote.option, vote.unmatched) == (option, 0)
    assert double.bodies[0]["max_tokens"] == 50


def test_a_follow_up_is_asked_with_the_turn_before_it_and_may_go_on_with_its_evidence() -> None:
    scenario = replace(CANDIDATES_EXAMPLE, decision=(0.2, 0.1, 0.5))
    with running(scenario) as double:
        alone = decided(scenario.question)
        after = decided(scenario.question, previous={"question": "And the pay?", "answer": "It is paid."})
    assert (alone["verdict"]["decision"], after["verdict"]["decision"]) == ("yes", "continue")
    prompt = double.bodies[1]["prompt"][0].replace("## Input:\n", "")
    assert "\nAnd the pay?\nIt is paid.\nHow many days of leave" in prompt


def test_a_long_passage_is_cut_at_a_sentence_so_that_the_prompt_stays_within_the_training() -> None:
    whole = " ".join(f"Sentence {n} says what leave is like in year {n}." for n in range(200))
    scenario = replace(
        CANDIDATES_EXAMPLE, passages={"d1": whole}, nodes=(Node("d1", "d1", Said("A.", (0.9, 0.1), (1.0, 0, 0))),)
    )
    with running(scenario) as double:
        (found,), _ = candidates(scenario)
    shown = double.bodies[0]["prompt"][0].split("<paragraph>d1\n")[1].removesuffix("</paragraph>")
    assert shown.endswith(".")
    assert whole.startswith(shown)
    assert 3000 < len(shown) < 8000
    assert found.citations[0].quote in shown


def test_a_question_that_leaves_no_room_is_refused_with_a_hint_before_anything_is_sent() -> None:
    with running(CANDIDATES_EXAMPLE) as double, pytest.raises(RequestRejected, match="too long"):
        candidates(CANDIDATES_EXAMPLE, question="休暇は何日ありますか。" * 100)
    assert double.requests == 0


def test_what_was_cut_keeps_its_whole_sentences_and_is_worth_less() -> None:
    said = Said("It is so. " + "word " * 120, (0.9, 0.1), (0.9, 0.05, 0.05), q=0.9)
    scenario = replace(CANDIDATES_EXAMPLE, nodes=(Node("d1", "d1", said),), passages={"d1": "Some text."})
    with running(scenario):
        (found,), _ = candidates(scenario)
    assert (found.cut, found.answer, found.terms.use, found.terms.sup) == (True, "It is so.", -1.0, 0.0)
    assert (found.support.level, found.utility.score) == ("ungraded", None)


def test_the_same_passage_may_be_presented_again_and_a_sentence_may_rest_on_none() -> None:
    scenario = replace(
        SEGMENTS_EXAMPLE,
        nodes=(
            *SEGMENTS_EXAMPLE.nodes,
            Node("A3", "d1", Said("It is for all.", (0.9, 0.1), (0.9, 0.1, 0.0)), parent="A"),
            Node("A4", None, Said("That is all.", use=(0, 0, 0, 0.1, 0.9)), parent="A"),
        ),
    )
    with running(scenario):
        (a,), _ = segments(scenario, [branch(scenario, "A")])
        (again, bare), _ = segments(scenario, [branch(scenario, "A3", a), branch(scenario, "A4", a)])
    assert (again.passage_id, again.grounded, again.citations[0].passage_id) == ("d1", True, "d1")
    assert (bare.passage_id, bare.relevance, bare.citations, bare.next) == (None, None, [], "complete")
    assert bare.raw == f"{a.raw}[No Retrieval]That is all.[Utility:5]"


@pytest.mark.parametrize(
    ("ends", "threshold", "next_step"),
    [
        ((0.6, 0.1, 0.0), 0.2, "yes"),
        ((0.1, 0.6, 0.0), 0.2, "no"),
        ((0.2, 0.6, 0.0), 0.2, "yes"),  # what was written is overridden
        ((0.2, 0.6, 0.0), None, "no"),
        ((0.2, 0.1, 0.5), 0.2, "continue"),
        ((0.3, 0.1, 0.3), 0.2, "yes"),
    ],
)
def test_what_comes_after_a_segment_is_decided_where_it_ends(ends, threshold, next_step) -> None:
    scenario = replace(SEGMENTS_EXAMPLE, nodes=(Node("A", "d1", Said("So.", (0.9, 0.1), (0.9, 0.1, 0), ends=ends)),))
    with running(scenario):
        (a,), _ = segments(scenario, [branch(scenario, "A")], threshold=threshold)
    assert a.next == next_step
