"""The bounds on calls and rounds, found by walking every sequence of replies through the planner.

Situations that go on alike are walked once; one of a hundred that were met before is walked again, to see that they do.
"""

import re
import time
from typing import Any

import pytest

from tests.support.replies_of_the_loop import CascadeReplies
from tests.support.replies_of_the_loop import Replies as OfTheLoop
from tests.support.replies_of_the_paper import Replies as OfThePaper
from tests.support.walk import Replies, Walk

# A text without a verdict or of no use goes the way of a good one.
FATES = ("best", "worse", "irrelevant", "ungraded", "unsupported", "empty")
FEW = ("best", "unsupported")
SMALL = {"top_k": 2, "beam": 2, "max_segments": 2, "uses": (5,)}
# The starting points, with limits of calls and rounds; 40 calls are the policy's own cap. Speculation has only two
# passages: four approach the cap, which `off` covers, and take a minute.
WALKS: dict[str, tuple[Replies, str, int, int]] = {
    "naive": (OfTheLoop("naive", "draft"), "", 1, 1),
    "corrective": (OfTheLoop("corrective", "draft"), "earlier", 7, 3),
    "self_rag, off": (OfTheLoop("self_rag", "off", top_k=2, max_rewrites=1), "earlier", 23, 15),
    "self_rag, off, of four with two rewrites": (OfTheLoop("self_rag", "off"), "earlier", 40, 19),
    "self_rag, draft": (OfTheLoop("self_rag", "draft", top_k=2, max_rewrites=0), "", 20, 11),
    "self_rag, draft with a rewrite": (OfTheLoop("self_rag", "draft", top_k=2, max_rewrites=1), "", 32, 16),
    "self_rag, draft with two rewrites": (OfTheLoop("self_rag", "draft", top_k=2), "", 40, 19),
    "self_rag, draft of four": (OfTheLoop("self_rag", "draft"), "", 40, 19),
    "self_rag, full": (OfTheLoop("self_rag", "full", top_k=2, max_rewrites=0), "", 20, 10),
    "self_rag, full with a rewrite": (OfTheLoop("self_rag", "full", top_k=2, max_rewrites=1), "", 30, 13),
    "self_rag, full with two rewrites": (OfTheLoop("self_rag", "full", top_k=2), "", 40, 18),
    # A decision and Claude's verdict after it are two rounds, and one call of a language model.
    "self_rag, by a cascade": (CascadeReplies("self_rag", "off", top_k=2, max_rewrites=0), "", 16, 18),
    "self_rag, off, by a cascade": (CascadeReplies("self_rag", "off", top_k=2, max_rewrites=1), "", 22, 24),
    "self_rag, draft, by a cascade": (CascadeReplies("self_rag", "draft", top_k=2, max_rewrites=1), "", 27, 24),
    "adaptive, off": (OfTheLoop("adaptive", "off", top_k=1, max_rewrites=1), "", 20, 15),
    "adaptive, off, of four with two rewrites": (OfTheLoop("adaptive", "off"), "", 40, 19),
    "candidates, off": (OfThePaper(FATES, strategy="candidates", speculate="off", top_k=2), "", 18, 8),
    "candidates, full": (OfThePaper(FEW, strategy="candidates", speculate="full", top_k=2), "earlier", 22, 6),
    "candidates, full, by every fate": (
        OfThePaper(FATES, strategy="candidates", speculate="full", top_k=2),
        "earlier",
        22,
        6,
    ),
    "segments, off": (OfThePaper(FEW, strategy="segments", speculate="off", **SMALL), "", 24, 10),
    "segments, draft": (OfThePaper(FEW, strategy="segments", speculate="draft", **SMALL), "", 24, 7),
    "segments, one path": (
        OfThePaper(FEW, strategy="segments", speculate="off", **{**SMALL, "beam": 1, "max_segments": 3}),
        "earlier",
        24,
        14,
    ),
}


# Those that take 5 to 60 seconds.
LONG = re.compile("rewrite|of four|every fate|(off|draft), by a cascade")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if LONG.search(name) else []) for name in WALKS]
)
def test_every_sequence_ends_within_its_calls_and_rounds(name: str, record_property: Any) -> None:
    replies, previous, most_calls, most_rounds = WALKS[name]
    began, walk = time.process_time(), Walk(replies, previous)
    reach = walk.reach()
    record_property(
        "figures",
        f"{name}: {reach.sequences:,} sequences of replies in {walk.situations:,} situations, at most {reach.calls} "
        f"calls, {reach.rounds} rounds and {len(reach.longest)} passes; {time.process_time() - began:.1f} s",
    )
    assert (reach.calls <= most_calls, reach.rounds <= most_rounds) == (True, True), reach.longest
    assert reach.sequences > 10
