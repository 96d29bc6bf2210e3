"""Walks the real definition: every alternative at every Task, with equal situations visited once.

A small evaluator of the state types that the definition uses. It exists because the full walk has
more sequences than an emulator can run; `test_every_sequence.py` replays samples of its sequences
in the emulator and compares, so it cannot drift from it.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from cli.local.aws.jsonata import evaluate

# What decides nothing (a test proves it of the definition): situations that differ only in it are equal.
LOGS = frozenset({"response", "query", "retrieval", "previous", "previous_id", "previous_relevance"})
# What is always set again before it is read, as seen from a Task.
MOMENTARY = frozenset({"answered", "flawed", "useful", "found", "ungraded", "recalled", "recalled_item"})
EXECUTION = {"Name": "walk", "Id": "arn:aws:states:us-east-1:1:execution:m:walk"}
# What the Choices ask of the ledger and of the number of searches. Two situations in which these agree go on alike,
# whatever else the entries hold; a test proves that no Choice asks for more.
SUMS = {
    "model calls": "$sum([0, $ledger.attempts])",
    "rewrites": '$count($ledger[step = "RewriteQuestion"])',
    "repairs": "$count($ledger[repair])",
    "the web was searched": '"SearchWeb" in $ledger.step',
    "searches since something relevant": "$count($queries) - $max([0, $ledger[relevant].search])",
}

# The values of expressions that were met before: the same is asked in thousands of situations.
_VALUES: dict[str, str] = {}
_NAMED = re.compile(r"\$(\w+)")

Variables = dict[str, Any]
Choose = Callable[[str, list[tuple[str, Any, Any]]], tuple[str, Any, Any]]
Alternatives = Callable[[str, dict[str, Any], Variables], Sequence[tuple[str, Any]]]


@dataclass
class Reach:
    """What can follow from a situation: how many sequences, the longest, and the most model calls."""

    sequences: int
    longest: tuple[str, ...]
    most_calls: int
    ends: set[str] = field(default_factory=set)


class Walker:
    """Walks one definition up to the state `end`, whose payload `compose` turns into the response.

    `alternatives` gives the labelled results that a Task, the Map or the Parallel may have.
    """

    def __init__(
        self,
        definition: dict[str, Any],
        alternatives: Alternatives,
        end: str,
        compose: Callable[[dict[str, Any]], dict[str, Any]],
    ) -> None:
        self._states, self._start = definition["States"], definition["StartAt"]
        self._alternatives, self._end, self._compose = alternatives, end, compose
        self._known: dict[str, Reach] = {}

    @property
    def situations(self) -> int:
        return len(self._known)

    def walk(self, execution_input: dict[str, Any]) -> Reach:
        return self._reach(*self._to_branch(self._start, execution_input, {}))

    def one(self, execution_input: dict[str, Any], choose: Choose) -> tuple[list[tuple[str, str, Any]], dict[str, Any]]:
        """One sequence: `choose` picks among the results. Returns each state, label and result, and the response."""
        taken: list[tuple[str, str, Any]] = []
        name, given, variables = self._to_branch(self._start, execution_input, {})
        while name != self._end:
            label, payload, result = choose(name, list(self._results(name, given, variables)))
            taken.append((name, label, payload))
            name, given, variables = self._after(name, given, dict(variables), result)
        return taken, self._composed(given, variables)

    def _reach(self, name: str, given: Any, variables: Variables) -> Reach:
        if name == self._end:
            response = self._composed(given, variables)
            return Reach(1, (name,), response["usage"]["model_calls"], {response["status"]})
        situation = json.dumps([name, _deciding(variables)], sort_keys=True)
        if situation not in self._known:
            reach = Reach(0, (), 0)
            for label, _, result in self._results(name, given, variables):
                after = self._reach(*self._after(name, given, dict(variables), result))
                reach.sequences += after.sequences
                reach.ends |= after.ends
                reach.longest = max(reach.longest, (f"{name}:{label}", *after.longest), key=len)
                reach.most_calls = max(reach.most_calls, after.most_calls)
            self._known[situation] = reach
        return self._known[situation]

    def _composed(self, given: Any, variables: Variables) -> dict[str, Any]:
        seen = self._bindings(self._end, variables, given)
        return self._compose(template(self._states[self._end]["Arguments"]["Payload"], seen))

    def _to_branch(self, name: str, given: Any, variables: Variables) -> tuple[str, Any, Variables]:
        """Go on to the next state whose result is open, or to the end."""
        while name != self._end and self._states[name]["Type"] not in ("Task", "Map", "Parallel"):
            given, name = self._simple(name, given, variables)
        return name, given, variables

    def _simple(self, name: str, given: Any, variables: Variables) -> tuple[Any, str]:
        state = self._states[name]
        if state["Type"] == "Choice":
            return given, self._chosen(state, given, variables)
        seen = self._bindings(name, variables, given)
        output = template(state["Output"], seen) if "Output" in state else given
        variables.update(template(state.get("Assign", {}), seen))
        return output, state["Next"]

    def _chosen(self, state: dict[str, Any], given: Any, variables: Variables) -> str:
        for rule in state["Choices"]:
            if template(rule["Condition"], self._bindings("", variables, given)) is True:
                return str(rule["Next"])
        return str(state["Default"])

    def _after(self, name: str, given: Any, variables: Variables, result: Any) -> tuple[str, Any, Variables]:
        state = self._states[name]
        seen = self._bindings(name, variables, given, result)
        output = template(state["Output"], seen) if "Output" in state else result
        variables.update(template(state.get("Assign", {}), seen))
        return self._to_branch(state["Next"], output, variables)

    def _results(self, name: str, given: Any, variables: Variables) -> Iterator[tuple[str, Any, Any]]:
        """Each alternative: its label, what the Lambdas give back, and the state's result."""
        state = self._states[name]
        seen = self._bindings(name, variables, given)
        asked = state.get("Arguments", {"items": state.get("Items", [])})
        for label, payload in self._alternatives(name, template(asked, seen), variables):
            if state["Type"] == "Map":
                inner = state["ItemProcessor"]
                yield label, payload, [self._output(inner, inner["StartAt"], variables, one) for one in payload]
            elif state["Type"] == "Parallel":
                branches = zip(state["Branches"], payload, strict=True)
                yield label, payload, [self._branch_output(branch, variables, one) for branch, one in branches]
            else:
                yield label, payload, payload if "dynamodb" in state["Resource"] else {"Payload": payload}

    def _branch_output(self, branch: dict[str, Any], variables: Variables, payload: Any) -> Any:
        name = branch["StartAt"]
        if branch["States"][name]["Type"] == "Choice":
            name = self._chosen(branch["States"][name], {}, variables)
        return self._output(branch, name, variables, payload)

    def _output(self, scope: dict[str, Any], name: str, variables: Variables, payload: Any) -> Any:
        return template(scope["States"][name]["Output"], self._bindings(name, variables, {}, {"Payload": payload}))

    def _bindings(self, name: str, variables: Variables, given: Any, result: Any = None) -> dict[str, Any]:
        context = {"Execution": EXECUTION, "State": {"Name": name, "RetryCount": 0}}
        states = {"input": given, "context": context}
        return {**variables, "states": states if result is None else {**states, "result": result}}


