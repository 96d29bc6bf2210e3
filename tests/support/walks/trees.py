"""What the steps of `segments` reply in a walk: for each path its decision, for each passage what comes of it."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

from tests.support import steps
from tests.support.paper.segments import cited
from tests.support.walks.walker import Choice

# Of a passage: its grade and score, what is written from it, and IsSup of that. The text that a reader is shown has
# the name, so that a test can tell what went out.
FATES: dict[str, tuple[str, float, str, str]] = {
    "best": ("relevant", 0.9, "text", "fully_supported"),
    "worse": ("relevant", 0.6, "text", "partially_supported"),
    "unchecked": ("relevant", 0.8, "text", "ungraded"),
    "irrelevant": ("irrelevant", 0.1, "text", "fully_supported"),
    "ungraded": ("ungraded", 0.0, "text", "fully_supported"),
    "unsupported": ("relevant", 0.9, "text", "no_support"),
    "empty": ("relevant", 0.9, "nothing", ""),
    "repeated": ("relevant", 0.9, "repeated", "fully_supported"),
    "cut": ("relevant", 0.9, "cut", "fully_supported"),
}
UNGROUNDED = ("best", "empty", "repeated", "cut")
# As the endpoint tells them: a branch that fails alone has no terms.
SUPPORTED = {"fully_supported": 1.0, "partially_supported": 0.5}


def decided(decision: str) -> Choice:
    """What Retrieve says of the question as a whole."""
    return decision, {"DecideRetrieval": {**steps.retrieval(decision), "sequences": 1}}


def of_a_path(fates: Sequence[str], top_k: int, *, asked: bool) -> list[Choice]:
    """Everything that a live path may come to: what it decides, where it is asked, and what each passage brings.

    Which of the passages of a search has which fate makes no difference, so each combination is there once.
    """
    brought = [found for size in range(top_k + 1) for found in combinations_with_replacement(fates, size)]
    if not asked:
        return [path("", found) for found in brought]
    few = [("best",) * size for size in range(top_k + 1)]
    return [
        path("complete", ()),
        *(path("yes", found) for found in brought),
        *(path("ungraded", found) for found in few),
        *(path("continue", (fate,)) for fate in fates),
        *(path("no", (fate,)) for fate in UNGROUNDED if fate in fates),
    ]


def path(decision: str, fates: Sequence[str]) -> Choice:
    """The replies in the run of one path: a passage for each fate, and what is made of it."""

    def fate(given: dict[str, Any]) -> tuple[str, tuple[str, float, str, str]]:
        name = fates[min(int(given["id"].split(".")[-1]), len(fates)) - 1]
        return name, FATES[name]

    def retrieve(given: dict[str, Any], _: Any) -> dict[str, Any]:
        return steps.found(*(f"{given['id']}/{number}" for number in range(len(fates))))

    def relevance(given: dict[str, Any], _: Any) -> dict[str, Any]:
        _, (label, score, _, _) = fate(given)
        reply = steps.relevance(given["passage"]["passage_id"], label)
        return {**reply, "verdict": {**reply["verdict"], "score": None if label == "ungraded" else score}}

    def generate(given: dict[str, Any], _: Any) -> dict[str, Any]:
        name, (_, _, kind, _) = fate(given)
        cites = given["passage"]["passage_id"] if given["passage"] else ""
        reply = steps.answer(text(name, kind, given), is_found=kind != "nothing", cites=cites)
        flaw = "cut" if kind == "cut" else None
        return {**reply, "flaw": flaw, "citations": reply["citations"] if cites else []}

    def support(given: dict[str, Any], _: Any) -> dict[str, Any]:
        return steps.support(fate(given)[1][3])

    replies = {"Retrieve": retrieve, "GradeRelevance": relevance, "Generate": generate, "GradeSupport": support}
    label = " ".join(filter(None, (decision, "+".join(fates) or "nothing")))
    return label, {**replies, "DecideNext": steps.retrieval(decision)}


def text(name: str, kind: str, given: dict[str, Any]) -> str:
    """A sentence that no path has had, or that its own path begins with."""
    so_far = given.get("so_far") or given.get("bare") or ""
    if kind == "repeated" and so_far:
        return str(so_far.split(". ")[0].rstrip(".")) + "."
    judged = name if given["passage"] or name in UNGROUNDED else "ungrounded"
    return f"{judged} of {given['id']}."


def directs() -> list[Choice]:
    """A whole answer without a search; none; or a refusal."""
    said = [("direct", steps.answer("Direct.")), ("nothing", steps.answer(is_found=False))]
    said.append(("refused", steps.answer(is_found=False, flaw="refused")))
    return [(label, {"Generate": {**reply, "citations": []}}) for label, reply in said]


def request(branches: Sequence[dict[str, Any]], told: Sequence[tuple[str, str]]) -> Choice:
    """One request of the endpoint: of each branch its fate, and what its path decides at its end."""
    written = [of_a_branch(branch, *one) for branch, one in zip(branches, told, strict=True)]
    label = "+".join(f"{fate} {following}".strip() for fate, following in told)
    return label, {"GenerateSegments": {**steps.asked("generate", written=written), "sequences": len(written)}}


def of_a_branch(branch: dict[str, Any], name: str, following: str) -> dict[str, Any]:
    """A sentence with its verdicts as the endpoint's adapter gives it back."""
    label, score, kind, level = FATES[name]
    passage_id = branch["passage"]["passage_id"] if branch["passage"] else None
    found: dict[str, Any] = {"id": branch["id"], "parent": branch["parent"], "passage_id": passage_id}
    if passage_id is not None:
        found["relevance"] = {
            **steps.relevance(passage_id, label)["verdict"],
            "score": None if label == "ungraded" else score,
        }
        found["support"] = {"level": level or "ungraded"}
    if label == "ungraded":
        return {**found, "error": "malformed"}
    said = "" if kind == "nothing" else text(name, kind, branch)
    complete = following.startswith("complete")
    utility = int(following.split()[1]) if complete else None
    use = (utility - 3) / 2 if utility is not None else 0.0
    return {
        **found,
        "answer": said,
        "citations": [cited(passage_id, said)] if passage_id else [],
        "cut": kind == "cut",
        "terms": {"rel": score, "sup": SUPPORTED.get(level, 0.0), "use": use, "seq": 0.5},
        "utility": {"score": utility},
        "told": "told",
        "next": "complete" if complete else following or None,
    }
