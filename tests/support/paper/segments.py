"""The worked example of PAPER.md 11 as the steps reply in it, and a writer that never runs out of sentences."""

from typing import Any

from selfrag.domain.scores import terms
from selfrag.domain.scores.tokens import RELEVANCE, SUPPORT, UTILITY
from tests.support import steps

# Of each sentence: its passage, text, q, p(rel) and p(irr), p(full), p(part) and p(no), what its path decides at its
# end, and p(Utility:1) to p(Utility:5) where that is its end.
# fmt: off
Row = tuple[str, str, float, tuple[float, ...], tuple[float, ...], str, tuple[float, ...]]
EXAMPLE: dict[str, Row] = {
    "1": ("d1", "Leave is 25 days.", 0.80, (0.95, 0.05), (0.85, 0.10, 0.05), "yes", ()),
    "2": ("d2", "All have leave.", 0.75, (0.90, 0.10), (0.60, 0.20, 0.20), "complete", (0.05, 0.05, 0.20, 0.45, 0.25)),
    "3": ("d3", "Leave is old.", 0.70, (0.60, 0.40), (0.30, 0.40, 0.30), "yes", ()),
    "1.1": ("e1", "Ten days may be kept.", 0.85, (0.90, 0.10), (1.0, 0.0, 0.0), "complete", (0, 0, 0.05, 0.10, 0.85)),
    "1.2": ("e2", "All may be kept.", 0.60, (0.70, 0.30), (0.10, 0.20, 0.70), "complete", (0.30, 0.40, 0.20, 0.10, 0)),
}
WEAK: Row = (
    "e1", "Some may be kept.", 0.50, (0.60, 0.40), (0.30, 0.40, 0.30), "complete", (0.05, 0.15, 0.35, 0.25, 0.20)
)
# fmt: on
LEVELS = {SUPPORT[0]: "no_support", SUPPORT[1]: "partially_supported", SUPPORT[2]: "fully_supported"}


def endpoint(rows: dict[str, Row]) -> dict[str, list[Any]]:
    """Return the replies of the steps where the fine-tuned model decides, writes and judges."""
    decided = {"verdict": {"decision": "yes", "reason": "r", "ratio": 0.9}, "sequences": 1}
    return {
        "decide_retrieval": [steps.asked("decide_retrieval", **decided)],
        "retrieve": [steps.found("d1", "d2", "d3"), steps.found("e1", "e2")],
        "generate": [lambda event: _written(event, rows)],
    }


def _written(event: dict[str, Any], rows: dict[str, Row]) -> dict[str, Any]:
    if event["mode"] == "direct":
        direct = {"passage_id": None, "answer": "Hello.", "utility": {"score": 5, "reason": ""}}
        return steps.asked("generate", written=[direct], sequences=1)
    written = [segment(branch, rows[branch["id"]]) for branch in event["branches"]]
    return steps.asked("generate", written=written, sequences=len(written))


def segment(branch: dict[str, Any], row: Row) -> dict[str, Any]:
    """Return a sentence as the endpoint's adapter gives it back."""
    passage_id, text, seq, relevance, support, following, use = row
    assert branch["passage_id"] == passage_id
    found = dict(zip(reversed(RELEVANCE), relevance, strict=True)) | dict(zip(reversed(SUPPORT), support, strict=True))
    found |= dict(zip(UTILITY, use, strict=False))
    rel, label = terms.relevance_score(found), terms.most_probable(found, SUPPORT)
    score = terms.most_probable(found, UTILITY)
    return {
        "id": branch["id"],
        "parent": branch["parent"],
        "passage_id": passage_id,
        "answer": text,
        "citations": [cited(passage_id, text)],
        "relevance": {
            "passage_id": passage_id,
            "relevant": relevance[0] > relevance[1],
            "score": rel,
            "label": "relevant" if relevance[0] > relevance[1] else "irrelevant",
        },
        "support": {"level": LEVELS[label or ""]},
        "utility": {"score": int(score[-2]) if score else None},
        "terms": {
            "rel": rel,
            "sup": terms.support_score(found),
            "use": terms.utility_score(found) or 0.0,
            "seq": seq,
        },
        "raw": f"{branch['raw']}[Retrieval][Relevant]{text}[Fully supported]",
        "next": following,
    }


def cited(passage_id: str, text: str) -> dict[str, Any]:
    return {
        "passage_id": passage_id,
        "document": "people/leave.md",
        "quote": "Leave is 25 days a year.",
        "answer_span": [0, len(text)],
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
