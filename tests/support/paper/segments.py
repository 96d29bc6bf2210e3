"""The worked example of the tree as the steps reply in it, and a writer that never runs out of sentences."""

from typing import Any

from tests.support import steps

# For each sentence: its passage, text, p(rel) and p(irr), p(full), p(part) and p(no), the decision at the end of its
# path, and p(1) to p(5) of the use of its path if it ends there.
# fmt: off
Row = tuple[str, str, tuple[float, ...], tuple[float, ...], str, tuple[float, ...]]
EXAMPLE: dict[str, Row] = {
    "1": ("d1", "Leave is 25 days.", (0.95, 0.05), (0.85, 0.10, 0.05), "yes", ()),
    "2": ("d2", "All have leave.", (0.90, 0.10), (0.60, 0.20, 0.20), "complete", (0.05, 0.05, 0.20, 0.45, 0.25)),
    "3": ("d3", "Leave is old.", (0.60, 0.40), (0.30, 0.40, 0.30), "yes", ()),
    "1.1": ("e1", "Ten days may be kept.", (0.90, 0.10), (1.0, 0.0, 0.0), "complete", (0, 0, 0.05, 0.10, 0.85)),
    "1.2": ("e2", "All may be kept.", (0.70, 0.30), (0.10, 0.20, 0.70), "complete", (0.30, 0.40, 0.20, 0.10, 0)),
}
WEAK: Row = (
    "e1", "Some may be kept.", (0.60, 0.40), (0.30, 0.40, 0.30), "complete", (0.05, 0.15, 0.35, 0.25, 0.20)
)
# fmt: on
CLAIMS = ("full", "partial", "none")
LEVELS = dict(zip(CLAIMS, ("fully_supported", "partially_supported", "no_support"), strict=True))


def by_decider(rows: dict[str, Row]) -> dict[str, list[Any]]:
    """Return the replies of the steps where a decision model judges each of these sentences."""
    of_passage = {row[0]: row for row in rows.values()}

    def last_of(text: str) -> Row:
        return next(row for row in rows.values() if text.endswith(row[1]))

    def decide(event: dict[str, Any]) -> dict[str, Any]:
        return steps.retrieval(last_of(event["so_far"])[4] if event.get("so_far") else "yes")

    def grade(event: dict[str, Any]) -> dict[str, Any]:
        relevant, irrelevant = of_passage[event["passage"]["passage_id"]][2]
        reply = steps.relevance(event["passage"]["passage_id"], "relevant")
        odds = {"score": relevant, "probabilities": {"yes": relevant, "no": irrelevant}}
        return {**reply, "verdict": {**reply["verdict"], **odds}}

    def write(event: dict[str, Any]) -> dict[str, Any]:
        passage_id, text, *_ = of_passage[event["passages"][0]["passage_id"]]
        return steps.answer(text, cites=passage_id)

    def check(event: dict[str, Any]) -> dict[str, Any]:
        odds = dict(zip(CLAIMS, of_passage[event["passages"][0]["passage_id"]][3], strict=True))
        label = max(reversed(CLAIMS), key=lambda claim: odds[claim])
        claim = {"claim": event["answer"], "support": label, "probabilities": odds}
        verdict = {"level": LEVELS[label], "claims": [claim], "judged_by": "decider", "model": "m"}
        return steps.asked("grade_support", verdict=verdict)

    def judge(event: dict[str, Any]) -> dict[str, Any]:
        odds = {str(level): p for level, p in enumerate(last_of(event["answer"])[5], start=1)}
        reply = steps.utility(int(max(odds, key=lambda level: odds[level])) if odds else 5)
        return {**reply, "verdict": {**reply["verdict"], "probabilities": odds or None}}

    return {
        "decide_retrieval": [decide],
        "retrieve": [steps.found("d1", "d2", "d3"), steps.found("e1", "e2")],
        "grade_relevance": [grade],
        "generate": [write],
        "grade_support": [check],
        "grade_utility": [judge],
    }


def passages_of_path(event: dict[str, Any]) -> dict[str, Any]:
    """Return passages named after the last word that the path searches by, for paths search in no order."""
    last = event["queries"][-1].rstrip("?.").split()[-1]
    return steps.found(*(f"{last}-{n}" for n in range(event["top_k"])))


def next_sentence(event: dict[str, Any]) -> dict[str, Any]:
    """Return a sentence that no path has had."""
    if event["mode"] == "direct":
        return steps.answer("Hello.")
    number = event["so_far"].count(".") + 1
    source = event["passages"][0]["passage_id"] if event["passages"] else "nothing"
    text = f"Sentence {number} of {source}."
    written = steps.answer(text, cites=source)
    return written if event["passages"] else {**written, "citations": []}
