"""Walks the real definition: every alternative of every pass, with equal situations visited once.

A small evaluator of the state types that the definition uses. It exists because the full walk has
more sequences than an emulator can run; `test_every_sequence.py` replays samples of its sequences
in the emulator and compares, so it cannot drift from it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any

from tests.support.walks.remembered import template, value_of

# What decides nothing (a test proves it of the definition): situations that differ only in it are equal.
LOGS = frozenset({"response", "query", "retrieval", "previous", "previous_id", "previous_relevance", "evidence_bytes"})
# What is always set again before it is read, as seen from a state whose result is open.
MOMENTARY = {
    "Gather": frozenset({"turn", "recall", "recalled_item", "check", "rewrite", "missing"}),
    "Reflect": frozenset({"turn", "recall", "recalled_item", "plan", "useful", "missing"}),
}
EXECUTION = {"Name": "walk", "Id": "arn:aws:states:us-east-1:1:execution:m:walk"}
# What the Choices ask of the ledger. Two situations in which these agree go on alike, whatever else the entries hold; a
# test proves that no Choice asks for more.
SUMS = {
    "model calls": "$sum([0, $ledger.attempts])",
    "rewrites": '$count($ledger[aim = "rewritten"])',
    "what is missing was searched for": '"missing" in $ledger.aim',
    "repairs": "$count($ledger[repair])",
    "the web was searched": '"SearchWeb" in $ledger.step',
    "searches since something relevant": '$count($ledger[step = "Retrieve"][[-2..-1]][found = 0])',
    "money ran out": '"BudgetExceeded" in $ledger.error',
}

Variables = dict[str, Any]
# What the Lambdas reply in one lane of a pass, by the state that asks: a value, or a function of what is asked.
Replies = Mapping[str, Any]
Choice = tuple[str, Replies]
# The labelled replies that each lane of a state may get, the lanes in their order: the branches of a Parallel, the
# items of a Map; a Task has one lane.
Alternatives = Callable[[str, Variables], Sequence[Sequence[Choice]]]
Choose = Callable[[str, int, Sequence[Choice]], Choice]
# What of a lane's result can still make a difference, and how many calls it took.
Alike = Callable[[str, Variables, Any], tuple[Any, int]]


@dataclass
class Reach:
    """What can follow from a situation: how many sequences, the longest, and the most model calls."""

    sequences: int
    longest: tuple[str, ...]
    most_calls: int
    ends: set[str] = field(default_factory=set)


class Walker:
    """Walks one definition up to the state `end`, whose payload `compose` turns into the response.

    `deciding` is what of a situation can still make a difference, `shortened` the same situation with less to carry;
    those of the question's own definition, if none are given. Of the results of a lane that are `alike` the one with
    the most calls stands for all; without it, each stands for itself.
    """

    def __init__(
        self,
        definition: dict[str, Any],
        alternatives: Alternatives,
        end: str,
        compose: Callable[[dict[str, Any]], dict[str, Any]],
        deciding: Callable[[str, Variables], Any] | None = None,
        shortened: Callable[[Variables], Variables] | None = None,
        alike: Alike | None = None,
    ) -> None:
        self._states, self._start = definition["States"], definition["StartAt"]
        self._deciding, self._shortened = deciding or _deciding, shortened or _shortened
        self._alternatives, self._end, self._compose, self._alike = alternatives, end, compose, alike
        self._known: dict[str, Reach] = {}
        self.replied: list[tuple[str, dict[str, Any], Any]] = []

    @property
    def situations(self) -> int:
        return len(self._known)

    def walk(self, execution_input: dict[str, Any]) -> Reach:
        return self._reach(*self._to_open(self._start, execution_input, {}))

    def one(self, execution_input: dict[str, Any], choose: Choose) -> dict[str, Any]:
        """One sequence, for which `choose` picks the replies; `replied` then has what each Lambda got and gave."""
        self.replied = []
        name, given, variables = self._to_open(self._start, execution_input, {})
        while name != self._end:
            lanes = self._alternatives(name, variables)
            picked = [choose(name, number, choices)[1] for number, choices in enumerate(lanes)]
            results = [self._lane(name, given, variables, number, replies) for number, replies in enumerate(picked)]
            name, given, variables = self._after(name, given, dict(variables), results)
        return self._composed(given, variables)

    def _reach(self, name: str, given: Any, variables: Variables) -> Reach:
        if name == self._end:
            response = self._composed(given, variables)
            return Reach(1, (name,), response["usage"]["model_calls"], {response["status"]})
        situation, spent = json.dumps([name, self._deciding(name, variables)], sort_keys=True), _spent(variables)
        if situation not in self._known:
            reach, short = Reach(0, (), 0), self._shortened(variables)
            for label, count, results in self._results(name, given, short):
                after = self._reach(*self._after(name, given, dict(short), results))
                reach.sequences += count * after.sequences
                reach.ends |= after.ends
                reach.longest = max(reach.longest, (f"{name}:{label}", *after.longest), key=len)
                reach.most_calls = max(reach.most_calls, after.most_calls)
            # An equal situation may have been come to with other calls.
            self._known[situation] = replace(reach, most_calls=reach.most_calls - spent)
        known = self._known[situation]
        return replace(known, most_calls=known.most_calls + spent)

    def _results(self, name: str, given: Any, variables: Variables) -> Iterator[tuple[str, int, list[Any]]]:
        """Each alternative: its label, for how many it stands, and the results of the lanes."""
        lanes = [
            self._distinct(
                name,
                variables,
                [(label, 1, self._lane(name, given, variables, number, replies)) for label, replies in choices],
            )
            for number, choices in enumerate(self._alternatives(name, variables))
        ]
        for picked in product(*lanes):
            label = ", ".join(label for label, _, _ in picked if label)
            yield label, prod(count for _, count, _ in picked), [result for _, _, result in picked]

    def _distinct(
        self, name: str, variables: Variables, found: list[tuple[str, int, Any]]
    ) -> list[tuple[str, int, Any]]:
        if self._alike is None:
            return found
        kept: dict[str, tuple[int, tuple[str, int, Any]]] = {}
        for label, count, result in found:
            deciding, calls = self._alike(name, variables, result)
            key = json.dumps(deciding, sort_keys=True)
            most, (word, so_many, first) = kept.get(key, (-1, ("", 0, None)))
            best = (calls, (label, so_many + count, result)) if calls > most else (most, (word, so_many + count, first))
            kept[key] = best
        return [one for _, one in kept.values()]

    def _composed(self, given: Any, variables: Variables) -> dict[str, Any]:
        seen = _bindings(self._end, variables, given)
        return self._compose(template(self._states[self._end]["Arguments"]["Payload"], seen))

    def _to_open(self, name: str, given: Any, variables: Variables) -> tuple[str, Any, Variables]:
        """Go on to the next state whose result is open, or to the end."""
        while name != self._end and self._states[name]["Type"] in ("Pass", "Choice"):
            given, name = _simple(self._states, name, given, variables)
        return name, given, variables

    def _after(self, name: str, given: Any, variables: Variables, results: list[Any]) -> tuple[str, Any, Variables]:
        state = self._states[name]
        seen = _bindings(name, variables, given, results[0] if state["Type"] == "Task" else results)
        output = template(state["Output"], seen) if "Output" in state else results
        variables.update(template(state.get("Assign", {}), seen))
        return self._to_open(state["Next"], output, variables)

    def _lane(self, name: str, given: Any, variables: Variables, number: int, replies: Replies) -> Any:
        state = self._states[name]
        if state["Type"] == "Parallel":
            return self._run(state["Branches"][number], given, variables, replies)
        if state["Type"] == "Map":
            seen = _bindings(name, variables, given)
            item = _selected(state, template(state["Items"], seen)[number : number + 1], seen, number)[0]
            return self._run(state["ItemProcessor"], item, variables, replies)
        return self._replied(name, state, given, variables, replies)

    def _run(self, machine: dict[str, Any], given: Any, outer: Variables, replies: Replies) -> Any:
        """The output of a branch or of one item's run, which sees the variables outside it and sets its own."""
        variables, name, states = dict(outer), machine["StartAt"], machine["States"]
        while True:
            state = states[name]
            if state["Type"] in ("Pass", "Choice"):
                given, following = _simple(states, name, given, variables)
            else:
                result = self._result(name, state, given, variables, replies)
                seen = _bindings(name, variables, given, result)
                given = template(state["Output"], seen) if "Output" in state else result
                variables.update(template(state.get("Assign", {}), seen))
                following = state.get("Next", "")
            if not following:
                return given
            name = following

    def _result(self, name: str, state: dict[str, Any], given: Any, variables: Variables, replies: Replies) -> Any:
        if state["Type"] == "Parallel":
            return [self._run(branch, given, variables, replies) for branch in state["Branches"]]
        if state["Type"] == "Map":
            seen = _bindings(name, variables, given)
            items = _selected(state, template(state["Items"], seen), seen)
            return [self._run(state["ItemProcessor"], item, variables, replies) for item in items]
        return self._replied(name, state, given, variables, replies)

    def _replied(self, name: str, state: dict[str, Any], given: Any, variables: Variables, replies: Replies) -> Any:
        reply = replies[name](given, variables) if callable(replies[name]) else replies[name]
        self.replied.append((name, given, reply))
        # The calls are for ComposeAnswer's sums, and long: a walk counts attempts.
        return reply if "dynamodb" in state["Resource"] else {"Payload": {**reply, "calls": []}}


