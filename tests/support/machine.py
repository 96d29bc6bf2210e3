"""question.asl.yaml in a few lines of Python, for tests of what is decided: a question takes a millisecond.

`tests/workflow/test_machine.py` runs 120 questions drawn at random through the real definition and through this, and
compares the responses and all that the Lambdas were given.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from selfrag.domain.errors import TemporarilyUnavailable
from tests.support.definition import snake

RETRIES = 3
ARN = "arn:aws:states:us-east-1:123456789012:execution:selfrag:walk"

Handlers = Mapping[str, Callable[[dict[str, Any], Any], Any]]
Clock = Callable[[], float]


@dataclass
class Machine:
    """One question on its way; `earlier` is the item of the answer that it follows, or the error of reading it."""

    request: dict[str, Any]
    handlers: Handlers
    earlier: Any = None
    clock: Clock = lambda: 1000 * time.time()
    known: dict[str, Any] = field(default_factory=dict)
    results: list[dict[str, Any]] = field(default_factory=list)
    passages: dict[str, Any] = field(default_factory=dict)

    def run(self) -> dict[str, Any]:
        """Return the response."""
        began = self.clock()
        while steps := self._plan(began):
            self.results = [self._reported(step) for step in steps]
            found = [passage for report in self.results for passage in report.pop("passages", [])]
            kept = {one: passage for one, passage in self.passages.items() if one in self.keep}
            self.passages = {**kept, **{passage["passage_id"]: passage for passage in found}}
        payload = {
            "id": "walk",
            "question": self.request["question"],
            "known": self.known,
            "results": self.results,
            "passages": [{**one, "text": one["text"][:600]} for one in self.passages.values()],
            "late": self.clock() >= self.known.get("brief", {}).get("deadline_ms", began + 25_000),
            "execution_arn": ARN,
            "began_ms": began,
        }
        response: dict[str, Any] = self._invoked("compose_answer", payload)
        return response

    def _plan(self, began: float) -> list[dict[str, Any]]:
        payload = {**self.request, "known": self.known, "results": self.results}
        try:
            planned = self._invoked("plan", {**payload, "began_ms": began, "now_ms": self.clock()})
        except Exception as error:
            self.results = [*self.results, {"step": "Plan", "error": type(error).__name__}]
            return []
        self.known, self.results, self.keep = planned["known"], [], planned["plan"]["keep"]
        steps: list[dict[str, Any]] = planned["plan"]["steps"]
        return steps

    def _reported(self, step: dict[str, Any]) -> dict[str, Any]:
        report = {"step": step["step"], "id": step["id"]}
        try:
            result = self._result(step)
        except Exception as error:
            return {**report, "error": type(error).__name__}
        kept = {name: value for name, value in result.items() if name not in ("judged", "passages")}
        return {**report, "result": kept, "passages": result.get("passages", [])}

    def _result(self, step: dict[str, Any]) -> dict[str, Any]:
        if step["step"] == "RecallAnswer":
            if isinstance(self.earlier, Exception):
                raise self.earlier
            return {"Item": self.earlier} if self.earlier else {}
        result: dict[str, Any] = self._invoked(
            snake(step["step"]), {**self._told(step), **step["task"], **self._more(step)}
        )
        return result

    def _told(self, step: dict[str, Any]) -> dict[str, Any]:
        if step["step"] in ("Retrieve", "SearchWeb"):
            return {"deadline_ms": self.known["brief"]["deadline_ms"]}
        if step["step"] in ("RankPaths", "PickCandidate"):
            return dict(self.known.get("compared", {}))
        told = dict(self.known["brief"])
        # The answer is checked against its passages alone.
        return {name: value for name, value in told.items() if name != "previous" or step["step"] != "GradeSupport"}

    def _more(self, step: dict[str, Any]) -> dict[str, Any]:
        held = [self.passages[one] for one in step["passage_ids"] if one in self.passages]
        match step["step"]:
            case "Retrieve":
                filters = {"filters": self.known["filters"]} if "filters" in self.known else {}
                return {"collections": self.request["collections"], **filters}
            case "GradeRelevance":
                return {"passage": held[0]}
            case "Generate" | "GradeSupport" | "RewriteQuestion":
                return {"passages": held}
            case _:
                return {}

    def _invoked(self, name: str, payload: dict[str, Any]) -> Any:
        for _ in range(RETRIES):
            try:
                return self._once(name, payload)
            except TemporarilyUnavailable:
                continue
        return self._once(name, payload)

    def _once(self, name: str, payload: dict[str, Any]) -> Any:
        # As JSON, so that what Lambda could not carry fails here, too.
        return json.loads(json.dumps(self.handlers[name](json.loads(json.dumps(payload)), None)))
