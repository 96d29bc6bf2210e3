"""What a person sees of answers that were compared."""

from collections.abc import Mapping
from io import StringIO
from typing import Any, get_args

import pytest
from rich.console import Console

from selfrag.domain.answers import Citation
from selfrag.domain.scores.critiqued import Out
from selfrag.domain.scores.shown import Scale, Scores, Stopped
from selfrag_cli.show.scores import REASONS, SCALES, STOPPED, show_scores
from tests.support.paper.compared import TEXTS, answers, tree


def lines(
    scores: dict[str, Any], *cited: str, places: Mapping[str, str] = {}, texts: Mapping[str, str] = {}
) -> list[str]:
    """Return what is printed, a line each, without the guides of the tree."""
    text = StringIO()
    citations = [Citation(passage_id=one, document="a.md", quote="q", answer_span=(0, 1)) for one in cited]
    show_scores(Console(file=text, width=200), Scores.model_validate(scores), citations, places, texts)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_answers_stand_best_first_with_their_terms_and_why_one_is_out() -> None:
    shown = lines(answers(), "pB")
    assert shown[:6] == [
        "Answers, best first",
        "├── chosen, score 2.05: s(Rel) 0.80, s(Sup) 1.00, s(Use) 0.50, from leave-B.md [1]",
        f"│   {TEXTS['B']}",
        "├── kept, score 1.90: s(Rel) 0.90, s(Sup) 0.50, s(Use) 1.00, from leave-A.md",
        f"│   {TEXTS['A']}",
        "└── out (its passage is not relevant), no score: s(Rel) 0.30, from leave-C.md",
    ]


def test_segments_stand_below_the_one_that_they_follow_each_with_the_number_of_its_passage() -> None:
    shown = lines(tree(), "pA", "pA1", "pA")
    assert shown[:9] == [
        "Segments, each below the one that it follows",
        "├── chosen, score 1.85: s(Rel) 0.95, s(Sup) 0.90, from leave-A.md [1]",
        f"│   {TEXTS['A']}",
        "│   ├── chosen, score 2.33: s(Rel) 0.90, s(Sup) 1.00, s(Use) 0.90, from leave-A1.md [2]",
        f"│   │   {TEXTS['A1']}",
        "│   └── out (its passage does not support it), score 1.15: s(Rel) 0.70, s(Sup) 0.20, s(Use) -0.45, "
        "from leave-A2.md",
        "├── kept, score 1.80: s(Rel) 0.90, s(Sup) 0.70, s(Use) 0.40, from leave-B.md",
        "└── out (others were better), score 1.10: s(Rel) 0.60, s(Sup) 0.50, from leave-C.md",
        "Scores made of the probabilities that a decision model gave; they cannot be compared with scores of another "
        "scale. s(Rel) and s(Sup) are from 0 to 1, s(Use) from -1 to 1.",
    ]


def test_the_texts_of_what_was_pruned_are_shown_where_they_are_known() -> None:
    assert f"│       {TEXTS['A2']}" in lines(tree(), texts=TEXTS)
    assert TEXTS["A2"] not in "".join(lines(tree()))


def test_votes_are_told_the_highest_first() -> None:
    assert "Votes    true 3.45, false 2.60" in lines({**answers(), "votes": {"false": 2.6, "true": 3.45}})


def test_a_search_of_segments_that_a_limit_ended_says_which() -> None:
    assert "Stopped  the next step could have passed the limit of cost" in lines({**tree(), "stopped": "cost"})


@pytest.mark.parametrize(
    ("codes", "words"), [(Out, REASONS), (Stopped, STOPPED), (Scale, SCALES)], ids=["reasons", "limits", "scales"]
)
def test_there_are_words_for_every_code(codes: Any, words: dict[str, str]) -> None:
    assert set(words) == set(get_args(codes)) - {""}


def test_a_text_that_would_move_the_cursor_or_write_in_colours_does_neither() -> None:
    evil = {**answers(), "nodes": [{**answers()["nodes"][1], "text": "[red]a\x1b[2J", "document": "[b]\x07.md"}]}
    shown = "\n".join(lines(evil))
    assert "[red]a␛[2J" in shown
    assert "from [b]␇.md" in shown


def test_where_the_passages_are_known_their_places_are_told_with_the_heading() -> None:
    assert "from leave.md > Pay [1]" in lines(answers(), "pB", places={"pB": "leave.md > Pay"})[1]
