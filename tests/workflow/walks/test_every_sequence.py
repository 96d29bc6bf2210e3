"""The bound on every path, found by walking all of them (DESIGN: "It ends")."""

import json
import random
import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import boto3
import pytest

from cli.local.aws.resources import TABLES
from cli.local.aws.stack import definition_text, running_stack
from question.compose_answer.logic import compose
from question.compose_answer.task import Task
from tests.support import steps
from tests.support.definition import snake
from tests.support.steps import Scripted
from tests.support.walks.walker import LOGS, SUMS, Choice, Walker

MAX_MODEL_CALLS = 40
# What is read of the ledger.
LEDGER = re.compile(r"\$ledger(?:\[[^\[\]]*\]|\[\[[^\]]*\]\])*(?:\.\w+)?")
# Passes of Gather and Reflect, and the reading of an earlier answer.
MOST_PASSES = {
    "self_rag": {"off": 20, "draft": 19, "full": 17},
    "naive": {"draft": 2},
    "corrective": {"draft": 4},
    # What is done ahead it does as self_rag does.
    "adaptive": {"draft": 19},
}
# How many sequences there are at least, and how they end.
SEQUENCES = {"self_rag": 100_000, "naive": 10, "corrective": 100, "adaptive": 100_000}
UNCHECKED = {"partial", "abstained", "failed"}
ENDS = {
    "self_rag": {"answered", *UNCHECKED},
    "naive": UNCHECKED,
    "corrective": UNCHECKED,
    "adaptive": {"answered", *UNCHECKED},
}
WAYS = [(strategy, speculate) for strategy, passes in MOST_PASSES.items() for speculate in passes]
# These go on alike in most situations, so that the second finds them known.
TOGETHER = [("self_rag", "draft"), ("adaptive", "draft")]
# These take minutes.
LONG = [("self_rag", "off"), ("self_rag", "full")]
WALKS = [TOGETHER, *([way] for way in WAYS if way not in (*TOGETHER, *LONG))]
LEVELS = ("fully_supported", "partially_supported", "no_support", "ungraded")
NOTHING: list[Choice] = [("", {})]
# What DecideRetrieval, which a pass does that decides, is asked by `adaptive`.
COMPLEXITY = '{% $policy.strategy = "adaptive" %}'
DEFINITION = json.loads(definition_text())
# A deadline that the walk itself does not reach.
POLICY = {"deadline_seconds": 100_000}
FOLLOW_UP = {"question": "How many days?", "collections": ["c"], "policy": POLICY, "previous": "earlier"}

EARLIER = {
    "id": {"S": "earlier"},
    "question": {"S": "How many days?"},
    "answer": {"S": "25 days."},
    "collections": {"L": [{"S": "c"}]},
    "evidence": {"L": [{"M": {"passage_id": {"S": "p0-0"}, "score": {"N": "0.9"}}}]},
    "expires_at": {"N": "99999999999"},
}


def alternatives(name: str, variables: dict[str, Any]) -> list[list[Choice]]:
    """Everything that the lanes of a pass may come back with, as far as verdicts go."""
    match name:
        case "RecallAnswer":
            return [[("kept", {name: {"Item": EARLIER}}), ("gone", {name: {}})]]
        case "Gather":
            return [decisions(variables), readings(variables)]
        case "Reflect":
            return reflections(variables)
        case _:
            raise AssertionError(f"the walk knows no results of {name}")


def decisions(variables: dict[str, Any]) -> list[Choice]:
    if not variables["plan"]["decide"]:
        return NOTHING
    found = [(d, {"DecideRetrieval": steps.retrieval(d)}) for d in ("yes", "no", "continue", "ungraded")]
    if variables["policy"]["strategy"] == "adaptive":
        found[:1] = [(f"yes {c}", {"DecideRetrieval": steps.retrieval("yes", c)}) for c in ("simple", "complex")]
    return found


def readings(variables: dict[str, Any]) -> list[Choice]:
    """What the searches of a plan may bring, how it may be graded, and what may be written from it."""
    plan, found = variables["plan"], []
    for (documents, retrieved), (web, hits) in product(*searches(variables)):
        brought = [p["passage_id"] for result in (retrieved, hits) for p in result.get("passages", [])]
        fresh = [] if plan["passage_ids"] else [i for i in brought if i not in variables["seen"]]
        for grades, labels in gradings(variables["policy"], fresh if plan["grade"] else []):
            for words, answer in answers(variables, fresh, grades):
                label = " ".join(filter(None, (documents, web, grades, words)))
                replies = {"Retrieve": retrieved, "SearchWeb": hits, "GradeRelevance": grade(labels)}
                found.append((label, {**replies, "Generate": answer}))
    return found


