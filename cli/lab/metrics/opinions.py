"""The agreement of two variants' graders where both judged the same: a passage, or an answer word by word."""

from collections.abc import Iterable, Mapping
from typing import Any

from cli.lab.metrics.agreement import Compared

Response = Mapping[str, Any]


def opinions(responses: Iterable[tuple[Response, Response]]) -> dict[str, dict[str, Any]]:
    """Return the agreement on each kind of verdict, as JSON values, over two variants' responses to the same questions.

    IsRel is compared on passages that both have graded, IsSup, its claims and IsUse on answers that are the same text.
    """
    compared = Compared()
    for one, other in responses:
        for passage_id, verdict in _relevance(one).items():
            if same := _relevance(other).get(passage_id):
                compared.add("relevance", verdict, same)
        if one["answer"] != other["answer"]:
            continue
        for kind in ("support", "utility"):
            if (verdict := _said(one, kind)) and (again := _said(other, kind)):
                compared.add(kind, verdict, again)
    return compared.agreements()


def _relevance(response: Response) -> dict[str, Any]:
    return {verdict["passage_id"]: verdict for verdict in _said(response, "relevance") or []}


def _said(response: Response, kind: str) -> Any:
    return response.get("reflection", {}).get(kind)
