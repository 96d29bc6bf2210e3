"""The walk of `segments`: what its steps may reply, what makes two situations equal, and what holds of all."""

import json
from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from typing import Any

from cli.local.aws.definitions import SEGMENTS
from cli.local.aws.stack import definition_text
from question.compose_answer.logic import compose
from question.compose_answer.task import Task
from question.pick_candidate.logic import Task as Picked
from question.pick_candidate.logic import pick
from question.rank_paths.logic import Task as Ranked
from question.rank_paths.logic import rank
from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import Segment, out
from selfrag.domain.scores.paths import Path, path_score
from tests.support import steps
from tests.support.walks import trees
from tests.support.walks.remembered import template
from tests.support.walks.walker import Choice, Reach, Variables, Walker

DEFINITION = json.loads(definition_text(SEGMENTS))
EARLIER = {
    "id": {"S": "earlier"},
    "question": {"S": "How many days?"},
    "answer": {"S": "25 days."},
    "collections": {"L": [{"S": "c"}]},
    "evidence": {"L": [{"M": {"passage_id": {"S": "e1"}, "score": {"N": "0.9"}}}]},
    "expires_at": {"N": "99999999999"},
}
SMALL = {"top_k": 2, "beam": 2, "max_segments": 3, "max_model_calls": 1000, "max_sequences": 1000}
FATES = ("best", "worse", "irrelevant", "ungraded", "unsupported", "empty", "repeated", "cut")
HARD_OUT = ("irrelevant", "unsupported")
# Of a branch of the endpoint: its fate, and what its path decides at its end.
TOLD = [
    *(("best", following) for following in ("yes", "continue", "no", "complete 5")),
    *(("worse", following) for following in ("yes", "complete 2")),
]
LAST = [("best", "yes"), ("best", "complete 5"), ("worse", "yes"), ("worse", "complete 2")]


def bound(policy: dict[str, Any]) -> int:
    """The calls of PAPER.md 9."""
    k, beam, depth = policy["top_k"], policy["beam"], policy["max_segments"]
    children = k + (depth - 1) * beam * k
    if policy["generator"] == "selfrag":
        return 1 + int(depth)
    return int(1 + (depth - 1) * beam + 3 * children + beam)