def searches(variables: dict[str, Any]) -> tuple[list[Choice], list[Choice]]:
    plan, number = variables["plan"], len(variables["queries"])
    documents: list[Choice] = [("", {})]
    if plan["passage_ids"]:
        documents = [("evidence", steps.found("p0-0")), ("none", steps.found())]
    elif plan["queries"]:
        new, seen = steps.found(*(f"p{number}-{n}" for n in range(4))), steps.found(*variables["seen"][:4])
        documents = [("new", new), ("seen", seen)]
    web: list[Choice] = [("", {})]
    if plan["web"]:
        web = [("results", steps.found("w0", "w1", "w2", "w3")), ("nothing", steps.found())]
    return documents, web


def gradings(policy: dict[str, Any], fresh: list[str]) -> list[tuple[str, dict[str, str]]]:
    """One verdict per passage; the last label stands for all further ones."""
    patterns = {
        "all": ["relevant"],
        "one": ["relevant", "ungraded", "irrelevant"],
        "none": ["irrelevant"],
        "none-and-ungraded": ["ungraded", "irrelevant"],
        "ungraded": ["ungraded"],
    }
    if policy["strategy"] == "corrective":
        patterns |= {
            "ambiguous": ["ambiguous", "ungraded", "irrelevant"],
            "mixed": ["irrelevant", "ambiguous", "relevant"],
        }
    if not fresh:
        return [("", {})]
    return [
        (name, {i: labels[min(n, len(labels) - 1)] for n, i in enumerate(fresh)}) for name, labels in patterns.items()
    ]


def grade(labels: dict[str, str]) -> Any:
    return lambda given, variables: steps.relevance(
        given["passage"]["passage_id"], labels[given["passage"]["passage_id"]]
    )


def answers(variables: dict[str, Any], fresh: list[str], grades: str) -> list[Choice]:
    """An answer that cites the first or the last of what is new, or older evidence; none; or a refusal.

    Where all may be evidence it is one which is cited, and where nothing is, only older evidence is different.
    """
    if not variables["plan"]["write"]:
        return [("", {})]
    nothing, refused = steps.answer(is_found=False), steps.answer(is_found=False, flaw="refused")
    if not fresh:
        return [("answer", steps.answer()), ("nothing", nothing), ("refused", refused)]
    first, last = ("first", steps.answer(cites=fresh[0])), ("last", steps.answer(cites=fresh[-1]))
    if grades in ("", "all", "one"):
        return [first, *([last] if grades == "one" else []), ("nothing", nothing), ("refused", refused)]
    return [last, *(("old", steps.answer(cites=p["passage_id"])) for p in variables["evidence"][:1])]


def reflections(variables: dict[str, Any]) -> list[list[Choice]]:
    check, direct = variables["check"], variables["direct"]
    support, utility, query = NOTHING, NOTHING, NOTHING
    if check and not direct:
        support = [(level, {"GradeSupport": steps.support(level)}) for level in LEVELS]
        support += [("missing", {"GradeSupport": steps.missing(f"evidence {len(variables['queries'])}")})]
    if check:
        utility = [(str(score), {"GradeUtility": steps.utility(score)}) for score in (5, 2, None)]
    if variables["rewrite"]:
        new, tried = steps.rewrite(f"query {len(variables['queries'])}"), steps.rewrite("", new=False)
        query = [("new", {"RewriteQuestion": new}), ("tried", {"RewriteQuestion": tried})]
    return [support, utility, query]


def composed(payload: dict[str, Any]) -> dict[str, Any]:
    return compose(Task.model_validate(payload), {}, False).model_dump(mode="json")


def walker() -> Walker:
    return Walker(DEFINITION, alternatives, "ComposeAnswer", composed)


def follow_up(strategy: str, speculate: str) -> dict[str, Any]:
    return {**FOLLOW_UP, "policy": {**POLICY, "strategy": strategy, "speculate": speculate}}


