"""The bound on every path of `candidates`, found by walking all of them: verdicts by passage, in any number of each.

Which of the passages of a search has which verdicts makes no difference to where a question goes, so each combination
is walked in one order.
"""

import json
import re
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

import pytest

from cli.local.aws.definitions import CANDIDATES
from cli.local.aws.stack import definition_text
from question.compose_answer.logic import compose
from question.compose_answer.task import Task
from question.pick_candidate.logic import Task as Candidates
from question.pick_candidate.logic import pick
from tests.support import steps
from tests.support.paper.candidates import critiqued
from tests.support.walks.remembered import template
from tests.support.walks.walker import Choice, Reach, Walker

DEFINITION = json.loads(definition_text(CANDIDATES))
CAP = 40
SEQUENCES = 300
# IsRel, what is written, IsSup and IsUse of one passage.
FATES = [
    "irrelevant found fully_supported 5",
    "ungraded found fully_supported 5",
    "relevant nothing",
    "relevant refused",
    "relevant found fully_supported 5",
    "relevant found fully_supported None",
    "relevant found partially_supported 5",
    "relevant found no_support 5",
    "relevant found ungraded 5",
]
EARLIER = {
    "id": {"S": "earlier"},
    "question": {"S": "How many days?"},
    "answer": {"S": "25 days."},
    "collections": {"L": [{"S": "c"}]},
    "evidence": {"L": [{"M": {"passage_id": {"S": "e1"}, "score": {"N": "0.9"}}}]},
    "expires_at": {"N": "99999999999"},
}
NOTHING: list[Choice] = [("", {})]
GRADES = {
    "GradeSupport": lambda given, variables: steps.support(variables["text"]["answer"].split()[2]),
    "GradeUtility": lambda given, variables: steps.utility(_use(variables["text"]["answer"].split()[3])),
}


def _use(word: str) -> int | None:
    return None if word == "None" else int(word)


def alternatives(name: str, variables: dict[str, Any]) -> list[Sequence[Choice]]:
    """Everything that the lanes of a pass may come back with, as far as verdicts go."""
    if name == "RecallAnswer":
        return [[("kept", {name: {"Item": EARLIER}}), ("gone", {name: {}})]]
    if name == "PickCandidate":
        payload = template(DEFINITION["States"][name]["Arguments"]["Payload"], variables)
        reply = pick(Candidates.model_validate(payload)).model_dump(mode="json")
        return [[("", {name: reply})]]
    assert name == "Gather"
    said = [(d, {"DecideRetrieval": steps.retrieval(d)}) for d in ("yes", "no", "continue", "ungraded")]
    return [said if variables["plan"]["decide"] else NOTHING, list(readings(variables))]


def readings(variables: dict[str, Any]) -> list[Choice]:
    """What a source may bring, how it is judged, and what is written."""
    source = variables["plan"]["source"]
    if source == "direct":
        return directs(variables["policy"]["generator"])
    if source == "held":
        return [("", GRADES)]
    if source == "":
        return NOTHING
    ids = {"previous": ["e1"], "web": ["w0"]}.get(source, ["p0", "p1"])
    brought: list[Choice] = [("none", {"Retrieve": steps.found(), "SearchWeb": steps.found()})]
    for fates in combinations_with_replacement(FATES, len(ids)):
        found = steps.found(*ids)
        replies = written(dict(zip(ids, fates, strict=True)))
        brought.append((" | ".join(fates), {"Retrieve": found, "SearchWeb": found, **replies}))
    return brought


def directs(generator: str) -> list[Choice]:
    if generator == "selfrag":
        one = critiqued("d1").model_copy(update={"passage_id": None, "relevance": None}).model_dump(mode="json")
        return [("found", {"GenerateCandidates": {**steps.asked("generate", written=[one]), "sequences": 1}})]
    says = [(f"found {use}", steps.answer(f"direct found none {use}")) for use in (5, 2, None)]
    says += [("nothing", steps.answer(is_found=False)), ("refused", steps.answer(is_found=False, flaw="refused"))]
    return [(label, {"Generate": reply, **GRADES}) for label, reply in says]


def written(fates: dict[str, str]) -> dict[str, Any]:
    """What the graders and the writer reply about each passage, and the paper's model about all."""

    def fate(variables: dict[str, Any]) -> list[str]:
        return fates[variables["item"]["passage"]["passage_id"]].split()

    def relevance(given: Any, variables: dict[str, Any]) -> dict[str, Any]:
        return steps.relevance(variables["item"]["passage"]["passage_id"], fate(variables)[0])

    def generate(given: Any, variables: dict[str, Any]) -> dict[str, Any]:
        words = fate(variables)
        flaw = "refused" if "refused" in words else None
        return steps.answer(" ".join(words), is_found="found" in words, flaw=flaw)

    def request(given: Any, variables: dict[str, Any]) -> dict[str, Any]:
        rows = [of_the_endpoint(p["passage_id"], fates[p["passage_id"]].split()) for p in given["items"]]
        return {**steps.asked("generate", written=rows), "sequences": len(rows)}

    return {"GradeRelevance": relevance, "Generate": generate, "GenerateCandidates": request, **GRADES}


