"""Answers that were compared, as a response shows them: the worked examples without q."""

from typing import Any

TEXTS = {
    "A": "Leave is 25 days a year.",
    "B": "Leave is 25 days, agreed with the manager.",
    "C": "Leave can be refused.",
    "A1": "Nine days move on into spring.",
    "A2": "All days move on.",
}


Figures = tuple[float | None, ...]


def node(name: str, state: str, figures: Figures, parent: str = "", reason: str = "") -> dict[str, Any]:
    """One text, from the passage `p` and its name; figures are s(Rel), s(Sup), s(Use) and the score."""
    named = dict(zip(("rel", "sup", "use", "score"), figures, strict=True))
    text = TEXTS[name] if state == "chosen" else ""
    place = {"passage_id": f"p{name}", "document": f"leave-{name}.md"}
    return {"id": name, "parent": parent, **place, "text": text, "state": state, "reason": reason, **named}


def tree() -> dict[str, Any]:
    """Two levels: A and then A1 were chosen, B was kept, C is out of the beam and A2 has no support."""
    nodes = [
        node("A", "chosen", (0.95, 0.9, None, 1.85)),
        node("B", "kept", (0.9, 0.7, 0.4, 1.8)),
        node("C", "pruned", (0.6, 0.5, None, 1.1), reason="beam"),
        node("A1", "chosen", (0.9, 1.0, 0.9, 2.325), "A"),
        node("A2", "pruned", (0.7, 0.2, -0.45, 1.15), "A", "no_support"),
    ]
    return {"scale": "probabilities", "nodes": nodes, "votes": {}, "stopped": ""}


def answers() -> dict[str, Any]:
    """Three answers of Claude's: the first is kept, the second was chosen, the third is not relevant."""
    nodes = [
        {**node("A", "kept", (0.9, 0.5, 1.0, 1.9)), "text": TEXTS["A"]},
        node("B", "chosen", (0.8, 1.0, 0.5, 2.05)),
        {**node("C", "pruned", (0.3, None, None, None), reason="irrelevant"), "text": TEXTS["C"]},
    ]
    return {"scale": "labels", "nodes": nodes, "votes": {}, "stopped": ""}


def segment(name: str) -> dict[str, Any]:
    """Return a sentence of a path as a decision model judges it."""
    verdict = {"passage_id": f"p{name}", "relevant": True, "score": 0.9, "label": "relevant"}
    return {
        "id": name,
        "passage_id": f"p{name}",
        "answer": TEXTS[name],
        "relevance": {**verdict, "probabilities": {"yes": 0.9, "no": 0.1}},
    }


def ranked() -> dict[str, Any]:
    """Return what RankPaths gives back of the tree: lines without texts, and the paths of its beam with theirs."""
    nodes = [
        {**one, "text": "", "state": "kept" if one["state"] == "chosen" else one["state"]} for one in tree()["nodes"]
    ]
    segments = [[segment("A"), segment("A1")], [segment("B")]]
    return {"nodes": nodes, "beam": [{"segments": one, "finished": ""} for one in segments], "warnings": []}
