"""The findings of a replay: agreement of the verdicts, calls and dollars, and questions that would end otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cli.lab.metrics.agreement import Compared
from cli.lab.replay.ends import Verdict, end_of
from cli.lab.replay.traces import GRADERS, Recorded, Trace
from selfrag.domain.calls import StepResult


def identity(step: Recorded) -> str:
    """Return the same text for steps that judge the same: one question found in two variants is judged once."""
    limits = ("deadline_ms", "budget_usd", "cache")
    given = {name: value for name, value in step.given.items() if name not in limits}
    return Recorded(name=step.name, given=given, result=None).model_dump_json()


@dataclass(frozen=True)
class Found:
    """Traces, their steps that were to be judged, and what was found of these, by their identities."""

    traces: Sequence[Trace]
    wanted: Mapping[str, Recorded]
    results: Mapping[str, StepResult]

    @cached_property
    def missing(self) -> int:
        """Number of verdicts that failed, for want of a model or of money."""
        return sum(self._lacks(name) for name in self.wanted)

    def report(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        compared, ends = Compared(), []
        for trace in self.traces:
            before = [_verdict(step, step.result) for step in trace.steps]
            names = [identity(step) for step in trace.steps]
            after = [self._now(name, verdict) for name, verdict in zip(names, before, strict=True)]
            whole = [not self._lacks(name) for name in names]
            for step, *pair, known in zip(trace.steps, before, after, whole, strict=True):
                if known and None not in pair:
                    compared.add(GRADERS[step.name].removeprefix("grade_"), *pair)
            if all(whole):
                ends += _otherwise(trace, before, after)
        return {
            "traces": len(self.traces),
            "steps": {folder: self._took(state) for state, folder in GRADERS.items()},
            "missing": self.missing,
            "agreement": compared.agreements(),
            "otherwise": ends,
        }

    def _lacks(self, name: str) -> bool:
        found = self.results.get(name)
        return name in self.wanted and (found is None or found.error is not None)

    def _now(self, name: str, before: Verdict | None) -> Verdict | None:
        """Return the verdict on a step now; one that was not asked for anew stands."""
        found = self.results.get(name)
        return before if found is None else found.model_dump(mode="json")["verdict"]

    def _took(self, state: str) -> dict[str, Any]:
        names = [name for name, step in self.wanted.items() if step.name == state]
        found = [self.results[name] for name in names if name in self.results]
        calls = [call for result in found for call in result.calls]
        costs = [call.cost_usd for call in calls]
        return {
            "verdicts": sum(step.name == state for trace in self.traces for step in trace.steps),
            "judged": sum(bool(result.attempts) for result in found),
            "calls": len(calls),
            "usd": None if None in costs else sum(cost for cost in costs if cost is not None),
            "missing": sum(self._lacks(name) for name in names),
        }


def _verdict(step: Recorded, result: Mapping[str, Any] | None) -> Verdict | None:
    return result.get("verdict") if step.name in GRADERS and result else None


def _otherwise(trace: Trace, before: Sequence[Verdict | None], after: Sequence[Verdict | None]) -> list[dict[str, Any]]:
    """Return the question, if it would have ended otherwise or gone another way; at most one."""
    was, would_be = end_of(trace, before), end_of(trace, after)
    if was is None or would_be is None or was == would_be:
        return []
    return [
        {
            "id": trace.id,
            "question": trace.question,
            "status": was.status,
            "would_be": would_be.status,
            "evidence_differs": was.evidence != would_be.evidence,
            "judged_otherwise": was.accepted != would_be.accepted,
        }
    ]