class Segments:
    """A walk of one policy: what the steps may reply, and what of a situation can still make a difference."""

    def __init__(self, fates: Sequence[str] = FATES, **policy: Any) -> None:
        common = {"deadline_seconds": 100_000, "max_cost_usd": None, "constraints": "hard", "generator": "claude"}
        self.policy = {**common, **SMALL, "speculate": "off", **policy}
        self._fates = fates
        self._capped = self.policy["max_model_calls"] <= bound(self.policy)

    def walker(self) -> Walker:
        return Walker(
            DEFINITION, self.alternatives, "ComposeAnswer", self.composed, self.deciding, lambda v: v, self.alike
        )

    def asked(self, previous: bool = False) -> dict[str, Any]:
        asked = {"question": "How many days?", "collections": ["c"], "policy": self.policy}
        return {**asked, "previous": "earlier"} if previous else asked

    def alternatives(self, name: str, variables: Variables) -> Sequence[Sequence[Choice]]:
        """Everything that the lanes of a state may come back with, as far as verdicts go."""
        if name == "RecallAnswer":
            return [[("kept", {name: {"Item": EARLIER}}), ("gone", {name: {}})]]
        if name == "DecideRetrieval":
            return [[trees.decided(decision) for decision in ("yes", "no", "continue", "ungraded")]]
        if name == "ExpandBeam":
            return [self.of_a_path(one, variables) for one in variables["beam"] if not one["finished"]]
        if name == "GenerateSegments":
            return [self.requests(variables)]
        if name == "JudgePaths":
            judged = 1 if variables["draft"]["answer"] else len(variables["beam"])
            return [[(str(use), {"GradeUtility": steps.utility(use)}) for use in (5, 2, None)]] * judged
        return [[("", {name: self.logic(name, variables)})]]

    def of_a_path(self, one: dict[str, Any], variables: Variables) -> list[Choice]:
        if self.policy["generator"] == "selfrag":
            return [trees.path("", ("best",) * size) for size in range(self.policy["top_k"] + 1)]
        if variables["direct"]:
            return trees.directs()
        return trees.of_a_path(self._fates, self.policy["top_k"], asked=bool(one["segments"]))

    def requests(self, variables: Variables) -> list[Choice]:
        """Of the branches of each path each combination of fates; and of all together each way to be out."""
        branches = variables["branches"]
        if variables["direct"]:
            return direct_requests()
        told = LAST if variables["level"] == self.policy["max_segments"] else TOLD
        parents = [one["parent"] for one in branches]
        ways = [
            list(combinations_with_replacement([*told, ("ungraded", "")], parents.count(parent)))
            for parent in dict.fromkeys(parents)
        ]
        found = [trees.request(branches, [one for way in picked for one in way]) for picked in product(*ways)]
        return [*found, *(trees.request(branches, [(fate, "yes")] * len(branches)) for fate in self._fates[2:])]

    def logic(self, name: str, variables: Variables) -> dict[str, Any]:
        """What the steps that ask no model give back: they are the real ones."""
        payload = template(DEFINITION["States"][name]["Arguments"]["Payload"], variables)
        if name == "RankPaths":
            ranked = rank(Ranked.model_validate(payload))
            assert len(ranked.beam) <= self.policy["beam"]
            return ranked.model_dump(mode="json")
        assert name == "PickCandidate"
        return pick(Picked.model_validate(payload)).model_dump(mode="json")

    def composed(self, payload: dict[str, Any]) -> dict[str, Any]:
        """The response, of which each holds what must hold of all."""
        response = compose(Task.model_validate(payload), {}, False).model_dump(mode="json")
        answer, usage = response["answer"], response["usage"]
        nodes = (response["scores"] or {"nodes": []})["nodes"]
        assert usage["model_calls"] <= self.policy["max_model_calls"]
        assert usage["sequences"] <= self.policy["max_sequences"]
        assert max((node["id"].count(".") + 1 for node in nodes), default=0) <= self.policy["max_segments"]
        if self.policy["constraints"] == "hard":
            assert not [fate for fate in HARD_OUT if f"{fate} of" in answer]
        assert not [fate for fate in ("ungraded", "empty", "cut") if f"{fate} of" in answer]
        if response["status"] == "answered":
            assert response["reflection"]["utility"]["score"] >= 3
            assert not [word for word in ("worse of", "unchecked of", "[uncited]") if word in answer]
        return response

    def deciding(self, name: str, variables: Variables) -> Any:
        """What of a situation can still make a difference."""
        ledger, beam, draft = variables["ledger"], variables["beam"], variables["draft"]
        written = [variables[key] for key in ("children", "branches", "complete")]
        grown, grows = bool(beam and beam[0]["segments"]), name not in ("JudgePaths", "PickCandidate")
        return [
            *(variables[key] for key in ("stopped", "best")),
            [draft["answer"], draft["utility"]["score"]],
            [shape(one) for one in beam],
            # Of nothing it is told why there is nothing.
            None if grown else sorted({verdict["label"] for verdict in variables["relevance"]}),
            None if grown else sorted({str(entry.get("error")) for entry in ledger}),
            # What only another level asks for.
            [variables[key] for key in ("level", "first", "direct")] if grows else [],
            [carried(one, variables["passages"]) for one in beam] if grows else [],
            written if name in ("GenerateSegments", "RankPaths") else [],
            bool(variables["previous_relevance"]),
            sum(entry.get("attempts") or 0 for entry in ledger) if self._capped and grows else None,
        ]

    def alike(self, name: str, variables: Variables, result: Any) -> tuple[Any, int]:
        """What of a lane's result can still make a difference, and its calls."""
        if name != "ExpandBeam":
            return result, 0
        calls = sum(entry.get("attempts") or 0 for entry in result["entries"] if entry)
        root = not variables["beam"][0]["segments"]
        said = {
            "complete": result["complete"],
            "branches": len(result["branches"]),
            "standing": sorted(json.dumps(one) for one in map(self.standing, result["children"]) if one),
            "labels": sorted({verdict["label"] for verdict in result["relevance"]}) if root else None,
            "errors": sorted({str(entry.get("error")) for entry in result["entries"] if entry}) if root else None,
            "calls": calls if self._capped else None,
        }
        return said, calls

    def standing(self, child: dict[str, Any]) -> list[Any] | None:
        """What a sentence that can stand is worth; None of one that is out, whatever it is for."""
        found = Segment.model_validate(child)
        if out(found, self.policy["constraints"]) or found.cut or found.answer.split(" of ")[-1] != f"{found.id}.":
            return None
        return shape({"segments": [child], "finished": ""})


def direct_requests() -> list[Choice]:
    """The endpoint's answer without a search, or none."""
    found = {"passage_id": None, "answer": "Direct.", "utility": {"score": 5}}
    return [
        (label, {"GenerateSegments": {**steps.asked("generate", written=written), "sequences": 1}})
        for label, written in (("direct", [found]), ("nothing", [{**found, "answer": ""}]))
    ]


def shape(one: dict[str, Any]) -> list[Any]:
    """All that is asked of a path when paths are compared and one goes out, its text and names left out."""
    if not one["segments"]:
        return []
    path = Path.model_validate(one)
    grounded = [segment for segment in path.segments if segment.grounded]
    return [
        path.finished,
        round(path_score(path, Weights(use=0)), 9),
        path.use,
        path.utility and path.utility.score,
        [len(path.segments), len(grounded)],
        sorted({segment.support.level for segment in grounded}),
        all(segment.relevance.relevant for segment in path.segments if segment.relevance),
    ]


def carried(one: dict[str, Any], passages: list[dict[str, Any]]) -> list[Any]:
    """What its next sentence asks of a path: what it decided, and whether its last passage is at hand."""
    last = one["segments"][-1] if one["segments"] else {}
    return [last.get("next"), last.get("passage_id") in [found["passage_id"] for found in passages]]


def walk(segments: Segments, previous: bool = False) -> tuple[Reach, Walker]:
    walker = segments.walker()
    return walker.walk(segments.asked(previous)), walker