@pytest.mark.longest(150)
@pytest.mark.parametrize("ways", [*WALKS, *(pytest.param([way], marks=pytest.mark.slow) for way in LONG)], ids=str)
def test_every_sequence_of_verdicts_ends_within_the_bounds(ways: list[tuple[str, str]], record_property: Any) -> None:
    walked = walker()
    for strategy, speculate in ways:
        reach = walked.walk(follow_up(strategy, speculate))
        figures = (
            f"{strategy}, {speculate}: {reach.sequences:,} sequences of verdicts in {walked.situations:,} situations; "
            f"at most {len(reach.longest) - 1} passes and {reach.most_calls} model calls"
        )
        record_property("figures", figures)
        record_property("figures", "the longest: " + " | ".join(reach.longest))
        assert reach.sequences > SEQUENCES[strategy]
        assert reach.most_calls <= MAX_MODEL_CALLS
        assert len(reach.longest) - 1 <= MOST_PASSES[strategy][speculate]
        assert reach.ends == ENDS[strategy]


def test_adaptive_is_as_self_rag_but_in_the_pass_that_decides() -> None:
    states = DEFINITION["States"]
    decides = [name for name, state in states.items() if '"decide": "{% $reflects %}"' in json.dumps(state)]
    asked = [text for text in texts(states) if "adaptive" in text and text.startswith("{%")]
    assert len(decides) == 1
    assert decides[0] not in [state.get("Next") for name, state in states.items() if name in ("Gather", "Reflect")]
    assert [text for text in asked if '$plan.decide and $policy.strategy = "adaptive"' not in text] == [COMPLEXITY]


def texts(value: Any) -> list[str]:
    """Every text in a definition."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in texts(one)]


@pytest.mark.parametrize(("strategy", "speculate"), WAYS)
@pytest.mark.parametrize("seed", range(4))
def test_the_interpreter_takes_the_same_path_as_the_walk(strategy: str, speculate: str, seed: int) -> None:
    pick, walked, asked = random.Random(seed), walker(), follow_up(strategy, speculate)
    expected = walked.one(asked, lambda name, lane, choices: pick.choice(favoured(choices)))
    with running_stack({}, {}, handlers=Scripted(**script_of(walked)).handlers()) as stack:
        if ("RecallAnswer", {"Item": EARLIER}) in [(name, reply) for name, _, reply in walked.replied]:
            boto3.client("dynamodb").put_item(TableName=TABLES["answers_table"][0], Item=EARLIER)
        execution = stack.execute(asked)
    assert execution.output is not None, execution.error
    for part in ("status", "path", "queries", "citations"):
        assert execution.output[part] == expected[part]
    usage, counted = execution.output["usage"], expected["usage"]
    assert (usage["model_calls"], usage["rounds"]) == (counted["model_calls"], counted["rounds"])
    assert usage["waste"]["model_calls"] == counted["waste"]["model_calls"]


def favoured(choices: Sequence[Choice]) -> list[Choice]:
    """Replies that do not end the sequence at once, so that samples are long."""
    ends = {"no", "None", "fully_supported", "5", "refused", "ungraded"}
    return [choice for choice in choices if not ends & set(choice[0].split())] or list(choices)


def script_of(walked: Walker) -> dict[str, list[Any]]:
    """What each Lambda replied, in order; verdicts by the passage, answers by how they were asked for."""
    script: dict[str, list[Any]] = {}
    verdicts: dict[str, Any] = {}
    answered: dict[str, list[Any]] = {"grounded": [], "direct": []}
    for name, given, reply in walked.replied:
        if name == "GradeRelevance":
            verdicts[given["passage"]["passage_id"]] = reply
        elif name == "Generate":
            answered[given["mode"]].append(reply)
        elif name != "RecallAnswer":
            script.setdefault(snake(name), []).append(reply)
    in_order = {mode: iter(replies) for mode, replies in answered.items()}
    return {
        **script,
        "grade_relevance": [lambda event: verdicts[event["passage"]["passage_id"]]],
        "generate": [lambda event: next(in_order[event["mode"]])],
    }


def test_what_the_walk_takes_for_undecisive_is_in_no_condition() -> None:
    deciding = [rule["Condition"] for state in DEFINITION["States"].values() for rule in state.get("Choices", [])]
    named = {name for condition in deciding for name in re.findall(r"\$(\w+)", condition)}
    assert not named & (LOGS - {"previous_id"})


def test_no_choice_asks_more_of_the_ledger_than_the_walk_keeps_of_it() -> None:
    def asked(expressions: Iterable[str]) -> set[str]:
        return {found for text in expressions for found in LEDGER.findall(text)}

    conditions = [rule["Condition"] for state in DEFINITION["States"].values() for rule in state.get("Choices", [])]
    assert asked(conditions) == asked(SUMS.values())