def of_the_endpoint(passage_id: str, words: list[str]) -> dict[str, Any]:
    """One answer of the paper's model; what fails alone is ungraded."""
    found = {"passage_id": passage_id, "relevance": steps.relevance(passage_id, words[0])["verdict"]}
    if "found" not in words or words[0] == "ungraded":
        return {**found, "relevance": steps.relevance(passage_id, "ungraded")["verdict"], "error": "malformed"}
    utility = {"score": _use(words[3])}
    terms = {"rel": 0.9 if words[0] == "relevant" else 0.2, "sup": 0.5, "use": 0.5, "seq": 0.5}
    return {**found, "answer": "A.", "support": {"level": words[2]}, "utility": utility, "terms": terms}


def composed(payload: dict[str, Any]) -> dict[str, Any]:
    """The response, of which each holds what must hold of all."""
    response = compose(Task.model_validate(payload), {}, False).model_dump(mode="json")
    usage, reflection = response["usage"], response["reflection"]
    assert usage["model_calls"] <= CAP
    assert usage["waste"]["model_calls"] <= usage["model_calls"]
    if response["status"] == "answered":
        assert reflection["utility"]["score"] >= 3
        assert reflection["support"] is None or reflection["support"]["level"] == "fully_supported"
    if response["scores"] and response["answer"] and response["status"] in ("answered", "partial"):
        assert response["scores"]["stopped"] or [n for n in response["scores"]["nodes"] if n["state"] == "chosen"]
    return response


def deciding(name: str, variables: dict[str, Any]) -> Any:
    """What can still make a difference: of answers that were picked from, and left nothing, only what they were."""
    ledger, written, held = variables["ledger"], variables["turn"].get("written", []), variables["held"]
    picking = name == "PickCandidate"
    return [
        *(variables[key] for key in ("plan", "stopped", "previous_relevance", "draft")),
        len(variables["seen"]),
        [sum(entry.get(key) or 0 for entry in ledger) for key in ("attempts", "sequences")],
        sorted({str(entry.get("error")) for entry in ledger if not entry.get("waste")}),
        sorted({verdict["label"] for verdict in variables["relevance"]}),
        *(
            sorted(_nameless(json.dumps(one, sort_keys=True)) for one in found)
            for found in (held, written if picking else [])
        ),
    ]


def _nameless(text: str) -> str:
    """The same for each passage of a search."""
    return re.sub(r'"([pw])\d"', r'"\1"', text)


def walk(previous: bool = False, **policy: Any) -> tuple[Reach, Walker]:
    walker = Walker(DEFINITION, alternatives, "ComposeAnswer", composed, deciding, lambda variables: variables)
    asked = {"question": "How many days?", "collections": ["c"], "policy": {"deadline_seconds": 100_000, **policy}}
    return walker.walk({**asked, "previous": "earlier"} if previous else asked), walker


# Generator, constraints, speculation, whether it follows up on a question; and the most passes (of RecallAnswer, Gather
# and PickCandidate) and calls. With two passages of the documents, one of the web and one of the earlier answer, these
# are 4 for each passage of each source that was asked in turn, 1 for the decision, and 1 where it was no and nothing
# could be written directly; of the endpoint 1 for each source.
WAYS = [
    ("claude", "hard", "off", False, 6, 2 + 4 * 2 + 4),
    ("claude", "hard", "draft", True, 8, 1 + 4 + 4 * 2 + 4),
    ("claude", "soft", "full", False, 6, 2 + 2 * 2 + 4 * 2),
    ("selfrag", "hard", "off", False, 5, 3),
    ("selfrag", "soft", "full", True, 8, 4),
]


@pytest.mark.parametrize(("generator", "constraints", "speculate", "previous", "passes", "calls"), WAYS)
def test_every_sequence_of_verdicts_ends_within_the_specifications_calls(
    generator: str, constraints: str, speculate: str, previous: bool, passes: int, calls: int, record_property: Any
) -> None:
    reach, walker = walk(previous, speculate=speculate, generator=generator, constraints=constraints)
    record_property(
        "figures",
        f"candidates, {generator}, {constraints}, {speculate}: {reach.sequences:,} sequences of verdicts in "
        f"{walker.situations:,} situations; at most {len(reach.longest) - 1} passes and {reach.most_calls} model calls",
    )
    record_property("figures", "the longest: " + " -> ".join(reach.longest))
    assert reach.sequences > SEQUENCES
    assert len(reach.longest) - 1 <= passes
    assert reach.most_calls <= calls
    assert reach.ends == {"answered", "partial", "abstained", "failed"}
