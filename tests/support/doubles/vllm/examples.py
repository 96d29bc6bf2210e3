"""The worked examples of the specification, sections 10 and 11, as what a model says."""

import math
from dataclasses import replace

from tests.support.doubles.vllm.scenario import Node, Said, Scenario

# fmt: off
# 9, 9 and 5 words: with their critique 12, 12 and 8 tokens.
_D1 = Said("You have 25 days of leave in a year.", (0.90, 0.05), (0.10, 0.60, 0.30), (0.02, 0.03, 0.10, 0.25, 0.60),
           math.exp(-2.4 / 12))
_D2 = Said("All staff have 30 days of leave every year.", (0.72, 0.18), (0.63, 0.18, 0.09),
           (0.05, 0.05, 0.20, 0.40, 0.30), math.exp(-4.2 / 12))
# The specification has (0.30, 0.60), whose log-probability leaves less than nothing for the words: the same ratio with
# all of the mass does not.
_D3 = Said("Boats leave every fifth day.", (1 / 3, 2 / 3), (0.90, 0.05, 0.05), (0.01, 0.01, 0.03, 0.15, 0.80),
           math.exp(-0.8 / 8))
CANDIDATES_EXAMPLE = Scenario(
    question="How many days of leave do I have?",
    decision=(0.12, 0.40, 0.0),
    passages={
        "d1": "Leave is 25 days a year for most of the staff. It begins in May.",
        "d2": "All staff have 30 days of leave. Days that are left end in March.",
        "d3": "Fishing boats leave on every fifth day of the week.",
    },
    nodes=(Node("d1", "d1", _D1), Node("d2", "d2", _D2), Node("d3", "d3", _D3)),
)
_ON = (0.60, 0.10, 0.0)
_A = Said("Leave is 25 days a year.", (0.95, 0.05), (0.85, 0.10, 0.05), q=0.80, ends=_ON)
_B = Said("All staff have 25 days.", (0.90, 0.10), (0.60, 0.20, 0.20), (0.05, 0.05, 0.20, 0.45, 0.25), q=0.75)
_C = Said("Boats leave often.", (0.60, 0.40), (0.30, 0.40, 0.30), q=0.70, ends=_ON)
_A1 = Said("What is left ends in March.", (0.90, 0.10), (1.0, 0.0, 0.0), (0.0, 0.0, 0.05, 0.10, 0.85), q=0.85)
_A2 = Said("May is a month.", (0.70, 0.30), (0.10, 0.20, 0.70), (0.30, 0.40, 0.20, 0.10, 0.0), q=0.60)
SEGMENTS_EXAMPLE = Scenario(
    question="Tell me about leave.",
    decision=(0.70, 0.10, 0.0),
    passages={
        "d1": "Leave is 25 days a year. It is for all.",
        "d2": "All staff have 25 days. That is so for the whole year.",
        "d3": "Boats leave often. They come back late.",
        "e1": "Days that are left end in March. No pay is given for them.",
        "e2": "May comes after April. It has 31 days.",
    },
    nodes=(Node("A", "d1", _A), Node("B", "d2", _B), Node("C", "d3", _C),
           Node("A1", "e1", _A1, parent="A"), Node("A2", "e2", _A2, parent="A")),
    segmented=True,
)
# fmt: on


def _instead(said: Said) -> Scenario:
    nodes = tuple(replace(node, said=said) if node.name == "A1" else node for node in SEGMENTS_EXAMPLE.nodes)
    return replace(SEGMENTS_EXAMPLE, nodes=nodes)


# B, finished at the first level, is better than A with this child.
WEAK_CHILD_EXAMPLE = _instead(
    replace(_A1, relevance=(0.60, 0.40), support=(0.30, 0.40, 0.30), use=(0.05, 0.15, 0.35, 0.25, 0.20), q=0.50)
)
# No child of A remains: it stays as it is, unfinished, and is better than B.
NO_CHILD_EXAMPLE = _instead(replace(_A1, support=(0.10, 0.20, 0.70)))