def _deciding(variables: Variables) -> dict[str, Any]:
    """What of the variables can still make a difference: of passages whether there are any, of answers the verdicts."""
    kept = {key: value for key, value in variables.items() if key not in LOGS | MOMENTARY}
    for name in ("evidence", "seen", "failed_claims"):
        kept[name] = bool(kept[name])
    ledger, queries = kept.pop("ledger"), kept.pop("queries")
    kept["sums"] = [_value(asked, {"ledger": ledger, "queries": queries}) for asked in SUMS.values()]
    kept["problems"] = any(entry.get("error") for entry in ledger)
    labels = {verdict["label"] for verdict in kept.pop("relevance")}
    kept["relevant"], kept["all_ungraded"] = "relevant" in labels, labels == {"ungraded"}
    kept["fresh"] = len(kept["fresh"])
    best, draft = variables["best"], variables["draft"]
    kept["best"] = [bool(best["answer"]), best["score"], best.get("support"), best.get("utility")]
    useless = draft["utility"]["score"] is not None and draft["utility"]["score"] < variables["policy"]["min_utility"]
    kept["draft"] = [bool(draft["answer"]), draft["direct"], draft["support"]["level"] == "no_support" or useless]
    return kept


def template(value: Any, bindings: dict[str, Any]) -> Any:
    """A JSON value with the expressions in it evaluated."""
    if isinstance(value, str) and value.startswith("{%"):
        return _value(value[2:-2].strip(), bindings)
    if isinstance(value, dict):
        return {key: template(item, bindings) for key, item in value.items()}
    if isinstance(value, list):
        return [template(item, bindings) for item in value]
    return value


def _value(expression: str, bindings: dict[str, Any]) -> Any:
    """An expression's value, which follows from the variables that it names, unless it asks for the time."""
    named = {name: bindings[name] for name in sorted(set(_NAMED.findall(expression))) if name in bindings}
    if "$millis" in expression:
        return evaluate(expression, named)
    asked = json.dumps([expression, named])
    if asked not in _VALUES:
        _VALUES[asked] = json.dumps(evaluate(expression, named))
    return json.loads(_VALUES[asked])
