"""PickCandidate, of paths: the one with the highest score is the answer, its sentences joined."""

from typing import Any

import pytest

from selfrag.domain.answers import UNCITED, Citation
from selfrag.domain.scores.critiqued import Segment
from selfrag.domain.scores.paths import Path
from selfrag.domain.scores.shown import Node
from selfrag.domain.steps import PickCandidateTask
from selfrag.domain.verdicts import RelevanceVerdict, SupportVerdict, UtilityVerdict
from selfrag.question.pick_candidate.logic import join_path, pick


def segment(name: str, text: str = "", source: str | None = "", level: Any = "fully_supported", **more: Any) -> Segment:
    text, source = text or f"Sentence {name}.", f"p{name}" if source == "" else source
    cited = [Citation(passage_id=source, document="a.md", quote="q", answer_span=(0, len(text)))] if source else []
    verdict = RelevanceVerdict(passage_id=source, relevant=True, score=0.9, label="relevant") if source else None
    told = {"citations": cited, "relevance": verdict, "support": SupportVerdict(level=level), **more}
    return Segment(id=name, passage_id=source, answer=text, **told)


def path(*segments: Segment, utility: Any = 5, **more: Any) -> Path:
    return Path(segments=list(segments), utility=UtilityVerdict(score=utility), **more)


def test_each_sentence_has_one_citation_where_it_stands() -> None:
    twice = segment("1.1", citations=[*segment("1.1").citations, *segment("1.1").citations])
    text, citations = join_path([segment("1"), twice])
    assert text == "Sentence 1. Sentence 1.1."
    assert [(c.passage_id, text[slice(*c.answer_span)]) for c in citations] == [
        ("p1", "Sentence 1."), ("p1.1", "Sentence 1.1.")
    ]  # fmt: skip


def test_sentence_without_passage_is_marked_and_answer_not_fully_supported() -> None:
    found = pick(PickCandidateTask(tree=True, beam=[path(segment("1"), segment("1.1", source=None, level="ungraded"))]))
    assert found.winner is not None
    assert found.winner.answer == f"Sentence 1. Sentence 1.1. {UNCITED}"
    assert found.winner.support.level == "partially_supported"
    assert [claim.claim for claim in found.winner.support.claims] == ["Sentence 1.1."]
    assert found.warnings == ["Sentence 2 rests on no passage."]


@pytest.mark.parametrize(("second", "whole"), [("model", "model"), ("rule", "rule")])
def test_rule_based_sentence_support_does_not_make_answer_judged(second: Any, whole: str) -> None:
    verdict = SupportVerdict(level="fully_supported", judged_by=second)
    found = pick(PickCandidateTask(tree=True, beam=[path(segment("1"), segment("1.1", support=verdict))]))
    assert found.winner is not None
    assert found.winner.support.judged_by == whole


def test_a_sentence_that_cites_nothing_of_its_passage_is_marked() -> None:
    text, citations = join_path([segment("1", citations=[])])
    assert (text, citations) == (f"Sentence 1. {UNCITED}", [])


def test_sentences_of_east_asian_texts_stand_without_a_space() -> None:
    assert (
        join_path([segment("1", "休暇は25日です。"), segment("2", "5月に始まります。")])[0]
        == "休暇は25日です。5月に始まります。"
    )


@pytest.mark.parametrize(
    ("levels", "level"),
    [
        (["fully_supported", "fully_supported"], "fully_supported"),
        (["fully_supported", "partially_supported"], "partially_supported"),
        (["fully_supported", "no_support"], "partially_supported"),
        (["no_support", "no_support"], "no_support"),
        (["fully_supported", "ungraded"], "ungraded"),
    ],
)
def test_an_answer_is_as_well_supported_as_all_of_its_sentences(levels: list[str], level: str) -> None:
    segments = [segment(str(number), level=one) for number, one in enumerate(levels)]
    found = pick(PickCandidateTask(tree=True, beam=[path(*segments)]))
    assert found.winner is not None
    assert found.winner.support.level == level


@pytest.mark.parametrize(
    ("finished", "stopped", "said"),
    [("complete", "depth", ""), ("no_evidence", "", "no_evidence"), ("", "calls", "calls"), ("", "depth", "depth")],
)
def test_why_the_winner_is_not_finished_is_said(finished: Any, stopped: Any, said: str) -> None:
    assert (
        pick(PickCandidateTask(tree=True, beam=[path(segment("1"), finished=finished)], stopped=stopped)).scores.stopped
        == said
    )


def test_tree_reports_chosen_and_kept_paths_with_their_text() -> None:
    nodes = [Node(id=name, passage_id="p", state="kept", score=1.9) for name in ("1", "1.1", "2")]
    nodes.append(Node(id="3", passage_id="p", state="pruned", reason="beam", score=1.0))
    found = pick(
        PickCandidateTask(
            tree=True, beam=[path(segment("1"), segment("1.1")), path(segment("2"), utility=1)], nodes=nodes
        )
    )
    assert [(node.id, node.state, node.text) for node in found.scores.nodes] == [
        ("1", "chosen", "Sentence 1."),
        ("1.1", "chosen", "Sentence 1.1."),
        ("2", "kept", "Sentence 2."),
        ("3", "pruned", ""),
    ]
    assert [node.use for node in found.scores.nodes] == [None, 1.0, -1.0, None]


def test_soft_constraints_warn_about_admitted_flaws() -> None:
    bad = RelevanceVerdict(passage_id="p1", relevant=False, score=0.2, label="irrelevant")
    found = pick(
        PickCandidateTask(constraints="soft", tree=True, beam=[path(segment("1", level="no_support", relevance=bad))])
    )
    assert found.winner is not None
    assert not found.winner.relevant
    assert found.warnings == [
        "Sentence 1 rests on a passage that was graded irrelevant.",
        "Sentence 1 is not supported by its passage.",
    ]
