"""Steps with random but reproducible replies, which are recorded."""

import hashlib
import json
import random
from collections.abc import Callable
from typing import Any

from selfrag.domain.errors import BudgetExceeded, DeadlineExceeded, TemporarilyUnavailable
from selfrag.question.compose_answer.handler import handler as compose_answer
from selfrag.question.plan.handler import handler as plan
from tests.support import steps
from tests.support.definition import snake
from tests.support.replies_of_the_loop import Replies as OfTheLoop
from tests.support.replies_of_the_paper import OF_CANDIDATES, OF_SENTENCES
from tests.support.replies_of_the_paper import Replies as OfThePaper
from tests.support.walk import Replies

ASKED = (
    "DecideRetrieval",
    "Retrieve",
    "SearchWeb",
    "GradeRelevance",
    "Generate",
    "GradeSupport",
    "GradeUtility",
    "RewriteQuestion",
    "RankPaths",
    "PickCandidate",
)
FAULTS = (TemporarilyUnavailable("for ever"), DeadlineExceeded("too late"), BudgetExceeded("too dear"))
# These follow from the moment.
TIMES = ("began_ms", "now_ms", "deadline_ms")
Handler = Callable[[dict[str, Any], Any], Any]


class World:
    """The steps of one question, drawn from a seed: its strategy, policy, earlier question, and every reply."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        self.seed = seed
        strategy = draw.choice(["self_rag", "self_rag", "adaptive", "corrective", "naive", "candidates", "segments"])
        speculate = draw.choice(["off", "draft", "full"])
        self._faulty = draw.choice([0.0, 0.0, 0.05])
        follows = draw.random() < 0.3
        self.earlier = steps.earlier("relevant 0/0", "best 1/0") if follows and draw.random() < 0.7 else None
        self._replies = self._drawn(draw, strategy, speculate)
        policy = {"deadline_seconds": 240, "web_search": True, "cache": draw.random() < 0.5, **self._replies.policy}
        self.asked: dict[str, Any] = {"question": "How many days?", "collections": ["c"], "policy": policy}
        if draw.random() < 0.5:
            self.asked |= {"filters": {"tags": ["hr"]}}
        if follows:
            self.asked |= {"previous": "earlier"}
        self.events: list[tuple[str, str]] = []

    def _drawn(self, draw: random.Random, strategy: str, speculate: str) -> Replies:
        if strategy not in ("candidates", "segments"):
            return OfTheLoop(strategy, speculate)
        paper = {"strategy": strategy, "speculate": speculate, "top_k": draw.choice([2, 3])}
        return OfThePaper(OF_CANDIDATES if strategy == "candidates" else OF_SENTENCES, **paper)

    def handlers(self) -> dict[str, Handler]:
        """Return the handlers by the folders of their steps; Plan and ComposeAnswer are real."""
        real = {"plan": self._noting("plan", plan), "compose_answer": self._noting("compose_answer", compose_answer)}
        return {**{snake(step): self._noting(snake(step), self._reply(step)) for step in ASKED}, **real}

    def _noting(self, name: str, handler: Handler) -> Handler:
        def noting(event: dict[str, Any], context: Any) -> Any:
            self.events.append((name, self._essence(event)))
            return handler(event, context)

        return noting

    def _reply(self, step: str) -> Handler:
        def reply(event: dict[str, Any], context: Any) -> Any:
            seed = hashlib.sha256(f"{self.seed} {step} {self._essence(event)}".encode()).hexdigest()
            draw = random.Random(seed)
            if draw.random() < self._faulty:
                raise draw.choice(FAULTS)
            given = [event["passage"]] if event.get("passage") else event.get("passages", [])
            found = self._replies.of(step, event, [one["passage_id"] for one in given], [])
            _, result = draw.choice([one for one in found if one[1] is not None])
            return result

        return reply

    def _essence(self, event: dict[str, Any]) -> str:
        kept = {name: value for name, value in event.items() if name not in TIMES}
        if "state" in kept:
            # The state has the times of the question.
            return json.dumps([kept.get("question"), sorted(kept["state"]), _sizes(kept)], sort_keys=True)
        return json.dumps(kept, sort_keys=True)


def _sizes(event: dict[str, Any]) -> Any:
    results = [
        # DynamoDB tells more of the item than the machine in Python.
        [one["step"], one.get("id", ""), one.get("error"), one["step"] == "RecallAnswer" or one.get("result")]
        for one in event["results"]
    ]
    return [results, event["state"].get("queries"), event["state"].get("evidence")]


def told(response: dict[str, Any]) -> dict[str, Any]:
    """Return a response without what differs from run to run."""
    usage = {name: value for name, value in response["usage"].items() if name != "seconds"}
    kept = {name: value for name, value in response.items() if name not in ("id", "execution")}
    return {**kept, "usage": usage}