def _selected(
    state: dict[str, Any], items: list[Any], bindings: dict[str, Any], first: int = 0
) -> list[dict[str, Any]]:
    """What an item's run is given: of all that the definition selects for it what is not the same for each question."""
    selected = {k: v for k, v in state["ItemSelector"].items() if "$states." in str(v) or "{%" not in str(v)}
    states, found = bindings["states"], []
    for index, item in enumerate(items, first):
        context = {**states["context"], "Map": {"Item": {"Index": index, "Value": item}}}
        found.append(template(selected, {**bindings, "states": {**states, "context": context}}))
    return found


def _simple(states: dict[str, Any], name: str, given: Any, variables: Variables) -> tuple[Any, str]:
    """What a Pass or a Choice puts out, and what follows it, "" at an end; its variables are set."""
    state = states[name]
    seen = _bindings(name, variables, given)
    if state["Type"] == "Choice":
        for rule in state["Choices"]:
            if template(rule["Condition"], seen) is True:
                variables.update(template(rule.get("Assign", {}), seen))
                return given, str(rule["Next"])
        return given, str(state["Default"])
    output = template(state["Output"], seen) if "Output" in state else given
    variables.update(template(state.get("Assign", {}), seen))
    return output, state.get("Next", "")


def _bindings(name: str, variables: Variables, given: Any, result: Any = None) -> dict[str, Any]:
    context = {"Execution": EXECUTION, "State": {"Name": name, "RetryCount": 0}}
    states = {"input": given, "context": context}
    return {**variables, "states": states if result is None else {**states, "result": result}}


