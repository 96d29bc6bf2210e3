"""RankPaths: which paths of a level go on."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.domain.scores.critiqued import Segment
from selfrag.domain.scores.paths import Path, path_score
from selfrag.domain.steps import RankPathsTask
from selfrag.domain.verdicts import RelevanceVerdict, SupportVerdict, UtilityVerdict
from selfrag.question.rank_paths.logic import LEVEL_BYTES, rank
from selfrag.text.state_budget import STATE_BUDGET_BYTES


def segment(name: str, parent: str = "", rel: float | None = 0.9, sup: float = 1.0, **more: Any) -> Segment:
    """Return a sentence judged by labels: s(Rel) and s(Sup)."""
    label = "ungraded" if rel is None else "relevant" if rel >= 0.5 else "irrelevant"
    verdict = RelevanceVerdict(
        passage_id=f"p{name}", document="a.md", relevant=label == "relevant", score=rel, label=label
    )
    level = {1.0: "fully_supported", 0.5: "partially_supported"}.get(sup, "no_support")
    told = {"passage_id": f"p{name}", "answer": f"Sentence {name}.", "relevance": verdict, **more}
    return Segment(id=name, parent=parent, support=SupportVerdict(level=level), **told)


def path(*segments: Segment, **more: Any) -> Path:
    return Path(segments=list(segments), **more)


def reasons(task: RankPathsTask) -> dict[str, str]:
    return {node.id: node.reason for node in rank(task).nodes}


def test_each_sentence_that_cannot_go_on_has_its_reason() -> None:
    before = path(segment("1"))
    children = [
        segment("1.1", "1", rel=None),
        segment("1.2", "1", rel=0.2, answer=""),
        segment("1.3", "1", sup=0.0),
        segment("1.4", "1", answer=""),
        segment("1.5", "1", answer="", cut=True),
        segment("1.6", "1", cut=True),
        segment("1.7", "1", answer=" sentence  1. "),
        segment("1.8", "1"),
    ]
    assert reasons(RankPathsTask(beam=[before], children=children)) == {
        "1.1": "ungraded",
        "1.2": "irrelevant",
        "1.3": "no_support",
        "1.4": "no_answer",
        "1.5": "cut",
        "1.6": "cut",
        "1.7": "repeated",
        "1.8": "",
    }


def test_soft_constraints_rank_what_hard_ones_remove() -> None:
    children = [segment("1", sup=0.0), segment("2", rel=0.2)]
    assert rank(RankPathsTask(children=children)).beam == []
    assert [kept.id for kept in rank(RankPathsTask(children=children, constraints="soft")).beam] == ["2", "1"]


def test_path_complete_or_without_new_sentence_is_finished_and_kept() -> None:
    beam = [path(segment("1")), path(segment("2")), path(segment("3"), finished="complete")]
    found = rank(RankPathsTask(beam=beam, complete=["1"], children=[segment("2.1", "2", sup=0.0)], size=3))
    assert {kept.id: kept.finished for kept in found.beam} == {"1": "complete", "2": "no_evidence", "3": "complete"}


def test_outranked_path_is_pruned_with_its_descendants() -> None:
    first = rank(RankPathsTask(children=[segment("1", rel=0.9), segment("2", rel=0.8)]))
    children = [segment("1.1", "1"), segment("1.2", "1"), segment("2.1", "2", rel=0.5)]
    second = rank(RankPathsTask(beam=first.beam, nodes=first.nodes, children=children))
    states = {node.id: node.state for node in second.nodes}
    assert states == {"1": "kept", "2": "pruned", "1.1": "kept", "1.2": "kept", "2.1": "pruned"}


def test_another_verdict_says_that_an_answer_is_complete() -> None:
    assert rank(RankPathsTask(children=[segment("1", next="complete")])).beam[0].finished == ""


def test_a_sentence_without_a_passage_has_no_score_of_its_own() -> None:
    bare = Segment(id="1.1", parent="1", passage_id=None, answer="So it is five.")
    found = rank(RankPathsTask(beam=[path(segment("1", rel=0.8))], children=[bare]))
    [line] = found.nodes
    assert (line.score, line.rel, line.sup) == (None, None, None)
    assert path_score(found.beam[0], RankPathsTask().weights) == 1.8


def test_paths_exceeding_state_size_are_dropped_from_end_with_report() -> None:
    long = "x" * ((STATE_BUDGET_BYTES - LEVEL_BYTES) // 2)
    children = [segment(name, answer=f"{long} {name}.", rel=rel) for name, rel in (("1", 0.9), ("2", 0.8))]
    found = rank(RankPathsTask(children=children))
    assert [kept.id for kept in found.beam] == ["1"]
    assert found.warnings == [f"The lowest-ranked paths were dropped: the state holds {STATE_BUDGET_BYTES} bytes."]
    assert [(node.state, node.reason) for node in found.nodes] == [("kept", ""), ("pruned", "beam")]


# Properties

RELS = st.none() | st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])
SUPS = st.sampled_from([0.0, 0.5, 1.0])
ENDS = st.sampled_from(["", "complete", "no_evidence"])
USES = st.none() | st.builds(UtilityVerdict, score=st.sampled_from([1, 3, 5]))


@st.composite
def levels(draw: st.DrawFn) -> RankPathsTask:
    """Return a beam of up to three paths, and up to three sentences at the end of each live one."""
    beam: list[Path] = []
    for name in range(draw(st.integers(0, 3))):
        told = [segment(f"{name}.{n}", "", draw(RELS), draw(SUPS)) for n in range(draw(st.integers(1, 3)))]
        beam.append(path(*told, finished=draw(ENDS), utility=draw(USES)))
    parents = [one.id for one in beam if not one.finished] if beam else [""]
    children = [
        segment(f"{parent}/{number}", parent, draw(RELS), draw(SUPS))
        for parent in parents
        for number in range(draw(st.integers(0, 3)))
    ]
    complete = [one.id for one in beam if not one.finished and draw(st.booleans())]
    constraints = draw(st.sampled_from(["hard", "soft"]))
    return RankPathsTask(
        beam=beam, children=children, complete=complete, size=draw(st.integers(1, 3)), constraints=constraints
    )


@settings(max_examples=300, deadline=None)
@given(levels())
def test_beam_is_bounded_and_keeps_better_finished_paths(task: RankPathsTask) -> None:
    found = rank(task)
    kept = [one.id for one in found.beam]
    assert len(kept) == len(set(kept)) <= task.size
    worst = min((path_score(one, task.weights) for one in found.beam), default=0.0)
    for one in task.beam:
        if one.finished and one.id not in kept:
            assert len(kept) == task.size
            assert path_score(one, task.weights) <= worst + 1e-9
    lines = {node.id: node for node in found.nodes}
    assert {child.id for child in task.children} == set(lines)
    for name, line in lines.items():
        inside = any(name == part.id for one in found.beam for part in one.segments)
        assert (line.state == "kept") == inside == (line.reason == "")
