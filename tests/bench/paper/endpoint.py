"""The fine-tuned model, by the strict double: the same story, of which every sentence is as good as the others."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from selfrag.domain.passages import Passage
from tests.bench.paper.ways import CANDIDATES, SEGMENTS, Way
from tests.bench.running import Asked, Running
from tests.bench.scenarios import LONG_AGO
from tests.bench.stories import MANY, found
from tests.support.doubles.vllm import Node, Said, Scenario, VllmDouble

WAYS = tuple(replace(way, generator="selfrag") for way in (*CANDIDATES, *SEGMENTS))
_RELEVANT, _SUPPORTED, _USEFUL = (0.9, 0.1), (0.9, 0.05, 0.05), (0.02, 0.03, 0.05, 0.1, 0.8)
# Behind a segment the model would rather search than not, so that no path is ever finished.
_GOES_ON = (0.6, 0.1, 0.0)


def scenario_of(way: Way) -> Scenario:
    """What the model says: the first sentence of each passage that the story's searches find."""
    passages: dict[str, str] = {}
    nodes: list[Node] = []
    for parent, passage in _below(way, MANY.question(1), "", way.segments or 1):
        passages[passage.passage_id] = passage.text
        nodes.append(Node(passage.passage_id, passage.passage_id, _said(way, passage), parent))
    return Scenario(MANY.question(1), _GOES_ON, passages, tuple(nodes), segmented=way.strategy == "segments")


def _below(way: Way, query: str, parent: str, levels: int) -> Iterator[tuple[str, Passage]]:
    """All that a tree could have below a node: what is found, and what each sentence of it finds."""
    for passage in found(query)[: way.top_k] if levels else []:
        yield parent, passage
        deeper = f"{MANY.question(1)} {_fact(passage)}"
        yield from _below(way, deeper, passage.passage_id, levels - 1)


def _fact(passage: Passage) -> str:
    return passage.text.partition(". ")[0] + "."


def _said(way: Way, passage: Passage) -> Said:
    ends: dict[str, Any] = {"ends": _GOES_ON} if way.strategy == "segments" else {"use": _USEFUL}
    return Said(_fact(passage), _RELEVANT, _SUPPORTED, q=0.9, **ends)


def asked_of(at: Running, double: VllmDouble, way: Way, speculate: str) -> Asked:
    """The story's question by the endpoint, which counts anew."""
    double.scenario = scenario_of(way)
    double.requests = double.sequences = 0
    at.forget()
    at.api.clock.move(LONG_AGO)
    return at.ask(MANY.question(1), **way.policy, speculate=speculate)


def endpoint_rows(at: Running, double: VllmDouble, speculate: str) -> Iterator[dict[str, Any]]:
    """A line for each way: requests and sequences, as the endpoint counted them; a request has no price."""
    for way in WAYS:
        asked = asked_of(at, double, way, speculate)
        usage = asked.response["usage"]
        yield {
            "strategy": way.strategy,
            "k": way.top_k,
            "segments": way.segments,
            "speculate": speculate,
            "status": asked.response["status"],
            "requests": double.requests,
            "sequences": double.sequences,
            "rounds": usage["rounds"],
            "at_least": way.floor(speculate),
            "seconds": round(asked.seconds, 2),
            "input_tokens": usage["input_tokens"],
            "output_tokens": usage["output_tokens"],
        }