def _deciding(name: str, variables: Variables) -> dict[str, Any]:
    """What of the variables can still make a difference: of passages whether there are any, of answers the verdicts."""
    dead = LOGS | MOMENTARY.get(name, frozenset())
    kept = {key: value for key, value in variables.items() if key not in dead}
    if name == "Reflect" or (name == "Gather" and not variables["plan"]["decide"]):
        # What `adaptive` does otherwise it does in the pass that decides (a test proves it of the definition).
        kept["policy"] = {**kept["policy"], "strategy": kept["policy"]["strategy"].replace("adaptive", "self_rag")}
    for part in ("evidence", "seen", "failed_claims"):
        kept[part] = bool(kept[part])
    ledger, queries = kept.pop("ledger"), kept.pop("queries")
    kept["sums"] = [value_of(asked, {"ledger": ledger}) for asked in SUMS.values()]
    kept["searched"] = bool(queries)
    kept["prepared"] = [variables["prepared"]["new"], variables["prepared"]["after"] == len(queries)]
    kept["problems"] = any(entry.get("error") for entry in ledger)
    labels = {verdict["label"] for verdict in kept.pop("relevance")}
    kept["relevant"], kept["all_ungraded"] = "relevant" in labels, labels == {"ungraded"}
    if "plan" in kept:
        kept["follows"] = kept["plan"]["decide"] and bool(variables["previous_relevance"])
        kept["plan"] = {**kept["plan"], "queries": len(kept["plan"]["queries"]), "web": bool(kept["plan"]["web"])}
    best, draft = variables["best"], variables["draft"]
    kept["best"] = [bool(best["answer"]), best["score"], best.get("support"), best.get("utility")]
    useless = draft["utility"]["score"] is not None and draft["utility"]["score"] < variables["policy"]["min_utility"]
    kept["draft"] = [bool(draft["answer"]), draft["direct"], draft["support"]["level"] == "no_support" or useless]
    return kept


def _shortened(variables: Variables) -> Variables:
    """The same situation with less to carry: of what only its sums, or whether there is any of it, are asked."""
    totals: dict[tuple[Any, ...], dict[str, Any]] = {}
    for number, entry in enumerate(variables["ledger"]):
        searched = number if entry["step"] == "Retrieve" else -1
        kind = (searched, entry["step"], entry.get("repair"), entry.get("error"))
        attempts = totals.get(kind, {}).get("attempts", 0) + entry.get("attempts", 0)
        totals[kind] = {**entry, "attempts": attempts}
    relevance = {verdict["label"]: verdict for verdict in variables["relevance"]}
    return {
        **variables,
        "turn": {},
        "ledger": list(totals.values()),
        "relevance": list(relevance.values()),
        "evidence": variables["evidence"][:1],
        "seen": variables["seen"][:4],
    }


def _spent(variables: Variables) -> int:
    return sum(entry.get("attempts") or 0 for entry in variables["ledger"])
