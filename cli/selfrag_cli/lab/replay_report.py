"""The verdicts of a replay beside those of its traces, and the report of what differs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfrag.domain.calls import Limits, StepResult
from selfrag.domain.verdicts import RelevanceVerdict, SupportVerdict, UtilityVerdict
from selfrag_cli.lab.gate import Gate, check_figures
from selfrag_cli.lab.judging import cost
from selfrag_cli.lab.traces import GRADERS, Recorded, Trace

LEVELS: dict[str, Callable[[Any], object]] = {
    "GradeRelevance": lambda verdict: RelevanceVerdict.model_validate(verdict, extra="ignore").label,
    "GradeSupport": lambda verdict: SupportVerdict.model_validate(verdict, extra="ignore").level,
    "GradeUtility": lambda verdict: UtilityVerdict.model_validate(verdict, extra="ignore").score,
}


@dataclass(frozen=True)
class Replay:
    """Traces, their steps that were to be judged, and the results of these, by their identities."""

    traces: Sequence[Trace]
    wanted: Mapping[str, Recorded]
    results: Mapping[str, StepResult]

    @property
    def missing(self) -> int:
        """Return the number of verdicts that failed, for want of a model or of money."""
        return sum(self._lacks(name) for name in self.wanted)

    def report(self) -> dict[str, Any]:
        """Return the figures of each step, and the questions with a verdict that differs, as JSON values."""
        changed = []
        for trace in self.traces:
            pairs = [pair for step in trace.steps if (pair := self._levels(step))]
            if differing := [pair for pair in pairs if pair["was"] != pair["is"]]:
                changed.append({"id": trace.id, "question": trace.question, "verdicts": differing})
        steps = {folder: self._figures(state) for state, folder in GRADERS.items()}
        return {"traces": len(self.traces), "steps": steps, "missing": self.missing, "changed": changed}

    def gate(self, conditions: Sequence[str]) -> Gate:
        """Look at the share of questions with a verdict that differs, and of answers that are supported now."""
        changed = self.report()["changed"]
        levels = [
            pair["is"]
            for trace in self.traces
            for step in trace.steps
            if step.name == "GradeSupport" and (pair := self._levels(step))
        ]
        figures = {
            "changed": len(changed) / len(self.traces),
            "supported": levels.count("fully_supported") / len(levels) if levels else None,
        }
        checks = list(check_figures("replay", figures, conditions))
        return Gate(checks, [row["question"] for row in changed])

    def _figures(self, state: str) -> dict[str, Any]:
        recorded = [step for trace in self.traces for step in trace.steps if step.name == state]
        pairs = [pair for step in recorded if (pair := self._levels(step))]
        names = [name for name, step in self.wanted.items() if step.name == state]
        found = [self.results[name] for name in names if name in self.results]
        return {
            "verdicts": len(recorded),
            "same": sum(pair["was"] == pair["is"] for pair in pairs),
            "changed": sum(pair["was"] != pair["is"] for pair in pairs),
            "judged": sum(bool(result.attempts) for result in found),
            "calls": sum(len(result.calls) for result in found),
            "usd": cost(found),
            "missing": sum(self._lacks(name) for name in names),
        }

    def _lacks(self, name: str) -> bool:
        found = self.results.get(name)
        return name in self.wanted and (found is None or found.error is not None)

    def _levels(self, step: Recorded) -> dict[str, Any] | None:
        """Return the level of a step's verdict as recorded and now; None where one of them is missing."""
        before, name = (step.result or {}).get("verdict"), identity(step)
        if step.name not in GRADERS or before is None or self._lacks(name):
            return None
        found = self.results.get(name)
        # A verdict that was not asked for anew stands.
        after = before if found is None else found.model_dump(mode="json")["verdict"]
        level = LEVELS[step.name]
        return {"step": GRADERS[step.name], "was": level(before), "is": level(after)}


def identity(step: Recorded) -> str:
    """Return the same text for steps that judge the same: one question found in two variants is judged once."""
    given = {name: value for name, value in step.given.items() if name not in Limits.model_fields}
    return Recorded(name=step.name, given=given, result=None).model_dump_json()
